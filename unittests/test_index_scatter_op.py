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

from index_reduce_op import IndexOpChecks
from op_test import OpTest, skip_check_grad_ci
from scatter_op_utils import ZERO_SIZE, dtype_cases
from scatter_test_utils import GRAD_DTYPES, HALF_DTYPES, INT_DTYPES


class TestIndexScatterOp(IndexOpChecks, OpTest):
    reduce = 'sum'


class TestIndexScatterOpSumWithoutSelf(TestIndexScatterOp):
    include_self = False


class TestIndexScatterOpAssign(TestIndexScatterOp):
    reduce = 'assign'


class TestIndexScatterOpMean(TestIndexScatterOp):
    reduce = 'mean'


class TestIndexScatterOpMeanWithoutSelf(TestIndexScatterOpMean):
    include_self = False


class TestIndexScatterOpLastAxis(TestIndexScatterOp):
    x_shape = (13, 9)
    axis = 1
    updates_shape = (13, 15)
    reduce = 'assign'


class TestIndexScatterOpMiddleAxis(TestIndexScatterOp):
    x_shape = (3, 9, 5)
    axis = -2
    updates_shape = (3, 15, 5)
    include_self = False


class TestIndexScatterOpOneDim(TestIndexScatterOp):
    x_shape = (120,)
    index_shape = (130,)
    updates_shape = (130,)
    reduce = 'mean'


class TestIndexScatterOpColumnIndex(TestIndexScatterOp):
    index_shape = (15, 1)
    reduce = 'mean'


class TestIndexScatterOpIndexWithoutDims(TestIndexScatterOp):
    x_shape = (10, 10, 10)
    axis = 1
    index_shape = ()
    updates_shape = (10, 10)


class TestIndexScatterOpInt32Index(TestIndexScatterOp):
    index_dtype = 'int32'


class TestIndexScatterOpLongerUpdates(TestIndexScatterOp):
    updates_shape = (18, 11)


class TestIndexScatterOpNoPosition(TestIndexScatterOp):
    index_shape = (0,)
    updates_shape = (0, 11)
    grad_inputs = ('x',)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestIndexScatterOpNoElement(TestIndexScatterOp):
    x_shape = (14, 0)
    updates_shape = (15, 0)


globals().update(dtype_cases(TestIndexScatterOp))
globals().update(dtype_cases(TestIndexScatterOpAssign))
globals().update(dtype_cases(TestIndexScatterOpMean, GRAD_DTYPES + INT_DTYPES))
globals().update(dtype_cases(TestIndexScatterOpMeanWithoutSelf, HALF_DTYPES))


if __name__ == '__main__':
    unittest.main()
