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
"""Wrong calls of paddle.masked_scatter: which exception, and what it says."""

import unittest

import numpy as np
from masked_cases import MISFITS, TOO_LARGE
from op_table_graph import run_program, static_mode
from scatter_test_utils import ALL_DTYPES, assert_same_bits

import paddle

FUNCTIONS = (paddle.masked_scatter, paddle.masked_scatter_)


class TestMaskedScatterErrors(unittest.TestCase):
    def check(self, exception, pattern, **changed):
        """Of both functions; x stays as it was."""
        arguments = {
            'x': paddle.zeros([2, 3]),
            'mask': paddle.ones([2, 3], 'bool'),
            'value': paddle.ones([6]),
            **changed,
        }
        x = arguments['x']
        for function in FUNCTIONS:
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(exception, pattern):
                    function(**arguments)
                if isinstance(x, paddle.Tensor):
                    self.assertEqual(float(x.astype('float64').sum()), 0)
                    self.assertEqual(x.inplace_version, 0)

    def test_too_few_values_name_both_counts(self):
        for needed in (1, 3, 100, 5000, 300000):
            mask = np.arange(2 * needed).reshape(2, needed) < needed
            for dtype in ALL_DTYPES if needed == 100 else ('float32',):
                self.check(
                    AssertionError,
                    rf'(?s)masked_scatter.*\b{needed}\b.*\b{needed - 1}\b',
                    x=paddle.zeros([2, needed], dtype),
                    mask=paddle.to_tensor(mask),
                    value=paddle.ones([needed - 1], dtype),
                )

    def test_value_is_not_broadcast(self):
        for shape in ([], [1], [3], [1, 3]):
            self.check(AssertionError, r'\b6\b', value=paddle.ones(shape))

    def test_too_few_values_under_broadcasting_and_with_gradients(self):
        x, value = paddle.zeros([2, 3]) * 1, paddle.ones([3])
        x.stop_gradient = value.stop_gradient = False
        mask = paddle.to_tensor([True, False, True])
        for function in FUNCTIONS:
            with self.assertRaisesRegex(AssertionError, r'\b4\b'):
                function(x * 1, mask, value)
        # the next call is right
        out = paddle.masked_scatter(x, mask, paddle.arange(4.0))
        self.assertEqual(out.tolist(), [[0.0, 0.0, 1.0], [2.0, 0.0, 3.0]])

    def test_in_place_error_leaves_the_base_of_a_view(self):
        base = paddle.zeros([6, 8])
        with self.assertRaisesRegex(AssertionError, r'\b24\b'):
            base[:, ::2].masked_scatter_(
                paddle.ones([6, 4], 'bool'), paddle.ones([23])
            )
        self.assertEqual(float(base.sum()), 0.0)

    def test_mask_of_another_dtype(self):
        for dtype in ('uint8', 'int32', 'int64', 'float32', 'bfloat16'):
            self.check(
                AssertionError,
                rf'masked_scatter_?: mask .*paddle.bool.*paddle.{dtype}',
                mask=paddle.ones([2, 3], dtype),
            )

    def test_value_of_another_dtype(self):
        for dtype in ('float16', 'float64', 'int32', 'bool', 'complex64'):
            self.check(
                AssertionError,
                rf'value .*dtype of x.*paddle.float32.*paddle.{dtype}',
                value=paddle.ones([6], dtype),
            )

    def test_arguments_that_are_no_tensors(self):
        for name in ('x', 'mask', 'value'):
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
            self.check(
                ValueError,
                'broadcast',
                x=paddle.zeros(x_shape),
                mask=paddle.zeros(mask_shape, 'bool'),
            )

    def test_mask_larger_than_x_in_place(self):
        for x_shape, mask_shape in TOO_LARGE:
            x = paddle.zeros(x_shape)
            with self.subTest(x=x_shape, mask=mask_shape):
                with self.assertRaisesRegex(
                    ValueError,
                    'masked_scatter_: mask must be broadcastable to the shape',
                ):
                    x.masked_scatter_(
                        paddle.ones(mask_shape, 'bool'), paddle.ones([24])
                    )
                assert_same_bits(x, np.zeros(x_shape, 'float32'))
                self.assertEqual(x.inplace_version, 0)


class TestMaskedScatterProgramErrors(unittest.TestCase):
    def test_while_building(self):
        for changed, exception in (
            ({'mask': ([2, 3], 'int32')}, AssertionError),
            ({'value': ([6], 'float64')}, AssertionError),
            ({'mask': ([2, 2], 'bool')}, ValueError),
        ):
            specs = {
                'x': ([2, 3], 'float32'),
                'mask': ([2, 3], 'bool'),
                'value': ([6], 'float32'),
                **changed,
            }
            with (
                self.subTest(changed=changed),
                static_mode(),
                paddle.static.program_guard(paddle.static.Program()),
            ):
                data = {
                    name: paddle.static.data(name, *spec)
                    for name, spec in specs.items()
                }
                with self.assertRaises(exception):
                    paddle.masked_scatter(**data)
                for wrong in (None, [1.0, 2.0], np.zeros(6, 'float32')):
                    with self.assertRaises(TypeError):
                        paddle.masked_scatter(data['x'], data['mask'], wrong)

    def test_while_running(self):
        for sizes, exception, pattern in (
            ((9, 9, 8), IndexError, r'\b9\b(.|\n)*\b8\b'),
            ((4, 3, 4), ValueError, 'broadcast'),
        ):
            arrays = {
                'x': np.zeros(sizes[0], 'float32'),
                'mask': np.ones(sizes[1], 'bool'),
                'value': np.ones(sizes[2], 'float32'),
            }
            with self.subTest(sizes=sizes), static_mode():
                with self.assertRaisesRegex(exception, pattern):
                    run_program(
                        lambda data: [paddle.masked_scatter(**data)],
                        arrays,
                        known_dims=False,
                    )


if __name__ == '__main__':
    unittest.main()
