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

from op_table_graph import static_mode

import paddle


class TestSelectScatterIndexOutOfRange(unittest.TestCase):
    """It used to return x as it was, without a word."""

    bounds = (
        ([3, 4], 0, 3),
        ([3, 4], 0, -4),
        ([3, 4], 1, 4),
        ([3, 4], -1, -5),
        ([3], 0, 1 << 40),
        ([3], 0, -(1 << 40)),
        ([3, 0], 1, 0),
        ([3, 0], 1, -1),
    )

    def test_error_names_index_axis_and_size(self):
        for shape, axis, index in self.bounds:
            size = shape[axis]
            values = paddle.zeros([n for n in shape if n != size])
            with self.subTest(shape=shape, axis=axis, index=index):
                with self.assertRaisesRegex(
                    IndexError,
                    rf'select_scatter: index must be in \[{-size}, {size}\) .*'
                    rf'axis {axis} .*size {size}.*received {index}\.',
                ):
                    paddle.select_scatter(
                        paddle.zeros(shape), values, axis, index
                    )

    def test_error_while_a_static_graph_is_built(self):
        for known, index in (([3, 4], 3), ([3, -1], -4)):
            with static_mode(), self.subTest(shape=known):
                with paddle.static.program_guard(paddle.static.Program()):
                    x = paddle.static.data('x', known, 'float32')
                    values = paddle.static.data('v', [4], 'float32')
                    with self.assertRaisesRegex(IndexError, 'index must be'):
                        paddle.select_scatter(x, values, 0, index)

    def test_error_of_the_op_itself(self):
        for index in (3, -4):
            with self.assertRaisesRegex(
                IndexError, rf'\(select_scatter\) index .*it is {index}'
            ):
                paddle._C_ops.select_scatter(
                    paddle.zeros([3, 4]), paddle.zeros([4]), 0, index
                )


class TestSelectScatterAxisOutOfRange(unittest.TestCase):
    """It used to say only "list assignment index out of range"."""

    def test_error_names_axis_and_rank(self):
        for rank, axis in ((2, 2), (2, -3), (1, 1), (3, 1 << 40)):
            x, values = paddle.zeros([2] * rank), paddle.zeros([2] * (rank - 1))
            with self.subTest(rank=rank, axis=axis):
                with self.assertRaisesRegex(
                    IndexError,
                    rf'select_scatter: axis .*\[{-rank}, {rank}\).*'
                    rf'{rank} dims.*received {axis}\.',
                ):
                    paddle.select_scatter(x, values, axis, 0)

    def test_x_without_dims(self):
        with self.assertRaisesRegex(IndexError, 'axis .*0 dims'):
            paddle.select_scatter(paddle.zeros([]), paddle.zeros([]), 0, 0)

    def test_error_of_the_op_itself(self):
        with self.assertRaisesRegex(ValueError, r'\(select_scatter\) axis'):
            paddle._C_ops.select_scatter(
                paddle.zeros([3, 4]), paddle.zeros([4]), 2, 0
            )


class TestSelectScatterWrongValues(unittest.TestCase):
    shapes = (
        ([3, 4], [3], 0),
        ([3, 4], [4], 1),
        ([3, 4], [1, 4], 0),
        ([3, 4], [], 0),
        ([3, 4], [1], 0),
        ([3], [1], 0),
        ([3], [3], 0),
        ([2, 3, 4], [4, 2], 1),
        ([0, 4], [3], 0),
    )

    def test_shape_is_a_runtime_error_that_names_both(self):
        for x_shape, shape, axis in self.shapes:
            wanted = list(x_shape)
            del wanted[axis]
            text = f'{wanted}, but received {shape}.'
            with self.subTest(x=x_shape, values=shape):
                with self.assertRaises(RuntimeError) as caught:
                    paddle.select_scatter(
                        paddle.zeros(x_shape), paddle.zeros(shape), axis, 0
                    )
                self.assertIn('select_scatter: values', str(caught.exception))
                self.assertIn(text, str(caught.exception))

    def test_known_dims_are_checked_while_a_static_graph_is_built(self):
        for x_shape, shape in (
            ([-1, 4], [3]),
            ([-1, 4, -1], [-1, -1, -1]),
            ([-1, 4, 2], [-1, 3]),
        ):
            with static_mode(), self.subTest(x=x_shape, values=shape):
                with paddle.static.program_guard(paddle.static.Program()):
                    x = paddle.static.data('x', x_shape, 'float32')
                    values = paddle.static.data('v', shape, 'float32')
                    with self.assertRaises(RuntimeError):
                        paddle.select_scatter(x, values, 0, 0)

    def test_shape_and_dtype_errors_of_the_op_itself(self):
        x = paddle.zeros([3, 4])
        with self.assertRaisesRegex(ValueError, r'shape of values .*\[4\]'):
            paddle._C_ops.select_scatter(x, paddle.zeros([3]), 0, 0)
        with self.assertRaisesRegex(ValueError, 'dtype of values'):
            paddle._C_ops.select_scatter(x, paddle.zeros([4], 'int32'), 0, 0)

    def test_missing_index(self):
        with self.assertRaisesRegex(TypeError, 'index'):
            paddle.select_scatter(paddle.zeros([3, 4]), paddle.zeros([4]), 0)


if __name__ == '__main__':
    unittest.main()
