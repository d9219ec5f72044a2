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


def random_array(shape, dtype):
    array = np.random.uniform(0, 9, shape)
    if dtype == 'bfloat16':
        return convert_float_to_uint16(np.asarray(array))
    if dtype == 'bool':
        array = array > 4.5
    elif 'complex' in dtype:
        array = array - 1j * np.random.uniform(0, 9, shape)
    return np.asarray(array, dtype)


class TestMaskedFillKernel(OpTest):
    dtype_name = 'float64'
    x_shape = (12, 11)
    mask_shape = (12, 11)
    value_shape = (12, 11)
    density = 0.5

    def setUp(self):
        self.op_type = 'masked_fill'
        self.python_api = paddle.masked_fill
        self.public_python_api = paddle.masked_fill
        x = random_array(self.x_shape, self.dtype_name)
        mask = np.asarray(np.random.random(self.mask_shape) < self.density)
        value = random_array(self.value_shape, self.dtype_name)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': np.where(mask, value, x)}

    def test_check_output(self):
        # Paddle infers the symbolic shape of x, even if the mask is larger.
        same_shape = self.outputs['out'].shape == self.x_shape
        self.check_output(check_pir=True, check_symbol_infer=same_shape)

    def test_check_grad(self):
        self.check_grad(['x', 'value'], 'out', check_pir=True)


class TestMaskedFillKernelFP16(TestMaskedFillKernel):
    dtype_name = 'float16'


class TestMaskedFillKernelBF16(TestMaskedFillKernel):
    dtype_name = 'bfloat16'


class TestMaskedFillKernelComplex64(TestMaskedFillKernel):
    dtype_name = 'complex64'


class TestMaskedFillKernelComplex128(TestMaskedFillKernel):
    dtype_name = 'complex128'


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestMaskedFillKernelBool(TestMaskedFillKernel):
    dtype_name = 'bool'
    test_check_grad = None


class TestMaskedFillKernelUint8(TestMaskedFillKernelBool):
    dtype_name = 'uint8'


class TestMaskedFillKernelInt8(TestMaskedFillKernelBool):
    dtype_name = 'int8'


class TestMaskedFillKernelInt16(TestMaskedFillKernelBool):
    dtype_name = 'int16'


class TestMaskedFillKernelInt32(TestMaskedFillKernelBool):
    dtype_name = 'int32'


class TestMaskedFillKernelInt64(TestMaskedFillKernelBool):
    dtype_name = 'int64'


class TestMaskedFillKernelMiddleAxes(TestMaskedFillKernel):
    x_shape = (20, 3, 5)
    mask_shape = (20, 1, 5)
    value_shape = (20, 1, 5)


class TestMaskedFillKernelBroadcastBoth(TestMaskedFillKernel):
    x_shape = (110, 1)
    mask_shape = (1, 3)
    value_shape = (110, 3)


class TestMaskedFillKernelValueRow(TestMaskedFillKernel):
    x_shape = (2, 110)
    mask_shape = (2, 110)
    value_shape = (110,)


@unittest.skipIf(
    paddle.is_compiled_with_cuda(),
    'The GPU kernel for a 0-D value lacks dtypes and gradients.',
)
class TestMaskedFillKernel0DValue(TestMaskedFillKernel):
    value_shape = ()


if __name__ == '__main__':
    unittest.main()
