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

"""paddle.masked_fill_: memory, versions, views, autograd."""

import unittest

import numpy as np
from masked_fill_cases import cases
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    random_mask,
    random_numbers,
    to_paddle,
)

import paddle


def fills(dtype='float32'):
    """The same fill by a number and by a Tensor."""
    return ('number', 1), ('tensor', paddle.ones([1], dtype))


class TestMaskedFillInplaceValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)

    def test_every_case_whose_mask_fits_x(self):
        checked = 0
        for dtype in ALL_DTYPES:
            for name, x_shape, mask, value_shape in cases():
                if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
                    continue
                checked += 1
                x = random_array(self.rng, x_shape, dtype)
                value = random_array(self.rng, value_shape, dtype)
                tensor = to_paddle(x)
                result = tensor.masked_fill_(to_paddle(mask), to_paddle(value))
                with self.subTest(dtype=dtype, case=name):
                    self.assertIs(result, tensor)
                    assert_same_bits(tensor, np.where(mask, value, x))
        self.assertGreater(checked, 12 * 12)

    def test_memory_is_kept_and_the_version_rises_by_one(self):
        for name, value in fills():
            x = paddle.zeros([3, 4])
            address = x.data_ptr()
            for version in range(3):
                with self.subTest(value=name, version=version):
                    self.assertEqual(x.inplace_version, version)
                    x.masked_fill_(paddle.ones([4], 'bool'), value)
                    self.assertEqual(x.data_ptr(), address)
                    self.assertEqual(x.sum(), 12)

    def test_views_and_bases_see_the_change(self):
        for name, value in fills():
            base = paddle.zeros([4, 6])
            base[1:3].masked_fill_(paddle.ones([6], 'bool'), value)
            base[:, ::3].masked_fill_(paddle.ones([4, 1], 'bool'), value)
            expected = np.zeros((4, 6), 'float32')
            expected[1:3] = expected[:, ::3] = 1
            with self.subTest(value=name):
                assert_same_bits(base, expected)

    def test_x_in_each_layout(self):
        array = random_array(self.rng, (6, 5, 7), 'float32')
        mask = random_mask(self.rng, (5, 1))
        expected = np.where(mask, np.float32(1), array)
        for name, value in fills():
            for layout, x in layouts(array):
                with self.subTest(value=name, layout=layout):
                    x.masked_fill_(to_paddle(mask), value)
                    assert_same_bits(x, expected)

    def test_inputs_that_share_memory_with_x(self):
        array = random_array(self.rng, (6, 6), 'float64')
        mask = random_mask(self.rng, (6, 6))
        x = to_paddle(array)
        x.masked_fill_(to_paddle(mask), x.t())
        assert_same_bits(x, np.where(mask, array.T, array))
        x = to_paddle(array)
        x.masked_fill_(to_paddle(mask), x[2])
        assert_same_bits(x, np.where(mask, array[2], array))
        x = to_paddle(array)
        x.masked_fill_(to_paddle(mask), x[3, 4])
        assert_same_bits(x, np.where(mask, array[3, 4], array))

    def test_bool_x_is_its_own_mask(self):
        array = random_mask(self.rng, (6, 6))
        x = to_paddle(array)
        x.masked_fill_(x, False)
        assert_same_bits(x, np.zeros((6, 6), 'bool'))
        x = to_paddle(array)
        x.masked_fill_(x[1], True)
        assert_same_bits(x, array | array[1])

    def test_zero_size_and_no_dims(self):
        x = paddle.zeros([0, 3])
        self.assertIs(x.masked_fill_(paddle.ones([3], 'bool'), 1.0), x)
        self.assertEqual(x.shape, [0, 3])
        x = paddle.zeros([])
        x.masked_fill_(paddle.ones([], 'bool'), paddle.ones([]))
        self.assertEqual((x.shape, float(x)), ([], 1.0))

    def test_mask_larger_than_x_is_an_error_that_leaves_x(self):
        for mask_shape in ([2, 3], [1, 3], [1, 1, 3], [2], [0, 3], [0]):
            for name, value in fills():
                x = paddle.zeros([3])
                version = x.inplace_version
                with self.subTest(mask=mask_shape, value=name):
                    with self.assertRaisesRegex(ValueError, 'mask'):
                        x.masked_fill_(paddle.ones(mask_shape, 'bool'), value)
                    self.assertEqual(x.shape, [3])
                    self.assertEqual(x.tolist(), [0.0, 0.0, 0.0])
                    self.assertEqual(x.inplace_version, version)

    def test_value_larger_than_x_is_an_error_that_leaves_x(self):
        x = paddle.zeros([3])
        for shape in ([2, 3], [1, 3], [2]):
            with self.subTest(value=shape), self.assertRaises(ValueError):
                x.masked_fill_(paddle.ones([3], 'bool'), paddle.ones(shape))
            self.assertEqual(x.shape, [3])
            self.assertEqual(x.tolist(), [0.0, 0.0, 0.0])

    def test_mask_of_another_dtype(self):
        for name, value in fills():
            x = paddle.zeros([4])
            x.masked_fill_(paddle.to_tensor([0.5, 0.0, -1.0, 2.0]), value)
            with self.subTest(value=name):
                self.assertEqual(x.tolist(), [1.0, 0.0, 1.0, 1.0])


class TestMaskedFillInplaceAutograd(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(6)
        self.x = random_numbers(rng, (5, 6))
        self.mask = random_mask(rng, (5, 6))
        self.value = random_numbers(rng, (6,))

    def run_with(self, function):
        """Gradients of leaves through function(a fresh x, mask, value)."""
        leaf = to_paddle(self.x, stop_gradient=False)
        value = to_paddle(self.value, stop_gradient=False)
        out = function(leaf * 2.0, to_paddle(self.mask), value)
        (out * out).sum().backward()
        return leaf.grad.numpy(), value.grad.numpy()

    def test_gradients_equal_those_of_the_function(self):
        ours = self.run_with(paddle.masked_fill_)
        for grad, wanted in zip(ours, self.run_with(paddle.masked_fill)):
            np.testing.assert_allclose(grad, wanted, 1e-14)

    def test_x_itself_carries_the_new_gradient(self):
        def use_x(x, mask, value):
            x.masked_fill_(mask, value)
            return x

        ours = self.run_with(use_x)
        for grad, wanted in zip(ours, self.run_with(paddle.masked_fill)):
            np.testing.assert_allclose(grad, wanted, 1e-14)

    def test_gradient_reaches_x_filled_with_a_number(self):
        leaf = to_paddle(self.x, stop_gradient=False)
        x = leaf * 2.0
        x.masked_fill_(to_paddle(self.mask), 3.0)
        x.sum().backward()
        assert_same_bits(leaf.grad, np.where(self.mask, 0.0, 2.0))

    def test_value_makes_an_x_without_gradient_differentiable(self):
        x = to_paddle(self.x)
        value = to_paddle(self.value, stop_gradient=False)
        x.masked_fill_(to_paddle(self.mask), value)
        self.assertFalse(x.stop_gradient)
        x.sum().backward()
        expected = self.mask.sum(axis=0).astype('float64')
        assert_same_bits(value.grad, expected)

    def test_leaf_that_needs_a_gradient_is_an_error(self):
        for name, value in fills('float64'):
            x = to_paddle(self.x, stop_gradient=False)
            with self.subTest(value=name), self.assertRaises(ValueError):
                x.masked_fill_(to_paddle(self.mask), value)

    def test_leaf_under_no_grad_is_filled(self):
        for name, value in fills('float64'):
            x = to_paddle(self.x, stop_gradient=False)
            with paddle.no_grad():
                x.masked_fill_(to_paddle(self.mask), value)
            with self.subTest(value=name):
                assert_same_bits(x, np.where(self.mask, 1.0, self.x))
                self.assertFalse(x.stop_gradient)

    def test_version_rises_by_one_where_a_gradient_is_recorded(self):
        for name, value in fills('float64'):
            x = to_paddle(self.x, stop_gradient=False) * 2.0
            x.masked_fill_(to_paddle(self.mask), value)
            with self.subTest(value=name):
                self.assertEqual(x.inplace_version, 1)

    def test_mask_saved_for_backward_may_not_be_overwritten(self):
        for name, value in fills('float64'):
            x = to_paddle(self.x, stop_gradient=False)
            mask = to_paddle(self.mask)
            out = paddle.masked_fill(x, mask, value)
            mask.masked_fill_(mask, False)
            with self.subTest(value=name):
                with self.assertRaisesRegex(
                    RuntimeError,
                    'received tensor_version:1 != wrapper_version_snapshot:0',
                ):
                    out.sum().backward()

    def test_tensor_saved_for_backward_may_not_be_overwritten(self):
        for name, value in fills('float64'):
            leaf = to_paddle(self.x, stop_gradient=False)
            x = leaf * 1.0
            loss = (x * x).sum()
            x.masked_fill_(to_paddle(self.mask), value)
            with self.subTest(value=name):
                with self.assertRaisesRegex(RuntimeError, 'version'):
                    loss.backward()

    def test_own_backward_needs_neither_x_nor_value(self):
        leaf = to_paddle(self.x, stop_gradient=False)
        value_leaf = to_paddle(self.value, stop_gradient=False)
        x, value = leaf * 1.0, value_leaf * 1.0
        out = paddle.masked_fill(x, to_paddle(self.mask), value)
        x.zero_()
        value.zero_()
        out.sum().backward()
        assert_same_bits(leaf.grad, np.where(self.mask, 0.0, 1.0))


if __name__ == '__main__':
    unittest.main()
