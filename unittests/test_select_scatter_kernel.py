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

import unittest

import numpy as np
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci

import paddle


def select_scatter_ref(x, values, axis, index):
    out = x.copy()
    np.moveaxis(out, axis, 0)[index, ...] = values
    return out


class TestSelectScatterOp(OpTest):
    x_dtype = np.float64
    x_shape, axis, index = (3, 100), 0, 1

    def setUp(self):
        self.op_type = 'select_scatter'
        self.python_api = self.public_python_api = paddle.select_scatter
        self.dtype = self.x_dtype
        x = self.random_array(self.x_shape)
        values = self.random_array(np.take(x, 0, self.axis).shape)
        out = select_scatter_ref(x, values, self.axis, self.index)
        self.inputs = {'x': x, 'values': values}
        self.attrs = {'axis': self.axis, 'index': self.index}
        self.outputs = {'out': out}

    def random_array(self, shape):
        array = np.random.uniform(-1, 1, shape)
        if self.dtype == np.uint16:
            return convert_float_to_uint16(array)
        if np.issubdtype(self.dtype, np.complexfloating):
            array = array + 1j * np.random.uniform(-1, 1, shape)
        elif not np.issubdtype(self.dtype, np.floating):
            array = np.maximum(array, 0) * 100
        return np.asarray(array, self.dtype)

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'values'], 'out', check_pir=True)


class TestSelectScatterOpNegativeAxisAndIndex(TestSelectScatterOp):
    x_shape, axis, index = (100, 4), -1, -3


class TestSelectScatterOpMiddleAxis(TestSelectScatterOp):
    x_shape, axis, index = (11, 3, 10), 1, 2


class TestSelectScatterOp0DValues(TestSelectScatterOp):
    x_shape, axis, index = (120,), 0, 7


class TestSelectScatterOpFP16(TestSelectScatterOp):
    x_dtype = np.float16


class TestSelectScatterOpBF16(TestSelectScatterOp):
    x_dtype = np.uint16


class TestSelectScatterOpComplex64(TestSelectScatterOp):
    x_dtype = np.complex64


class TestSelectScatterOpComplex128(TestSelectScatterOp):
    x_dtype = np.complex128


@skip_check_grad_ci(reason='OpTest checks the gradient of float64 instead.')
class TestSelectScatterOpFP32(TestSelectScatterOp):
    x_dtype = np.float32
    test_check_grad = None


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestSelectScatterOpBool(TestSelectScatterOp):
    x_dtype = np.bool_
    test_check_grad = None


class TestSelectScatterOpUInt8(TestSelectScatterOpBool):
    x_dtype = np.uint8


class TestSelectScatterOpInt8(TestSelectScatterOpBool):
    x_dtype = np.int8


class TestSelectScatterOpInt16(TestSelectScatterOpBool):
    x_dtype = np.int16


class TestSelectScatterOpInt32(TestSelectScatterOpBool):
    x_dtype = np.int32


class TestSelectScatterOpInt64(TestSelectScatterOpBool):
    x_dtype = np.int64


if __name__ == '__main__':
    unittest.main()
