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
"""Wrong calls of paddle.masked_fill: which exception, and what it says.

Numbers that it refuses are in test_masked_fill_values_numbers.py.
"""

import unittest

import numpy as np
from masked_cases import MISFITS, TOO_LARGE
from op_table_graph import run_program, static_mode
from scatter_test_utils import ALL_DTYPES

import paddle

FUNCTIONS = (paddle.masked_fill, paddle.masked_fill_)


class TestMaskedFillErrors(unittest.TestCase):
    def check(self, exception, pattern, functions=FUNCTIONS, **changed):
        """x stays as it was."""
        arguments = {
            'x': paddle.zeros([2, 3]),
            'mask': paddle.ones([2, 3], 'bool'),
            'value': paddle.ones([3]),
            **changed,
        }
        x = arguments['x']
        for function in functions:
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(exception, pattern):
                    function(**arguments)
                if isinstance(x, paddle.Tensor):
                    self.assertEqual(float(x.sum()), 0)
                    self.assertEqual(x.inplace_version, 0)

    def test_complex_value(self):
        for shape in ([3], [], [1]):
            self.check(
                ValueError,
                'masked_fill_?: value must not be complex.*float32.*complex64',
                value=paddle.ones(shape, 'complex64'),
            )

    def test_value_with_a_shape_of_its_own(self):
        for shape in ([2], [4], [3, 3], [1, 2, 3], [2, 2, 3], [3, 1], [0]):
            self.check(
                ValueError, 'value must broadcast', value=paddle.ones(shape)
            )

    def test_value_may_not_enlarge_the_result(self):
        for shape in ([3, 2], [1, 2], [2, 1, 1], [1, 3, 1]):
            self.check(
                ValueError,
                'value',
                x=paddle.zeros([3, 1]),
                mask=paddle.ones([1], 'bool'),
                value=paddle.ones(shape),
            )

    def test_arguments_that_are_no_tensors(self):
        for name in ('x', 'mask'):
            for wrong in (None, 1.0, [[1.0] * 3] * 2, np.ones((2, 3), bool)):
                self.check(
                    TypeError,
                    f'{name} must be a Tensor.*{type(wrong).__name__}',
                    **{name: wrong},
                )

    def test_missing_argument(self):
        for function in FUNCTIONS:
            with self.assertRaisesRegex(TypeError, 'value'):
                function(paddle.zeros([2]), paddle.ones([2], 'bool'))

    def test_shapes_that_do_not_broadcast(self):
        for x_shape, mask_shape in MISFITS:
            for value in (1.0, paddle.ones([])):
                self.check(
                    ValueError,
                    'broadcast',
                    x=paddle.zeros(x_shape),
                    mask=paddle.zeros(mask_shape, 'bool'),
                    value=value,
                )

    def test_mask_larger_than_x_in_place(self):
        for x_shape, mask_shape in TOO_LARGE:
            for value in (1.0, paddle.ones([])):
                x = paddle.zeros(x_shape)
                self.check(
                    ValueError,
                    'masked_fill_: mask must be broadcastable to the shape',
                    [paddle.masked_fill_],
                    x=x,
                    mask=paddle.ones(mask_shape, 'bool'),
                    value=value,
                )
                self.assertEqual(x.shape, x_shape)

    def test_operator_takes_bool_masks_and_values_of_the_dtype_of_x_only(self):
        # the function casts; a mask read as if it were bool would be garbage
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 3], 'bool')
        for dtype in ALL_DTYPES:
            with self.subTest(dtype=dtype):
                if dtype != 'bool':
                    with self.assertRaises(ValueError):
                        paddle._C_ops.masked_fill(x, mask.astype(dtype), x)
                if dtype != 'float32':
                    with self.assertRaises(ValueError):
                        paddle._C_ops.masked_fill(x, mask, x.astype(dtype))


class TestMaskedFillProgramErrors(unittest.TestCase):
    def run_wrong(self, known_dims, **changed):
        arrays = {
            'x': np.zeros((2, 3), 'float32'),
            'mask': np.ones((2, 3), 'bool'),
            'value': np.ones((2, 3), 'float32'),
            **changed,
        }
        with static_mode(), self.assertRaises(ValueError):
            run_program(
                lambda data: [paddle.masked_fill(**data)],
                arrays,
                known_dims=known_dims,
            )

    def test_shapes(self):
        for known_dims in (True, False):
            for name, shape in (
                ('mask', (2, 2)),
                ('mask', (4, 3)),
                ('value', (2, 2)),
                ('value', (4, 2, 3)),
            ):
                dtype = 'bool' if name == 'mask' else 'float32'
                with self.subTest(name=name, shape=shape, known=known_dims):
                    self.run_wrong(known_dims, **{name: np.ones(shape, dtype)})

    def test_complex_value(self):
        self.run_wrong(True, value=np.ones(3, 'complex64'))

    def test_shape_of_a_mask_for_a_number_while_building(self):
        with (
            static_mode(),
            paddle.static.program_guard(paddle.static.Program()),
        ):
            x = paddle.static.data('x', [2, 3])
            mask = paddle.static.data('mask', [2, 2], 'bool')
            with self.assertRaisesRegex(ValueError, 'broadcast'):
                paddle.masked_fill(x, mask, 1.0)


if __name__ == '__main__':
    unittest.main()
