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
import warnings
from itertools import product
from unittest import mock

import numpy as np

import paddle

FUNCTIONS = [paddle.scatter, paddle.scatter_]
NAMES = ['x', 'index', 'updates']
# Served by the operators scatter, index_scatter and index_reduce.
CALLS = [
    {'overwrite': True},
    {'overwrite': False},
    {'overwrite': False, 'reduce': 'mean'},
    {'overwrite': False, 'reduce': 'amax', 'include_self': True},
]


def setUpModule():
    # On a GPU, an invalid index traps and ends the process.
    paddle.set_device('cpu')


class TestScatterErrors(unittest.TestCase):
    def check(self, error, message, **changes):
        """Check the error, and that an in-place call does not change x."""
        for options, function in product(CALLS, FUNCTIONS):
            args = {
                'x': paddle.zeros([4, 3]),
                'index': paddle.to_tensor([0, 1]),
                'updates': paddle.ones([2, 3]),
                **options,
                **changes,
            }
            with self.subTest(function=function.__name__, **args):
                with self.assertRaisesRegex(error, message):
                    function(**args)
                if isinstance(args['x'], paddle.Tensor):
                    self.assertFalse(args['x'].astype('bool').any())

    def test_wrong_types_raise(self):
        for name, wrong in product(NAMES, [None, 1.5, [0]]):
            message = rf'\(scatter_?\) The type of {name} should be Tensor'
            self.check(TypeError, message, **{name: wrong})

    def test_index_out_of_range_raises(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        paddle.base.core.set_num_threads(2)
        values = [4, -5, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
        for length, value in product([3, 60000], values):
            dtype = 'int64' if length == 3 or abs(value) > 2**31 else 'int32'
            index = np.zeros(length, dtype)
            index[[length // 2, -1]] = value
            self.check(
                IndexError,
                rf'index should be in \[-4, 4\) .*index\[{length // 2}\] = {value}\.',
                index=paddle.to_tensor(index),
                updates=paddle.ones([length, 3]),
            )

    def test_invalid_index_and_updates_raise(self):
        for dtype in ['bool', 'uint8', 'int16', 'float32']:
            message = f'dtype of index should be int32 or int64.*{dtype}'
            self.check(ValueError, message, index=paddle.ones([2], dtype))
        self.check(ValueError, 'index', index=paddle.zeros([1, 2], 'int64'))
        for shape in [[1, 3], [2, 1], [2, 4], [6], [2, 3, 1], []]:
            self.check(ValueError, 'updates', updates=paddle.ones(shape))
        self.check(ValueError, 'updates', index=paddle.to_tensor(1))
        updates = paddle.ones([2, 3], 'float64')
        self.check(ValueError, 'float32, but received float64', updates=updates)

    def test_invalid_attributes_raise(self):
        for axis in [2, -3, 2**31, 2**70]:
            message = rf'\(scatter_?\) .*axis should be in \[-2, 2\).*{axis}'
            self.check(IndexError, message, axis=axis)
        for axis in [1.0, True, '0']:
            self.check(TypeError, r'scatter_?\b.* axis ', axis=axis)
        for reduce in ['max', 'assign', '', 0, None]:
            message = 'value of reduce should be one of sum, add, mul'
            self.check(ValueError, message, reduce=reduce)
        for name in ['overwrite', 'include_self']:
            message = rf'\(scatter_?\) The type of {name} should be bool'
            self.check(TypeError, message, **{name: 1})
        self.check(TypeError, 'unexpected keyword', alpha=1)
        x = paddle.zeros([])
        self.check(ValueError, 'x|updates', x=x, updates=x)

    def test_unsupported_dtypes_raise(self):
        wrong = [('complex64', 'amax'), ('complex64', 'amin')]
        wrong += product(['bool'], ['mul', 'mean', 'amax', 'amin'])
        for dtype, reduce in wrong:
            x = paddle.zeros([4, 3], dtype)
            options = {'overwrite': False, 'reduce': reduce}
            message = f"reduce '{reduce}', but received {dtype}"
            self.check(ValueError, message, x=x, updates=x[:2], **options)

    def test_ignored_arguments_warn(self):
        args = paddle.to_tensor([1, 1]), paddle.to_tensor([2.0, 4.0])
        for function in FUNCTIONS:
            for name, value in [('include_self', True), ('reduce', 'mean')]:
                message = f'{function.__name__}.*{name}={value!r} is ignored'
                with self.assertWarnsRegex(UserWarning, message):
                    out = function(paddle.ones([2]), *args, **{name: value})
                self.assertEqual(out.tolist(), [1, 4])
            with self.assertWarnsRegex(UserWarning, "Pass reduce='mean'"):
                out = function(paddle.ones([2]), *args, False, 'mean')
            self.assertEqual(out.tolist(), [1, 6])
            with warnings.catch_warnings():
                warnings.simplefilter('error')
                function(paddle.zeros([2]), *args, False, 'name')
                function(paddle.zeros([1, 2]), args[0], args[1][None], axis=1)
                for options in CALLS:
                    function(paddle.zeros([2]), *args, **options)

    @mock.patch('paddle.tensor.manipulation._has_scatter_kernels')
    def test_devices_without_kernels(self, has_scatter_kernels):
        has_scatter_kernels.return_value = False
        tensors = paddle.zeros([2]), paddle.to_tensor([1]), paddle.ones([1])
        for function in FUNCTIONS:
            function(*tensors, False)
            with self.assertWarns(UserWarning):
                function(*tensors, reduce='mean')
            message = rf'\({function.__name__}\) .*axis, reduce and include_'
            with self.assertRaisesRegex(NotImplementedError, message):
                function(*tensors, False, include_self=True)

    def test_missing_arguments_raise(self):
        x = index = paddle.zeros([2], 'int64')
        for function in FUNCTIONS:
            message = 'Too few arguments in the function call: 1, 0'
            with self.assertRaisesRegex(TypeError, message):
                function(x)
            message = rf"^{function.__name__}\(\) missing .*'updates'$"
            with self.assertRaisesRegex(TypeError, message):
                function(x, index)


if __name__ == '__main__':
    unittest.main()
