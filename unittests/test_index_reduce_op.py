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
"""index_reduce in OpTest form: every axis, kind of index and dtype."""

import unittest

from op_test import OpTest
from scatter_op_utils import dtype_cases, op_cases
from scatter_test_utils import GRAD_DTYPES, HALF_DTYPES, INT_DTYPES
from test_index_scatter_op import INDEX_SHAPES, WITHOUT_SELF, IndexOpChecks


class TestIndexReduceOp(IndexOpChecks, OpTest):
    reduce = 'mul'


class TestIndexReduceOpAmax(TestIndexReduceOp):
    reduce = 'amax'


class TestIndexReduceOpAmin(TestIndexReduceOp):
    reduce = 'amin'


globals().update(op_cases(TestIndexReduceOp, WITHOUT_SELF | INDEX_SHAPES))
globals().update(op_cases(TestIndexReduceOpAmax, WITHOUT_SELF | INDEX_SHAPES))
globals().update(op_cases(TestIndexReduceOpAmin, WITHOUT_SELF | INDEX_SHAPES))
globals().update(dtype_cases(TestIndexReduceOp, GRAD_DTYPES + INT_DTYPES))
globals().update(dtype_cases(TestIndexReduceOpAmax, HALF_DTYPES + INT_DTYPES))


if __name__ == '__main__':
    unittest.main()
