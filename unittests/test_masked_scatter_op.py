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


def masked_scatter_reference(x, mask, value):
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape))
    mask = np.broadcast_to(mask, shape)
    out[mask] = value.reshape(-1)[: np.count_nonzero(mask)]
    return out


def random_array(shape, dtype):
    array = np.random.uniform(0, 9, shape)
    if dtype == 'bfloat16':
        return convert_float_to_uint16(np.asarray(array))
    if dtype == 'bool':
        array = array > 4.5
    elif 'complex' in dtype:
        array = array - 1j * np.random.uniform(0, 9, shape)
    return np.asarray(array, dtype)


class TestMaskedScatterOp(OpTest):
    dtype_name = 'float64'
    x_shape = (12, 11)
    mask_shape = (12, 11)
    value_shape = (132,)
    density = 0.5

    def setUp(self):
        self.op_type = 'masked_scatter'
        self.python_api = paddle.masked_scatter
        self.public_python_api = paddle.masked_scatter
        x = random_array(self.x_shape, self.dtype_name)
        mask = np.asarray(np.random.random(self.mask_shape) < self.density)
        value = random_array(self.value_shape, self.dtype_name)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': masked_scatter_reference(x, mask, value)}

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'value'], 'out', check_pir=True)


class TestMaskedScatterOpFP16(TestMaskedScatterOp):
    dtype_name = 'float16'


class TestMaskedScatterOpBF16(TestMaskedScatterOp):
    dtype_name = 'bfloat16'


class TestMaskedScatterOpComplex64(TestMaskedScatterOp):
    dtype_name = 'complex64'


class TestMaskedScatterOpComplex128(TestMaskedScatterOp):
    dtype_name = 'complex128'


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestMaskedScatterOpBool(TestMaskedScatterOp):
    dtype_name = 'bool'
    test_check_grad = None


class TestMaskedScatterOpUint8(TestMaskedScatterOpBool):
    dtype_name = 'uint8'


class TestMaskedScatterOpInt8(TestMaskedScatterOpBool):
    dtype_name = 'int8'


class TestMaskedScatterOpInt16(TestMaskedScatterOpBool):
    dtype_name = 'int16'


class TestMaskedScatterOpInt32(TestMaskedScatterOpBool):
    dtype_name = 'int32'


class TestMaskedScatterOpInt64(TestMaskedScatterOpBool):
    dtype_name = 'int64'


class TestMaskedScatterOpBroadcastBoth(TestMaskedScatterOp):
    x_shape = (110, 1)
    mask_shape = (1, 3)
    value_shape = (110, 3)


if __name__ == '__main__':
    unittest.main()
