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
"""Gradients of select_scatter and diagonal_scatter: tests for both.

A test case inherits a mixin and sets `op` to a ViewOp.
"""

import numpy as np
from scatter_test_utils import (
    GRAD_DTYPES,
    assert_same_bits,
    compare_gradients_with_torch,
    layouts,
    random_array,
    random_numbers,
    requires_torch,
    to_paddle,
)
from view_scatter_cases import (
    fast_scatter,
    random_pair,
    reference_scatter_grad,
)

import paddle


class ScatterGradients:
    def setUp(self):
        self.rng = np.random.default_rng(8)

    def leaves(self, x_shape, attributes, dtype='float64'):
        """x and values that need gradients."""
        arrays = random_pair(
            self.op,
            lambda s: random_numbers(self.rng, s, dtype),
            x_shape,
            attributes,
        )
        return [to_paddle(a, stop_gradient=False) for a in arrays]

    def test_every_case_and_dtype_equals_the_plain_loops(self):
        for dtype in GRAD_DTYPES:
            for name, x_shape, attributes in self.op.cases:
                x, values = self.leaves(x_shape, attributes, dtype)
                out_grad = random_array(self.rng, x_shape, dtype)
                out = self.op.function(x, values, *attributes)
                out.backward(to_paddle(out_grad))
                expected = reference_scatter_grad(self.op, out_grad, attributes)
                assert_same_bits(x.grad, expected[0], f'{name}, {dtype}, x')
                assert_same_bits(
                    values.grad, expected[1], f'{name}, {dtype}, values'
                )

    def test_gradient_of_one_input_alone(self):
        for name, x_shape, attributes in self.op.cases:
            out_grad = random_numbers(self.rng, x_shape)
            expected = reference_scatter_grad(self.op, out_grad, attributes)
            for wanted in (0, 1):
                leaves = self.leaves(x_shape, attributes)
                leaves[1 - wanted].stop_gradient = True
                out = self.op.function(*leaves, *attributes)
                out.backward(to_paddle(out_grad))
                assert_same_bits(leaves[wanted].grad, expected[wanted], name)
                self.assertIsNone(leaves[1 - wanted].grad)

    def test_no_gradient_is_kept_where_none_is_needed(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = self.leaves(x_shape, attributes)
        with paddle.no_grad():
            out = self.op.function(x, values, *attributes)
        self.assertTrue(out.stop_gradient)
        x.stop_gradient = values.stop_gradient = True
        out = self.op.function(x, values, *attributes)
        self.assertTrue(out.stop_gradient)

    def test_out_grad_that_is_not_contiguous(self):
        for name, x_shape, attributes in self.op.cases:
            if 0 in x_shape:
                continue
            array = random_numbers(self.rng, x_shape)
            expected = reference_scatter_grad(self.op, array, attributes)
            for layout, out_grad in layouts(array):
                leaves = self.leaves(x_shape, attributes)
                out = self.op.function(*leaves, *attributes)
                grads = paddle.grad([out], leaves, [out_grad])
                for grad, wanted in zip(grads, expected):
                    assert_same_bits(grad, wanted, f'{name}, {layout}')

    def test_inputs_that_are_not_contiguous(self):
        for name, x_shape, attributes in self.op.cases:
            x, values = self.leaves(x_shape, attributes)
            if x.size == 0 or values.ndim == 0:
                continue
            ones = np.ones(x_shape)
            expected = reference_scatter_grad(self.op, ones, attributes)
            for (layout, x_view), (_, values_view) in zip(
                layouts(x.numpy()), layouts(values.numpy())
            ):
                x_view.stop_gradient = values_view.stop_gradient = False
                out = self.op.function(x_view, values_view, *attributes)
                grads = paddle.grad(out.sum(), [x_view, values_view])
                for grad, wanted in zip(grads, expected):
                    assert_same_bits(grad, wanted, f'{name}, {layout}')

    def test_many_elements(self):
        for x_shape, attributes in self.op.large_cases:
            leaves = self.leaves(x_shape, attributes, 'float32')
            out_grad = random_numbers(self.rng, x_shape, 'float32')
            out = self.op.function(*leaves, *attributes)
            grads = paddle.grad([out], leaves, [to_paddle(out_grad)])
            with self.subTest(shape=x_shape, at=attributes):
                zeros = np.zeros(leaves[1].shape, 'float32')
                kept = fast_scatter(self.op, out_grad, zeros, attributes)
                assert_same_bits(grads[0], kept)
                taken = self.op.view(out_grad, *attributes)
                assert_same_bits(grads[1], np.array(taken, order='C'))

    def test_second_order_through_one_gradient_only(self):
        for name, x_shape, attributes in self.op.cases:
            ones = np.ones(x_shape)
            x_part, _ = reference_scatter_grad(self.op, ones, attributes)
            for used, expected in ((0, x_part), (1, 1 - x_part)):
                leaves = self.leaves(x_shape, attributes)
                out = self.op.function(*leaves, *attributes)
                out_grad = paddle.ones(x_shape, 'float64')
                out_grad.stop_gradient = False
                grads = paddle.grad(
                    [out], leaves, [out_grad], create_graph=True
                )
                (second,) = paddle.grad(grads[used].sum(), [out_grad])
                assert_same_bits(second, expected, name)


class ScatterGradientsAndTorch:
    @requires_torch
    def setUp(self):
        self.rng = np.random.default_rng(9)

    def compare(self, order, x_shape, attributes):
        arrays = random_pair(
            self.op, lambda s: random_numbers(self.rng, s), x_shape, attributes
        )
        compare_gradients_with_torch(
            self.op.call(*attributes),
            self.op.call_torch(*attributes),
            arrays,
            order,
        )

    def test_first_and_second_order_equal_torch(self):
        for name, x_shape, attributes in self.op.cases:
            with self.subTest(case=name):
                self.compare(2, x_shape, attributes)
