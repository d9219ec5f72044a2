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
"""Gradients of paddle.masked_scatter, first to higher orders."""

import unittest

import numpy as np
from masked_cases import TOLERANCE
from masked_scatter_cases import (
    as_tensors,
    cases,
    reference_masked_scatter_grad,
    torch_broadcast_masked_scatter,
)
from scatter_grad_utils import LastOrderCases
from scatter_test_utils import (
    COMPLEX_DTYPES,
    assert_same_bits,
    compare_gradients_with_torch,
    layouts,
    mask_of_any_bytes,
    out_and_grads,
    random_mask,
    random_numbers,
    requires_torch,
    sum_to_shape,
    to_numbers,
    to_paddle,
    to_torch,
)

import paddle


def out_shape(x_shape, mask):
    return np.broadcast_shapes(x_shape, mask.shape)


class TestMaskedScatterGradValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)

    def run_case(self, dtype, x_shape, mask, value_shape):
        """Gradients and the out_grad they came from."""
        x = random_numbers(self.rng, x_shape, dtype)
        value = random_numbers(self.rng, value_shape, dtype)
        x, mask_tensor, value = as_tensors(x, mask, value)
        x.stop_gradient = value.stop_gradient = False
        out = paddle.masked_scatter(x, mask_tensor, value)
        out_grad = random_numbers(self.rng, out_shape(x_shape, mask), dtype)
        out.backward(to_paddle(out_grad))
        return x.grad, value.grad, out_grad

    def check(self, dtype, x_shape, mask, value_shape):
        x_grad, value_grad, out_grad = self.run_case(
            dtype, x_shape, mask, value_shape
        )
        expected_x, expected_value = reference_masked_scatter_grad(
            x_shape, mask, value_shape, to_numbers(out_grad, dtype)
        )
        for grad, expected in (
            (x_grad, expected_x),
            (value_grad, expected_value),
        ):
            self.assertEqual(str(grad.dtype), 'paddle.' + dtype)
            self.assertEqual(tuple(grad.shape), expected.shape)
            np.testing.assert_allclose(
                to_numbers(grad.numpy(), dtype),
                expected,
                rtol=TOLERANCE[dtype],
                atol=TOLERANCE[dtype],
            )

    def test_every_case_and_dtype_equals_the_plain_loops(self):
        for dtype in TOLERANCE:
            for name, *shapes in cases():
                with self.subTest(dtype=dtype, case=name):
                    self.check(dtype, *shapes)

    def test_true_is_any_byte_but_zero(self):
        shapes = (((50, 60), (50, 60)), ((50, 1), (60,)), ((60,), (50, 1)))
        for x_shape, mask_shape in shapes:
            for dtype in ('float32', 'float16', 'complex128'):
                mask = random_mask(self.rng, mask_shape)
                x = random_numbers(self.rng, x_shape, dtype)
                value = random_numbers(self.rng, (3000,), dtype)
                odd = mask_of_any_bytes(self.rng, mask)
                self.assertGreater(odd.view('uint8').numpy().max(), 1)
                found = out_and_grads(paddle.masked_scatter, x, odd, value)
                wanted = out_and_grads(
                    paddle.masked_scatter, x, to_paddle(mask), value
                )
                for tensor, expected in zip(found, wanted):
                    with self.subTest(x=x_shape, mask=mask_shape, dtype=dtype):
                        assert_same_bits(tensor, expected.numpy())

    def test_gradients_without_a_sum_are_exact(self):
        mask = random_mask(self.rng, (13, 17))
        for dtype in TOLERANCE:
            x_grad, value_grad, out_grad = self.run_case(
                dtype, (13, 17), mask, (15, 20)
            )
            kept = np.where(mask, np.zeros((), out_grad.dtype), out_grad)
            taken = np.zeros((300,), out_grad.dtype)
            taken[: mask.sum()] = out_grad[mask]
            with self.subTest(dtype=dtype):
                assert_same_bits(x_grad, kept)
                assert_same_bits(value_grad, taken.reshape(15, 20))

    def test_half_types_are_summed_in_single_precision(self):
        for dtype in ('float16', 'bfloat16'):
            x = paddle.zeros([1], dtype)
            x.stop_gradient = False
            mask = paddle.zeros([4096], 'bool')
            out = paddle.masked_scatter(x, mask, paddle.zeros([0], dtype))
            out.backward(paddle.ones([4096], dtype))
            # a half sum of ones stands still at 2048, or 256
            with self.subTest(dtype=dtype):
                self.assertEqual(x.grad.astype('float32').tolist(), [4096.0])

    def test_masked_gradients_never_reach_x_even_if_not_finite(self):
        x = paddle.zeros([1])
        x.stop_gradient = False
        mask = paddle.to_tensor([True, False, True])
        out = paddle.masked_scatter(x, mask, paddle.ones([2]))
        out.backward(paddle.to_tensor([np.nan, 3.0, np.inf], 'float32'))
        self.assertEqual(x.grad.tolist(), [3.0])

    def test_gradient_that_is_not_contiguous(self):
        mask = random_mask(self.rng, (6, 5, 7))
        array = random_numbers(self.rng, (6, 5, 7), 'float32')
        expected = reference_masked_scatter_grad((6, 5, 7), mask, (210,), array)
        for layout, out_grad in layouts(array):
            x, value = paddle.zeros([6, 5, 7]), paddle.zeros([210])
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_scatter(x, to_paddle(mask), value)
            grads = paddle.grad([out], [x, value], [out_grad])
            with self.subTest(layout=layout):
                for grad, wanted in zip(grads, expected):
                    assert_same_bits(grad, wanted)

    def test_inputs_that_are_not_contiguous(self):
        mask = random_mask(self.rng, (6, 5, 7))
        x_array = random_numbers(self.rng, (6, 5, 7), 'float32')
        expected = reference_masked_scatter_grad(
            (6, 5, 7), mask, (6, 5, 7), np.ones((6, 5, 7), 'float32')
        )
        triples = zip(layouts(x_array), layouts(mask), layouts(x_array))
        for (layout, x), (_, strided_mask), (_, value) in triples:
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_scatter(x, strided_mask, value)
            with self.subTest(layout=layout):
                grads = paddle.grad(out.sum(), [x, value])
                for grad, wanted in zip(grads, expected):
                    assert_same_bits(grad, wanted)

    def test_row_mask_on_many_rows(self):
        mask = random_mask(self.rng, (1, 300))
        self.check('float64', (70, 300), mask, (21000,))
        self.check('float64', (1, 300), np.resize(mask, (40, 300)), (12000,))


class TestMaskedScatterHigherOrders(unittest.TestCase):
    @requires_torch
    def setUp(self):
        self.rng = np.random.default_rng(4)

    def compare(self, order, x_shape, mask, value_shape):
        arrays = [random_numbers(self.rng, s) for s in (x_shape, value_shape)]
        compare_gradients_with_torch(
            lambda x, v: paddle.masked_scatter(x, to_paddle(mask), v),
            lambda x, v: torch_broadcast_masked_scatter(x, to_torch(mask), v),
            arrays,
            order,
        )

    def test_first_and_second_order_equal_torch(self):
        for name, *shapes in cases():
            with self.subTest(case=name):
                self.compare(2, *shapes)

    def test_second_order_with_only_one_input_to_differentiate(self):
        mask = random_mask(self.rng, (6, 7))
        other = random_numbers(self.rng, (6, 7))
        compare_gradients_with_torch(
            lambda x: paddle.masked_scatter(
                x, to_paddle(mask), to_paddle(other)
            ),
            lambda x: x.masked_scatter(to_torch(mask), to_torch(other)),
            [random_numbers(self.rng, (6, 7))],
        )
        compare_gradients_with_torch(
            lambda v: paddle.masked_scatter(
                to_paddle(other), to_paddle(mask), v
            ),
            lambda v: to_torch(other).masked_scatter(to_torch(mask), v),
            [random_numbers(self.rng, (50,))],
        )

    def test_second_order_through_one_gradient_only(self):
        mask = random_mask(self.rng, (4, 5))
        for used in (0, 1):
            x = to_paddle(random_numbers(self.rng, (4, 5)))
            value = to_paddle(random_numbers(self.rng, (20,)))
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_scatter(x, to_paddle(mask), value)
            out_grad = paddle.ones([4, 5], 'float64')
            out_grad.stop_gradient = False
            grads = paddle.grad(
                [out], [x, value], [out_grad], create_graph=True
            )
            (second,) = paddle.grad(grads[used].sum(), [out_grad])
            expected = mask if used else ~mask
            with self.subTest(used=used):
                assert_same_bits(second, expected.astype('float64'))

    def test_complex_gradients_equal_torch(self):
        mask = random_mask(self.rng, (5, 7))
        for dtype in COMPLEX_DTYPES:
            arrays = [random_numbers(self.rng, (5, 7), dtype) for _ in '123']
            x, value, out_grad = map(to_paddle, arrays)
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_scatter(x, to_paddle(mask), value)
            ours = paddle.grad([out], [x, value], [out_grad])
            tx, tv = (to_torch(a, requires_grad=True) for a in arrays[:2])
            tx.masked_scatter(to_torch(mask), tv).backward(to_torch(arrays[2]))
            with self.subTest(dtype=dtype):
                assert_same_bits(ours[0], tx.grad.numpy())
                assert_same_bits(ours[1], tv.grad.numpy())


class TestMaskedScatterGradSums(unittest.TestCase):
    """sum_to_shape, which the reference leans on, against Paddle's own sum."""

    def test_equals_the_gradient_of_expand(self):
        for shape in ((), (1,), (5, 1), (1, 7), (5, 7), (1, 5, 1)):
            x = paddle.zeros(shape, 'float64')
            x.stop_gradient = False
            array = np.arange(35.0).reshape(1, 5, 7)
            x.expand([1, 5, 7]).backward(to_paddle(array))
            assert_same_bits(x.grad, sum_to_shape(array, shape))


def second_order_arrays(x_shape, mask_shape, value_size):
    rng = np.random.default_rng(7)
    return {
        'x': rng.standard_normal(x_shape),
        'mask': rng.random(mask_shape) < 0.5,
        'value': rng.standard_normal(value_size),
    }


def masked_scatter(x, mask, value):
    return paddle.masked_scatter(x, mask, value)


class TestMaskedScatterSecondOrder(LastOrderCases, unittest.TestCase):
    cases = {
        'both': (
            masked_scatter,
            second_order_arrays([4, 5], [4, 5], 20),
            'x value',
        ),
        'x': (masked_scatter, second_order_arrays([4, 5], [4, 5], 20), 'x'),
        'value': (
            masked_scatter,
            second_order_arrays([4, 5], [4, 5], 20),
            'value',
        ),
        'row mask': (
            masked_scatter,
            second_order_arrays([4, 5], [5], [4, 5]),
            'x value',
        ),
        'wide mask': (
            masked_scatter,
            second_order_arrays([5], [4, 5], [4, 5]),
            'x value',
        ),
        '0-D': (masked_scatter, second_order_arrays([], [], 1), 'x value'),
        'nothing': (
            masked_scatter,
            second_order_arrays([0, 3], [3], 0),
            'x value',
        ),
    }


if __name__ == '__main__':
    unittest.main()
