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
"""paddle.masked_scatter_: memory, versions, autograd, and x after errors."""

import unittest

import numpy as np
from masked_scatter_cases import cases, fast_masked_scatter
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    to_paddle,
)

import paddle


def leaf(values):
    return paddle.to_tensor(values, 'float32', stop_gradient=False)


class TestMaskedScatterInplaceValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)

    def test_every_case_and_dtype_equals_the_copy(self):
        for dtype in ALL_DTYPES:
            for name, x_shape, mask, value_shape in cases():
                if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
                    continue
                array = random_array(self.rng, x_shape, dtype)
                value = random_array(self.rng, value_shape, dtype)
                x = to_paddle(array)
                with self.subTest(dtype=dtype, case=name):
                    result = paddle.masked_scatter_(
                        x, to_paddle(mask), to_paddle(value)
                    )
                    self.assertIs(result, x)
                    assert_same_bits(x, fast_masked_scatter(array, mask, value))

    def test_memory_stays_where_it_is(self):
        x = paddle.zeros([300, 300])
        before = x.data_ptr()
        x.masked_scatter_(x == 0, paddle.ones([90000]))
        self.assertEqual(x.data_ptr(), before)
        self.assertEqual(float(x.sum()), 90000.0)

    def test_views_write_through_to_their_base(self):
        array = random_array(self.rng, (6, 8), 'float32')
        views = {
            'rows': np.s_[2:5],
            'columns': np.s_[:, 1:6],
            'every other column': np.s_[:, ::2],
            'one row': np.s_[3],
            'one column': np.s_[:, 3],
        }
        for name, index in views.items():
            base, expected = to_paddle(array), array.copy()
            view = base[index]
            mask = random_mask(self.rng, view.shape)
            value = random_array(self.rng, (48,), 'float32')
            expected[index] = fast_masked_scatter(array[index], mask, value)
            with self.subTest(view=name):
                result = view.masked_scatter_(to_paddle(mask), to_paddle(value))
                self.assertIs(result, view)
                assert_same_bits(base, expected)

    def test_transposed_view_writes_through(self):
        array = random_array(self.rng, (6, 8), 'float32')
        base = to_paddle(array)
        mask = random_mask(self.rng, (8, 6))
        value = random_array(self.rng, (48,), 'float32')
        base.t().masked_scatter_(to_paddle(mask), to_paddle(value))
        assert_same_bits(base, fast_masked_scatter(array.T, mask, value).T)

    def test_value_and_mask_that_share_memory_with_x(self):
        array = random_array(self.rng, (300,), 'int32')
        mask = random_mask(self.rng, (300,))
        for name, index in (
            ('itself', np.s_[:]),
            ('backwards', np.s_[::-1]),
            ('shifted', np.s_[1:]),
        ):
            source = array[index]
            mask_here = mask & (np.cumsum(mask) <= source.size)
            x = to_paddle(array)
            with self.subTest(value=name):
                x.masked_scatter_(to_paddle(mask_here), x[index])
                expected = fast_masked_scatter(array, mask_here, source)
                assert_same_bits(x, expected)

    def test_bool_x_as_its_own_mask(self):
        array = random_mask(self.rng, (40, 40))
        value = random_mask(self.rng, (1600,))
        x = to_paddle(array)
        x.masked_scatter_(x, to_paddle(value))
        assert_same_bits(x, fast_masked_scatter(array, array, value))
        x = to_paddle(array)
        x.masked_scatter_(x[0:1], to_paddle(value))
        assert_same_bits(x, fast_masked_scatter(array, array[0:1], value))


class TestMaskedScatterInplaceVersions(unittest.TestCase):
    def test_version_goes_up_by_one_for_each_call(self):
        x, mask = paddle.zeros([30, 3]), paddle.ones([30, 1], 'bool')
        for count in range(4):
            self.assertEqual(x.inplace_version, count)
            x.masked_scatter_(mask, paddle.ones([90]))

    def test_version_goes_up_by_one_with_gradients(self):
        x = leaf([1.0, 2.0]) * 1
        for count in range(3):
            self.assertEqual(x.inplace_version, count)
            x.masked_scatter_(paddle.to_tensor([True, False]), leaf([3.0]))

    def test_overwritten_saved_tensor_is_an_error_in_backward(self):
        x = leaf([1.0, 2.0, 3.0])
        square = x**2
        loss = (square**2).sum()
        square.masked_scatter_(paddle.ones([3], 'bool'), paddle.ones([3]))
        with self.assertRaisesRegex(
            RuntimeError,
            'received tensor_version:1 != wrapper_version_snapshot:0',
        ):
            loss.backward()

    def test_overwritten_mask_is_an_error_in_backward(self):
        x, mask = leaf([1.0, 2.0, 3.0]), paddle.to_tensor([True, False, True])
        out = (x * 1).masked_scatter_(mask, paddle.ones([3]))
        mask.masked_scatter_(mask.clone(), paddle.zeros([3], 'bool'))
        with self.assertRaisesRegex(RuntimeError, 'tensor_version:1'):
            out.sum().backward()


class TestMaskedScatterInplaceAutograd(unittest.TestCase):
    mask = (True, False, True, False)

    def setUp(self):
        self.x = leaf([1.0, 2.0, 3.0, 4.0])
        self.value = leaf([5.0, 6.0, 7.0])
        self.mask = paddle.to_tensor(type(self).mask)

    def check_gradients(self):
        self.assertEqual(self.x.grad.tolist(), [0.0, 3.0, 0.0, 3.0])
        self.assertEqual(self.value.grad.tolist(), [3.0, 3.0, 0.0])

    def test_gradients_through_a_non_leaf(self):
        y = self.x * 1
        result = y.masked_scatter_(self.mask, self.value)
        self.assertIs(result, y)
        self.assertEqual(y.tolist(), [5.0, 2.0, 6.0, 4.0])
        (y * 3).sum().backward()
        self.check_gradients()

    def test_gradients_through_the_returned_tensor(self):
        result = (self.x * 1).masked_scatter_(self.mask, self.value)
        (result * 3).sum().backward()
        self.check_gradients()

    def test_gradients_through_a_strided_view(self):
        base = self.x.reshape([4, 1]).expand([4, 2]) * 1
        base[:, 0].masked_scatter_(self.mask, self.value)
        (base[:, 0] * 3).sum().backward()
        self.assertEqual(base[:, 1].tolist(), [1.0, 2.0, 3.0, 4.0])
        self.assertEqual(base[:, 0].tolist(), [5.0, 2.0, 6.0, 4.0])

    def test_x_begins_to_need_gradients(self):
        y = paddle.zeros([4])
        y.masked_scatter_(self.mask, self.value)
        self.assertFalse(y.stop_gradient)
        (y * 3).sum().backward()
        self.assertEqual(self.value.grad.tolist(), [3.0, 3.0, 0.0])

    def test_two_calls_in_a_row(self):
        y = self.x * 1
        y.masked_scatter_(self.mask, self.value)
        y.masked_scatter_(
            paddle.to_tensor([True, True, False, False]), self.value * 2
        )
        self.assertEqual(y.tolist(), [10.0, 12.0, 6.0, 4.0])
        y.sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 0.0, 0.0, 1.0])
        self.assertEqual(self.value.grad.tolist(), [2.0, 3.0, 0.0])

    def test_value_that_is_x_itself(self):
        y = self.x * 1
        y.masked_scatter_(self.mask, y)
        self.assertEqual(y.tolist(), [1.0, 2.0, 2.0, 4.0])
        y.backward(paddle.to_tensor([1.0, 10.0, 100.0, 1000.0]))
        self.assertEqual(self.x.grad.tolist(), [1.0, 110.0, 0.0, 1000.0])

    def test_second_order(self):
        y = self.x * self.x
        y.masked_scatter_(self.mask, self.value**3)
        grads = paddle.grad(y.sum(), [self.x, self.value], create_graph=True)
        (grads[0].sum() + grads[1].sum()).backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 2.0, 0.0, 2.0])
        self.assertEqual(self.value.grad.tolist(), [30.0, 36.0, 0.0])

    def test_leaf_that_needs_gradients_is_refused_and_unchanged(self):
        with self.assertRaisesRegex(ValueError, 'Leaf'):
            self.x.masked_scatter_(self.mask, self.value)
        self.assertEqual(self.x.tolist(), [1.0, 2.0, 3.0, 4.0])
        self.assertEqual(self.x.inplace_version, 0)

    def test_leaf_may_be_changed_under_no_grad(self):
        with paddle.no_grad():
            result = self.x.masked_scatter_(self.mask, self.value)
        self.assertIs(result, self.x)
        self.assertEqual(self.x.tolist(), [5.0, 2.0, 6.0, 4.0])
        self.assertTrue(self.x.is_leaf)
        self.assertFalse(self.x.stop_gradient)
        (self.x * 2).sum().backward()
        self.assertEqual(self.x.grad.tolist(), [2.0] * 4)


class TestMaskedScatterInplaceErrors(unittest.TestCase):
    """After an error x is as it was: values, shape, version."""

    def check_unchanged(self, x, exception, pattern, mask, value):
        array, version = x.numpy(), x.inplace_version
        with self.assertRaisesRegex(exception, pattern):
            x.masked_scatter_(mask, value)
        assert_same_bits(x, array)
        self.assertEqual(x.inplace_version, version)

    def test_mask_larger_than_x(self):
        for x_shape, mask_shape in (
            ([3], [2, 3]),
            ([1, 3], [2, 3]),
            ([], [1]),
            ([1], [0]),
            ([2, 1, 3], [2, 4, 3]),
        ):
            with self.subTest(x=x_shape, mask=mask_shape):
                self.check_unchanged(
                    paddle.zeros(x_shape),
                    ValueError,
                    'masked_scatter_: mask must be broadcastable to the shape',
                    paddle.zeros(mask_shape, 'bool'),
                    paddle.ones([24]),
                )

    def test_too_few_values(self):
        for size in (3, 100, 5000, 1 << 19):
            with self.subTest(size=size):
                self.check_unchanged(
                    paddle.zeros([size]),
                    AssertionError,
                    f'(?s)(?=.*\\b{size}\\b)(?=.*\\b{size - 1}\\b)',
                    paddle.ones([size], 'bool'),
                    paddle.ones([size - 1]),
                )

    def test_too_few_values_for_a_strided_view_or_with_gradients(self):
        base = paddle.zeros([6, 8])
        mask = paddle.ones([6, 4], 'bool')
        value = paddle.ones([23])
        self.check_unchanged(base[:, ::2], AssertionError, '24', mask, value)
        self.assertEqual(float(base.sum()), 0.0)
        value.stop_gradient = False
        y = leaf([0.0] * 24) * 1
        self.check_unchanged(y, AssertionError, '24', mask.flatten(), value)
        y.sum().backward()

    def test_wrong_dtypes(self):
        x, mask = paddle.zeros([3]), paddle.ones([3], 'bool')
        for value in (paddle.ones([3], 'int64'), paddle.ones([3], 'float16')):
            self.check_unchanged(x, AssertionError, 'dtype', mask, value)
        self.check_unchanged(
            x, AssertionError, 'dtype', paddle.ones([3]), paddle.ones([3])
        )


if __name__ == '__main__':
    unittest.main()
