# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""index_scatter in OpTest form: every axis, kind of index and dtype."""

import unittest

from index_reduce_op import INDEX_SHAPES, IndexOpChecks
from op_test import OpTest
from scatter_op_utils import dtype_cases, op_cases
from scatter_test_utils import GRAD_DTYPES, HALF_DTYPES, INT_DTYPES


class TestIndexScatterOp(IndexOpChecks, OpTest):
    reduce = 'sum'


class TestIndexScatterOpAssign(TestIndexScatterOp):
    reduce = 'assign'


class TestIndexScatterOpMean(TestIndexScatterOp):
    reduce = 'mean'


class TestIndexScatterOpMeanWithoutSelf(TestIndexScatterOpMean):
    include_self = False


WITHOUT_SELF = {'WithoutSelf': {'include_self': False}}

globals().update(op_cases(TestIndexScatterOp, WITHOUT_SELF | INDEX_SHAPES))
globals().update(op_cases(TestIndexScatterOpAssign, INDEX_SHAPES))
globals().update(op_cases(TestIndexScatterOpMean, INDEX_SHAPES))
globals().update(dtype_cases(TestIndexScatterOp))
globals().update(dtype_cases(TestIndexScatterOpAssign))
globals().update(dtype_cases(TestIndexScatterOpMean, GRAD_DTYPES + INT_DTYPES))
globals().update(dtype_cases(TestIndexScatterOpMeanWithoutSelf, HALF_DTYPES))


if __name__ == '__main__':
    unittest.main()
