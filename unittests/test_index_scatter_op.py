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
"""index_scatter in OpTest form: every axis, kind of index and dtype; tests for
index_reduce too."""

import unittest

import numpy as np
from index_reduce_cases import (
    operands,
    operator_of,
    reduce_by_index,
    reference_index_reduce,
)
from op_table import numbers
from op_test import OpTest
from scatter_op_utils import ZERO_SIZE, OpChecks, dtype_cases, op_cases
from scatter_test_utils import (
    GRAD_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
    to_storage,
)


class IndexOpChecks(OpChecks):
    """Duplicates, negative values and untouched slots, for an OpTest.

    The arrays are float64 unless the subclass says otherwise.
    """

    x_shape = (14, 11)
    axis = 0
    include_self = True
    index_shape = (15,)
    updates_shape = (15, 11)
    index_dtype = 'int64'
    grad_inputs = ('x', 'updates')

    def setUp(self):
        self.op_type = operator_of(self.reduce)
        self.python_api = reduce_by_index
        self.rng = np.random.default_rng(2026)
        x, updates = self.make(self.x_shape), self.make(self.updates_shape)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'index': self.make_index(), 'updates': updates}
        self.attrs = {
            'axis': self.axis,
            'reduce': self.reduce,
            'include_self': self.include_self,
        }
        out = reference_index_reduce(
            *map(numbers, self.inputs.values()), *self.attrs.values()
        )
        self.outputs = {'out': to_storage(out, self.dtype_name)}

    def make(self, shape):
        return operands(self.rng, shape, self.reduce, self.dtype_name)

    def make_index(self):
        size = self.x_shape[self.axis]
        return np.asarray(
            self.rng.integers(-size, size, self.index_shape, self.index_dtype)
        )


# {end of the class name: attributes}
INDEX_SHAPES = {
    'LastAxis': {'x_shape': (13, 9), 'axis': 1, 'updates_shape': (13, 15)},
    'MiddleAxis': {
        'x_shape': (3, 9, 5),
        'axis': -2,
        'updates_shape': (3, 15, 5),
    },
    'OneDim': {
        'x_shape': (120,),
        'index_shape': (130,),
        'updates_shape': (130,),
    },
    'Int32Index': {'index_dtype': 'int32'},
    'NoPosition': {
        'index_shape': (0,),
        'updates_shape': (0, 11),
        'grad_inputs': ('x',),
    },
    'NoElement': {
        'x_shape': (14, 0),
        'updates_shape': (15, 0),
        'no_grad': ZERO_SIZE,
    },
}


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
