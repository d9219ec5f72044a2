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

"""Gradients of paddle.masked_fill, of every order that exists."""

import unittest

import numpy as np
from masked_fill_cases import (
    cases,
    reference_masked_fill_grad,
    torch_masked_fill,
)
from scatter_graph_utils import assert_python_succeeds, static_mode
from scatter_test_utils import (
    COMPLEX_DTYPES,
    OnCpu,
    assert_same_bits,
    layouts,
    mask_of_any_bytes,
    out_and_grads,
    random_mask,
    random_numbers,
    requires_torch,
    to_numbers,
    to_paddle,
    to_torch,
)

import paddle

# of a sum over broadcast axes of at most 143 elements of size 1
TOLERANCE = {
    'float16': 1e-1,
    'bfloat16': 8e-1,
    'float32': 1e-5,
    'float64': 1e-13,
    'complex64': 1e-5,
    'complex128': 1e-13,
}


def differentiable(array):
    return to_paddle(array, stop_gradient=False)


class TestMaskedFillGradValues(OnCpu, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(3)

    def run_case(self, dtype, x_shape, mask, value_shape):
        """Gradients of x and value, and the out_grad they came from."""
        x = differentiable(random_numbers(self.rng, x_shape, dtype))
        value = differentiable(random_numbers(self.rng, value_shape, dtype))
        out = paddle.masked_fill(x, to_paddle(mask), value)
        out_grad = random_numbers(self.rng, out.shape, dtype)
        out.backward(to_paddle(out_grad))
        return x.grad, value.grad, out_grad

    def check(self, dtype, x_shape, mask, value_shape):
        *grads, out_grad = self.run_case(dtype, x_shape, mask, value_shape)
        wanted = reference_masked_fill_grad(
            x_shape, mask, value_shape, to_numbers(out_grad, dtype)
        )
        for grad, expected in zip(grads, wanted):
            self.assertEqual(str(grad.dtype), 'paddle.' + dtype)
            self.assertEqual(tuple(grad.shape), expected.shape)
            np.testing.assert_allclose(
                to_numbers(grad.numpy(), dtype),
                expected,
                rtol=TOLERANCE[dtype],
                atol=TOLERANCE[dtype],
            )

    def test_every_case_and_dtype_equals_the_reference(self):
        for dtype in TOLERANCE:
            for name, *shapes in cases():
                with self.subTest(dtype=dtype, case=name):
                    self.check(dtype, *shapes)

    def test_gradient_of_x_filled_with_a_number(self):
        for name, x_shape, mask, _ in cases():
            array = random_numbers(self.rng, x_shape)
            x, x_of_tensor = differentiable(array), differentiable(array)
            paddle.masked_fill(x, to_paddle(mask), 0.5).sum().backward()
            paddle.masked_fill(
                x_of_tensor, to_paddle(mask), paddle.full([], 0.5, 'float64')
            ).sum().backward()
            with self.subTest(case=name):
                assert_same_bits(x.grad, x_of_tensor.grad.numpy())

    def test_true_is_any_byte_but_zero(self):
        shapes = (((50, 60), (50, 60)), ((50, 1), (60,)), ((60,), (50, 1)))
        for x_shape, mask_shape in shapes:
            for dtype in ('float32', 'float16', 'complex128'):
                mask = random_mask(self.rng, mask_shape)
                x = random_numbers(self.rng, x_shape, dtype)
                value = random_numbers(self.rng, (50, 60), dtype)
                odd = mask_of_any_bytes(self.rng, mask)
                self.assertGreater(odd.view('uint8').numpy().max(), 1)
                found = out_and_grads(paddle.masked_fill, x, odd, value)
                wanted = out_and_grads(
                    paddle.masked_fill, x, to_paddle(mask), value
                )
                for tensor, expected in zip(found, wanted):
                    with self.subTest(x=x_shape, mask=mask_shape, dtype=dtype):
                        assert_same_bits(tensor, expected.numpy())

    def test_gradients_without_a_sum_are_exact(self):
        mask = random_mask(self.rng, (13, 17))
        for dtype in TOLERANCE:
            x_grad, value_grad, out_grad = self.run_case(
                dtype, (13, 17), mask, (13, 17)
            )
            zero = np.zeros((), out_grad.dtype)
            with self.subTest(dtype=dtype):
                assert_same_bits(x_grad, np.where(mask, zero, out_grad))
                assert_same_bits(value_grad, np.where(mask, out_grad, zero))

    def test_gradient_of_a_one_element_value_is_the_masked_sum(self):
        mask = paddle.to_tensor([[True, False] * 2] * 3)
        out_grad = paddle.arange(12, dtype='float32').reshape([3, 4])
        expected = float(out_grad.numpy()[mask.numpy()].sum())
        for shape in ([], [1], [1, 1]):
            value = paddle.ones(shape)
            value.stop_gradient = False
            out = paddle.masked_fill(paddle.zeros([3, 4]), mask, value)
            out.backward(out_grad)
            with self.subTest(shape=shape):
                self.assertEqual(value.grad.shape, shape)
                self.assertEqual(value.grad.item(), expected)

    def test_gradient_of_a_one_element_value_counts_the_trues(self):
        value = paddle.to_tensor([2.0], stop_gradient=False)
        mask = paddle.to_tensor(np.arange(9).reshape(3, 3) != 4)
        paddle.masked_fill(paddle.ones([3, 3]), mask, value).sum().backward()
        self.assertEqual(value.grad.tolist(), [8.0])

    def test_half_types_are_summed_in_single_precision(self):
        for dtype in ('float16', 'bfloat16'):
            value = paddle.zeros([1], dtype)
            value.stop_gradient = False
            mask = paddle.ones([4096], 'bool')
            out = paddle.masked_fill(paddle.zeros([1], dtype), mask, value)
            out.backward(paddle.ones([4096], dtype))
            # a half sum of ones stands still at 2048, or 256
            with self.subTest(dtype=dtype):
                self.assertEqual(value.grad.astype('float32').tolist(), [4096])

    def test_masked_gradients_never_reach_x_even_if_not_finite(self):
        x, value = paddle.zeros([1]), paddle.zeros([1])
        x.stop_gradient = value.stop_gradient = False
        mask = paddle.to_tensor([True, False, True, False])
        out = paddle.masked_fill(x, mask, value)
        out_grad = paddle.to_tensor([np.nan, 3.0, np.inf, 4.0], 'float32')
        out.backward(out_grad)
        self.assertEqual(x.grad.tolist(), [7.0])

    def test_only_the_wanted_gradients_come(self):
        mask = paddle.to_tensor([True, False])
        for wanted in ('x', 'value'):
            tensors = {'x': paddle.zeros([2]), 'value': paddle.ones([2])}
            tensors[wanted].stop_gradient = False
            paddle.masked_fill(mask=mask, **tensors).sum().backward()
            for name, tensor in tensors.items():
                with self.subTest(wanted=wanted, name=name):
                    self.assertEqual(tensor.grad is not None, name == wanted)

    def test_no_gradient_is_recorded_under_no_grad(self):
        x = differentiable(np.zeros(2, 'float32'))
        with paddle.no_grad():
            out = paddle.masked_fill(x, paddle.ones([2], 'bool'), 1.0)
        self.assertTrue(out.stop_gradient)

    def test_gradient_that_is_not_contiguous(self):
        mask = random_mask(self.rng, (6, 5, 7))
        array = random_numbers(self.rng, (6, 5, 7), 'float64')
        expected = reference_masked_fill_grad((6, 5, 7), mask, (5, 7), array)
        for layout, out_grad in layouts(array):
            x = differentiable(np.zeros((6, 5, 7)))
            value = differentiable(np.zeros((5, 7)))
            out = paddle.masked_fill(x, to_paddle(mask), value)
            grads = paddle.grad([out], [x, value], [out_grad])
            with self.subTest(layout=layout):
                for grad, wanted in zip(grads, expected):
                    np.testing.assert_allclose(grad.numpy(), wanted, 1e-14)

    def test_big_sums_do_not_depend_on_the_layout_of_the_work(self):
        mask = random_mask(self.rng, (700, 301))
        self.check('float64', (700, 301), mask, (301,))
        self.check('float64', (301,), mask, (700, 1))
        self.check('float64', (700, 1), mask, (1,))


def orders(function, leaves, grad, order):
    """The gradients of every order, as arrays.

    All gradients of an order are cubed and added up for the next. The cubes
    are products, since Paddle differentiates a power only three times.
    """
    results, level = [], [function(*leaves)]
    for _ in range(order):
        total = sum((t * t * t).sum() * (i + 1) for i, t in enumerate(level))
        level = grad(total, leaves, create_graph=True)
        results += [t.detach().numpy() for t in level]
    return results


class TestMaskedFillHigherOrders(unittest.TestCase):
    @requires_torch
    def setUp(self):
        self.rng = np.random.default_rng(4)

    def compare(self, order, mask, arrays, value=None):
        """Gradients of x and value, or of x alone beside a number."""
        import torch

        number = [] if value is None else [value]
        ours = orders(
            lambda x, *v: paddle.masked_fill(x, to_paddle(mask), *v, *number),
            [differentiable(array) for array in arrays],
            paddle.grad,
            order,
        )
        number = [to_torch(np.float64(v)) for v in number]
        theirs = orders(
            lambda x, *v: torch_masked_fill(x, to_torch(mask), *v, *number),
            [to_torch(array, requires_grad=True) for array in arrays],
            torch.autograd.grad,
            order,
        )
        for actual, wanted in zip(ours, theirs):
            scale = float(np.max(np.abs(wanted), initial=0.0))
            np.testing.assert_allclose(actual, wanted, 1e-11, 1e-11 * scale)

    def test_first_to_third_order_equal_torch(self):
        for name, x_shape, mask, value_shape in cases():
            arrays = [
                random_numbers(self.rng, s) for s in (x_shape, value_shape)
            ]
            with self.subTest(case=name):
                self.compare(3, mask, arrays)

    def test_first_to_third_order_of_a_number_equal_torch(self):
        for name, x_shape, mask, _ in cases():
            with self.subTest(case=name):
                x = random_numbers(self.rng, x_shape)
                self.compare(3, mask, [x], value=0.7)

    def test_complex_gradients_equal_torch(self):
        mask = random_mask(self.rng, (5, 7))
        for dtype in COMPLEX_DTYPES:
            arrays = [random_numbers(self.rng, (5, 7), dtype) for _ in '123']
            x, value = map(differentiable, arrays[:2])
            out = paddle.masked_fill(x, to_paddle(mask), value)
            ours = paddle.grad([out], [x, value], [to_paddle(arrays[2])])
            tx, tv = (to_torch(a, requires_grad=True) for a in arrays[:2])
            torch_masked_fill(tx, to_torch(mask), tv).backward(
                to_torch(arrays[2])
            )
            with self.subTest(dtype=dtype):
                assert_same_bits(ours[0], tx.grad.numpy())
                assert_same_bits(ours[1], tv.grad.numpy())


def squared_gradient(x, mask):
    """A gradient penalty, and its gradient."""
    out = paddle.masked_fill(x, mask, 0.5)
    (grad,) = paddle.grad([(out * out).sum()], [x], create_graph=True)
    return paddle.grad([(grad * grad).sum()], [x])


class TestMaskedFillSecondOrderLimits(unittest.TestCase):
    """Where the operator's own second-order formula is, and is not, defined.

    It wants the gradient that comes back through the gradient of x; without
    one it is an error, after which paddle.grad finds no graph any more in this
    process. So the errors are looked for in other processes.
    """

    def test_through_the_gradient_of_x_only(self):
        mask = random_mask(np.random.default_rng(4), (4, 5))
        for value_grad in (True, False):
            x = differentiable(np.zeros((4, 5)))
            value = differentiable(np.zeros(5))
            value.stop_gradient = not value_grad
            out_grad = differentiable(np.ones((4, 5)))
            out = paddle.masked_fill(x, to_paddle(mask), value)
            (grad,) = paddle.grad([out], [x], [out_grad], create_graph=True)
            (second,) = paddle.grad(grad.sum(), [out_grad])
            with self.subTest(value_grad=value_grad):
                assert_same_bits(second, (~mask).astype('float64'))

    def check_raises(self, code):
        assert_python_succeeds(
            f'''
import paddle
x, value, out_grad = paddle.ones([4, 5]), paddle.ones([5]), paddle.ones([4, 5])
value.stop_gradient = out_grad.stop_gradient = False
mask = paddle.to_tensor([True, False, True, False, True])
try:
    {code}
except ValueError as error:
    if 'masked_fill' not in str(error):
        raise
else:
    raise SystemExit('no ValueError')
'''
        )

    def test_through_the_gradient_of_value_only_is_an_error(self):
        self.check_raises("""
    x.stop_gradient = False
    out = paddle.masked_fill(x, mask, value)
    grads = paddle.grad([out], [x, value], [out_grad], create_graph=True)
    paddle.grad(grads[1].sum(), [out_grad])
""")

    def test_of_value_beside_an_x_without_gradient_is_an_error(self):
        self.check_raises("""
    out = paddle.masked_fill(x, mask, value)
    (grad,) = paddle.grad((out * out).sum(), [value], create_graph=True)
    paddle.grad(grad.sum(), [value])
""")

    def test_in_a_static_graph_is_an_error_while_it_is_built(self):
        with static_mode():
            with paddle.static.program_guard(paddle.static.Program()):
                x = paddle.static.data('x', [4, 5])
                mask = paddle.static.data('mask', [4, 5], 'bool')
                x.stop_gradient = False
                out = paddle.masked_fill(x, mask, 0.5)
                (grad,) = paddle.static.gradients([out * out], [x])
                with self.assertRaisesRegex(ValueError, 'masked_fill_grad'):
                    paddle.static.gradients([grad * grad], [x])

    def test_in_a_traced_function_is_an_error(self):
        x = differentiable(np.zeros((4, 5)))
        traced = paddle.jit.to_static(squared_gradient, full_graph=True)
        with self.assertRaisesRegex(ValueError, 'masked_fill_grad'):
            traced(x, paddle.ones([4, 5], 'bool'))


if __name__ == '__main__':
    unittest.main()
