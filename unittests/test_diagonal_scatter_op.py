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


def diagonal_scatter_ref(x, y, offset, axis1, axis2):
    out = x.copy()
    diagonal = np.diagonal(out, offset, axis1, axis2)
    diagonal.flags.writeable = True
    diagonal[...] = y
    return out


class TestDiagonalScatterOp(OpTest):
    x_dtype = np.float64
    x_shape = (40, 3, 4)
    offset, axis1, axis2 = 0, 1, 2

    def setUp(self):
        self.op_type = 'diagonal_scatter'
        self.python_api = self.public_python_api = paddle.diagonal_scatter
        self.dtype = self.x_dtype
        x = self.random_array(self.x_shape)
        args = self.offset, self.axis1, self.axis2
        y = self.random_array(np.diagonal(x, *args).shape)
        out = diagonal_scatter_ref(x, y, *args)
        self.inputs = {'x': x, 'y': y}
        self.attrs = dict(zip(('offset', 'axis1', 'axis2'), args))
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
        self.check_grad(['x', 'y'], 'out', check_pir=True)


class TestDiagonalScatterOpNegativeAxesAndOffset(TestDiagonalScatterOp):
    x_shape = (50, 3, 4)
    offset, axis1, axis2 = -1, -2, -1


class TestDiagonalScatterOpSwappedOuterAxes(TestDiagonalScatterOp):
    x_shape = (4, 50, 3)
    offset, axis1, axis2 = -1, 2, 0


@skip_check_grad_ci(reason='The gradient of y has no element.')
class TestDiagonalScatterOpEmptyDiagonal(TestDiagonalScatterOp):
    offset, axis1, axis2 = 4, 1, 2
    test_check_grad = None


class TestDiagonalScatterOpFP16(TestDiagonalScatterOp):
    x_dtype = np.float16


class TestDiagonalScatterOpBF16(TestDiagonalScatterOp):
    x_dtype = np.uint16


class TestDiagonalScatterOpComplex64(TestDiagonalScatterOp):
    x_dtype = np.complex64


class TestDiagonalScatterOpComplex128(TestDiagonalScatterOp):
    x_dtype = np.complex128


@skip_check_grad_ci(reason='OpTest checks the gradient of float64 instead.')
class TestDiagonalScatterOpFP32(TestDiagonalScatterOp):
    x_dtype = np.float32
    test_check_grad = None


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestDiagonalScatterOpBool(TestDiagonalScatterOp):
    x_dtype = np.bool_
    test_check_grad = None


class TestDiagonalScatterOpUInt8(TestDiagonalScatterOpBool):
    x_dtype = np.uint8


class TestDiagonalScatterOpInt8(TestDiagonalScatterOpBool):
    x_dtype = np.int8


class TestDiagonalScatterOpInt16(TestDiagonalScatterOpBool):
    x_dtype = np.int16


class TestDiagonalScatterOpInt32(TestDiagonalScatterOpBool):
    x_dtype = np.int32


class TestDiagonalScatterOpInt64(TestDiagonalScatterOpBool):
    x_dtype = np.int64


if __name__ == '__main__':
    unittest.main()
