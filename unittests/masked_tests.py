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
"""What masked_scatter and masked_fill must do alike, beside their tables."""

import contextlib
from unittest import mock

import numpy as np
from masked_cases import kinds_of_masks
from op_table import Case
from op_table_graph import (
    GrowingTests,
    LateErrorTests,
    run_program,
    static_mode,
)
from scatter_test_utils import (
    INT_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    sum_to_shape,
    to_paddle,
    to_storage,
)

import paddle
from paddle.tensor import manipulation

# One for each size of an element.
DTYPE_OF_SIZE = ('int8', 'float16', 'float32', 'float64', 'complex128')
# Around the lanes of a vector, the bytes that a count takes, and the tiles.
LENGTHS = (
    *(1, 3, 7, 8, 9, 15, 17, 31, 32, 33, 63, 65, 129, 257),
    *(4095, 4097, 65537),
)


@contextlib.contextmanager
def new_program():
    with (
        static_mode(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        yield


def mask_of_any_bytes(rng, mask):
    """A bool Tensor whose Trues are bytes of 1 to 255, as a view may make them."""
    bytes_of_true = rng.integers(1, 256, mask.shape, 'uint8')
    tensor = paddle.to_tensor(np.where(mask, bytes_of_true, 0).astype('uint8'))
    return tensor.view('bool')


class LengthTests:
    """At every length; a TestCase sets op and defines value_shapes(where) and
    value_grad(where, out_grad, value_shape) of the broadcast mask."""

    op = None

    def check(self, dtype, x_shape, mask):
        rng = np.random.default_rng(15)
        where = np.broadcast_to(mask, np.broadcast_shapes(x_shape, mask.shape))
        x = random_array(rng, x_shape, dtype)
        for value_shape in self.value_shapes(where):
            value = random_array(rng, value_shape, dtype)
            tensors = (
                to_paddle(x),
                mask_of_any_bytes(rng, mask),
                to_paddle(value),
            )
            out = self.op.function(*tensors)
            expected = self.op.reference(x, mask, value)
            assert_same_bits(out, expected)
            if where.shape == x_shape:
                out = self.op.inplace(tensors[0].clone(), *tensors[1:])
                assert_same_bits(out, expected)
            self.check_gradients(dtype, where, *tensors)

    def check_gradients(self, dtype, where, x, mask, value):
        """Of whole numbers, whose sums are exact and fit float16, or wrap."""
        x.stop_gradient = value.stop_gradient = False
        out = self.op.function(x, mask, value)
        out_grad = np.arange(out.size).reshape(out.shape) % 3
        found = paddle.grad(
            [out], [x, value], [to_paddle(to_storage(out_grad, dtype))]
        )
        kept = sum_to_shape(np.where(where, 0, out_grad), x.shape)
        taken = self.value_grad(where, out_grad, value.shape)
        for grad, expected in zip(found, (kept, taken)):
            assert_same_bits(grad, to_storage(expected, dtype))

    def test_lengths_around_the_lanes(self):
        rng = np.random.default_rng(16)
        for dtype in sorted({*DTYPE_OF_SIZE, *INT_DTYPES}):
            for length in LENGTHS:
                for kind, mask in kinds_of_masks(rng, (length,)):
                    with self.subTest(dtype=dtype, length=length, mask=kind):
                        self.check(dtype, (length,), mask)

    def test_every_mask_of_eight_elements(self):
        # which kernels look up in a table
        patterns = np.arange(256, dtype=np.uint8)[:, None]
        mask = np.unpackbits(patterns, axis=1).astype(bool)
        for dtype in DTYPE_OF_SIZE:
            with self.subTest(dtype=dtype):
                self.check(dtype, (2048,), mask.reshape(-1))

    def test_broadcast_rows_of_many_lengths(self):
        rng = np.random.default_rng(17)
        for dtype in DTYPE_OF_SIZE:
            for row in (1, 3, 8, 9, 33, 4097):
                rows = 30000 // row
                for x_shape, mask_shape in (
                    ((rows, row), (1, row)),
                    ((rows, row), (rows, 1)),
                    ((3, rows, row), (3, 1, row)),
                    ((1, row), (rows, row)),
                    ((rows, 1), (rows, row)),
                ):
                    mask = random_mask(rng, mask_shape)
                    with self.subTest(dtype=dtype, x=x_shape, mask=mask_shape):
                        self.check(dtype, x_shape, mask)


class MemoryTests:
    """A TestCase sets op and `views`: what value may be of a square x."""

    op = None
    views = {}

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(9)

    def both_forms(self, x, mask, value, expected):
        """Each gets x, mask and value from functions, made anew."""
        for function in (self.op.function, self.op.inplace):
            with self.subTest(function=function.__name__):
                tensor = x()
                out = function(tensor, mask(tensor), value(tensor))
                assert_same_bits(out, expected)

    def test_value_is_a_view_of_x(self):
        array = random_array(self.rng, (30, 30), 'float64')
        mask = random_mask(self.rng, (30, 30), 0.4)
        for name, view in self.views.items():
            with self.subTest(value=name):
                self.both_forms(
                    lambda: to_paddle(array),
                    lambda x: to_paddle(mask),
                    view,
                    self.op.reference(array, mask, view(array)),
                )

    def test_bool_x_is_its_own_mask(self):
        array = random_mask(self.rng, (40, 40))
        value = random_mask(self.rng, (40, 40))
        for rows in (slice(None), slice(0, 1)):
            self.both_forms(
                lambda: to_paddle(array),
                lambda x, rows=rows: x[rows],
                lambda x: to_paddle(value),
                self.op.reference(array, array[rows], value),
            )

    def test_bool_x_and_mask_are_shifted_views_of_one_buffer(self):
        array = random_mask(self.rng, (5000,))
        value = random_mask(self.rng, (4999,))
        for x, mask in ((np.s_[1:], np.s_[:-1]), (np.s_[:-1], np.s_[1:])):
            buffer = to_paddle(array)
            self.op.inplace(buffer[x], buffer[mask], to_paddle(value))
            expected = self.op.reference(array[x], array[mask], value)
            assert_same_bits(buffer[x], expected)

    def test_inputs_read_the_same_memory_many_times(self):
        line = random_array(self.rng, (12,), 'int32')
        mask_line = random_mask(self.rng, (12,))
        for strides in ([1, 1], [0, 1], [0, 0]):
            x, mask, value = (
                paddle.as_strided(to_paddle(a), [6, 7], strides)
                for a in (line, mask_line, line[::-1])
            )
            expected = self.op.reference(x.numpy(), mask.numpy(), value.numpy())
            with self.subTest(strides=strides):
                assert_same_bits(self.op.function(x, mask, value), expected)

    def test_in_place_in_a_part_of_a_base(self):
        array = random_array(self.rng, (6, 8), 'float32')
        for part in (
            np.s_[2:5],
            np.s_[:, 1:6],
            np.s_[:, ::2],
            np.s_[3],
            np.s_[:, 3],
        ):
            base, expected = to_paddle(array), array.copy()
            mask = random_mask(self.rng, array[part].shape)
            value = random_array(self.rng, array[part].shape, 'float32')
            expected[part] = self.op.reference(array[part], mask, value)
            self.op.inplace(base[part], to_paddle(mask), to_paddle(value))
            with self.subTest(part=part):
                assert_same_bits(base, expected)


def misfits(*rows):
    """late_errors: of three shapes that fit, another one for an input."""
    fitting = {'x': (2, 3), 'mask': np.ones((2, 3), bool), 'value': (2, 3)}
    return [
        ((ValueError, IndexError), text, {**fitting, name: given}, {})
        for name, given, text in rows
    ]


class AutogradTests:
    op = None

    def test_half_types_are_summed_in_single_precision(self):
        for dtype in ('float16', 'bfloat16'):
            for shape, row in (([4096], [1]), ([4096, 2], [1, 2])):
                x = paddle.zeros(row, dtype)
                x.stop_gradient = False
                mask = paddle.zeros(shape, 'bool')
                out = self.op.function(x, mask, paddle.zeros(shape, dtype))
                out.backward(paddle.ones(shape, dtype))
                # a half sum of ones stands still at 2048, or 256
                with self.subTest(dtype=dtype, x=row):
                    found = x.grad.astype('float32').flatten().tolist()
                    self.assertEqual(found, [4096.0] * row[-1])

    def test_masked_gradients_never_reach_x_even_if_not_finite(self):
        x = paddle.to_tensor([0.0], stop_gradient=False)
        mask = paddle.to_tensor([True, False, True, False])
        out = self.op.function(x, mask, paddle.ones([4]))
        out.backward(paddle.to_tensor([np.nan, 3.0, np.inf, 4.0]))
        self.assertEqual(x.grad.tolist(), [7.0])

    def test_backward_reads_the_mask_again_and_nothing_else(self):
        leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        mask = paddle.to_tensor([True, False])
        x, value = leaf * 1, leaf * 10
        out = self.op.function(x, mask, value)
        x.zero_()
        value.zero_()
        (grad,) = paddle.grad([out], [leaf], retain_graph=True)
        self.assertEqual(grad.tolist(), [10.0, 1.0])
        mask.fill_(False)
        with self.assertRaisesRegex(RuntimeError, 'tensor_version:1'):
            out.backward(paddle.ones([2]))


def half_true(shape):
    return random_mask(np.random.default_rng(3), shape)


class BuildingTests(GrowingTests):
    """What a program knows of shapes before it runs, and that it may not."""

    # of two dims that look alike, a pass writes a gradient into another
    growing_dims = -1, 8
    growing_cases = [
        [
            Case('', {'x': x, 'mask': half_true(mask), 'value': value})
            for x, mask, value in (
                ((3, 8), (3, 8), (3, 8)),
                ((5, 8), (1, 8), (5, 8)),
                ((1, 8), (4, 8), (4, 8)),
                ((0, 8), (1, 8), (0, 8)),
            )
        ]
    ]

    def test_shape(self):
        for x, mask, expected in (
            ([2, 3], [3], [2, 3]),
            ([3], [2, 3], [2, 3]),
            ([2, 1], [1, 3], [2, 3]),
            ([-1, 3], [-1, 3], [-1, 3]),
            ([-1, 3], [1, 3], [-1, 3]),
            ([-1, 3], [4, 1], [4, 3]),
            ([1, 3], [-1, 3], [-1, 3]),
            ([4, 3], [-1, 3], [4, 3]),
            ([], [], []),
            ([], [-1], [-1]),
        ):
            with self.subTest(x=x, mask=mask), new_program():
                out = self.op.function(
                    paddle.static.data('x', x, 'float16'),
                    paddle.static.data('mask', mask, 'bool'),
                    paddle.static.data(
                        'value', [-1] * len(expected), 'float16'
                    ),
                )
                self.assertEqual(list(out.shape), expected)
                self.assertEqual(out.dtype, paddle.float16)

    def test_in_place_form_is_the_copy(self):
        def build(variables):
            with self.assertWarnsRegex(UserWarning, 'static graph'):
                return [self.op.inplace(**variables), variables['x']]

        rng = np.random.default_rng(4)
        arrays = {
            'x': random_array(rng, (5, 7), 'float32'),
            'mask': random_mask(rng, (5, 7)),
            'value': random_array(rng, (5, 7), 'float32'),
        }
        with static_mode():
            out, x = run_program(build, arrays)
        assert_same_bits(out, self.op.reference(**arrays))
        assert_same_bits(x, arrays['x'])


class ErrorTests(LateErrorTests):
    """Wrong calls of both forms that both operators refuse alike."""

    known_dims_of_late_errors = True, False

    def check(self, exception, pattern, functions=None, **changed):
        """x stays as it was."""
        arguments = {
            'x': paddle.zeros([2, 3]),
            'mask': paddle.ones([2, 3], 'bool'),
            'value': paddle.ones([2, 3]),
            **changed,
        }
        x = arguments['x']
        for function in functions or (self.op.function, self.op.inplace):
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(exception, pattern):
                    function(**arguments)
                if isinstance(x, paddle.Tensor):
                    zeros = np.zeros(x.shape)
                    np.testing.assert_array_equal(x.astype('float64'), zeros)
                    self.assertEqual(x.inplace_version, 0)

    def test_leaf_is_refused_before_the_operator_writes(self):
        # the generated code of an operator writes before it refuses a leaf
        name = f'{self.op.name}_'
        operator = mock.Mock(side_effect=AssertionError('called'))
        with mock.patch.object(manipulation._C_ops, name, operator):
            x = paddle.zeros([2, 3])
            x.stop_gradient = False
            text = rf"\({name}\) Leaf Var .* doesn't stop gradient"
            self.check(ValueError, text, [self.op.inplace], x=x)
        operator.assert_not_called()

    def test_missing_argument(self):
        for function in (self.op.function, self.op.inplace):
            with self.assertRaisesRegex(TypeError, 'value'):
                function(paddle.zeros([2]), paddle.ones([2], 'bool'))

    def test_shapes_that_do_not_broadcast(self):
        for x_shape, mask_shape in (
            ([2, 3], [2, 2]),
            ([2, 3], [3, 3]),
            ([4], [3]),
            ([2, 3], [4, 1, 2]),
            ([0, 3], [2, 3]),
            ([2, 0], [2, 3]),
        ):
            self.check(
                ValueError,
                'broadcast',
                x=paddle.zeros(x_shape),
                mask=paddle.zeros(mask_shape, 'bool'),
            )

    def test_mask_larger_than_x_in_place(self):
        for x_shape, mask_shape in (
            ([3], [2, 3]),
            ([1, 3], [2, 3]),
            ([], [1]),
            ([1], [0]),
            ([2, 1, 3], [2, 4, 3]),
        ):
            self.check(
                ValueError,
                rf'{self.op.name}_\) The shape of mask .*broadcastable to the',
                [self.op.inplace],
                x=paddle.zeros(x_shape),
                mask=paddle.ones(mask_shape, 'bool'),
                value=paddle.ones(np.broadcast_shapes(x_shape, mask_shape)),
            )
