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
"""index_scatter and index_reduce: NaN, wrap-around, rounding, gradients of ties
and zeros, and what a call keeps."""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    OTHER_REDUCES,
    REDUCES,
    defined,
    operands,
    reduce_by_index,
    reduce_by_index_,
    reference_gradients,
)
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    HALF_DTYPES,
    assert_same_bits,
    random_array,
    random_numbers,
    to_numbers,
    to_paddle,
    to_storage,
)

import paddle


def run(x, index, updates, *attrs):
    return reduce_by_index(
        to_paddle(x), to_paddle(index), to_paddle(updates), *attrs
    ).numpy()


def minus_zeros(shape, dtype):
    """-0.0, in both parts of complex numbers."""
    zero = complex(-0.0, -0.0) if dtype in COMPLEX_DTYPES else -0.0
    return to_storage(np.full(shape, zero), dtype)


class TestIndexReduceValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)

    def test_assigned_bits_of_every_dtype(self):
        for dtype in ALL_DTYPES:
            for axis in (0, 1):
                x = random_array(self.rng, (17, 17), dtype)
                updates = random_array(self.rng, (17, 17), dtype)
                index = self.rng.integers(-17, 17, 17)
                out = run(x, index, updates, axis, 'assign', True)
                expected = x.copy()
                for slot, row in zip(index, np.moveaxis(updates, axis, 0)):
                    np.moveaxis(expected, axis, 0)[slot] = row
                with self.subTest(dtype=dtype, axis=axis):
                    assert_same_bits(out, expected)

    def test_nan_and_infinity(self):
        nan, inf = np.nan, np.inf
        x = np.array([0.0, nan, 1.0, -inf, 2.0])
        updates = np.array([nan, 5.0, 3.0, inf, 7.0, -inf, -0.5])
        index = np.array([0, 0, 1, 2, 2, 3, 4])
        for dtype in ('float32', 'float64', 'float16'):
            arrays = x.astype(dtype), index, updates.astype(dtype)
            for reduce, with_self, without in (
                ('amax', [nan, nan, inf, -inf, 2], [nan, 3, inf, -inf, -0.5]),
                ('amin', [nan, nan, 1, -inf, -0.5], [nan, 3, 7, -inf, -0.5]),
                (
                    'sum',
                    [nan, nan, inf, -inf, 1.5],
                    [nan, 3, inf, -inf, -0.5],
                ),
            ):
                for include_self, expected in (
                    (True, with_self),
                    (False, without),
                ):
                    out = run(*arrays, 0, reduce, include_self)
                    with self.subTest(dtype=dtype, reduce=reduce):
                        np.testing.assert_array_equal(out, expected)

    def test_nan_reaches_vector_loops_in_any_order(self):
        x = np.zeros((3, 40), 'float32')
        updates = random_numbers(self.rng, (5, 40), 'float32')
        updates[self.rng.integers(0, 5, 20), np.arange(0, 40, 2)] = np.nan
        for reduce in ('amax', 'amin'):
            out = run(x, np.array([1] * 5), updates, 0, reduce, True)
            np.testing.assert_array_equal(np.isnan(out[1, ::2]), True)
            np.testing.assert_array_equal(np.isnan(out[1, 1::2]), False)

    def test_integers_wrap_around(self):
        x = np.array([200], 'uint8')
        updates = np.array([100, 2], 'uint8')
        index = np.zeros(2, 'int64')
        self.assertEqual(run(x, index, updates, 0, 'sum', True), [302 % 256])
        self.assertEqual(run(x, index, updates, 0, 'mul', True), [40000 % 256])

    def test_sum_and_mean_of_minus_zeros_are_zero_without_self(self):
        # few in a slot, and so many that a mean is taken in another way
        indexes = np.array([1, -1, 1]), np.array([1, -1, 1] * 40)
        for dtype, index in itertools.product(GRAD_DTYPES, indexes):
            x = minus_zeros((40, 40), dtype)
            updates = minus_zeros((len(index), 40), dtype)
            for axis, rows in ((0, updates), (1, updates.T.copy())):
                for reduce in ('sum', 'mean'):
                    with self.subTest(dtype=dtype, axis=axis, reduce=reduce):
                        out = run(x, index, rows, axis, reduce, False)
                        expected = x.copy()
                        np.moveaxis(expected, axis, 0)[[1, 39]] = 0
                        assert_same_bits(out, expected)
                        out = run(x, index, rows, axis, reduce, True)
                        assert_same_bits(out, x)

    def test_negative_index_at_the_start_of_a_long_one(self):
        index = np.zeros(600_000, 'int64')
        index[0] = -1
        ones = np.ones(600_000, 'float32')
        for reduce, expected in (('sum', [599_999, 1, 1]), ('amax', [1, 1, 1])):
            out = run(ones[:3], index, ones, 0, reduce, False)
            self.assertEqual(out.tolist(), expected)

    def test_half_types_round_once(self):
        for dtype in HALF_DTYPES:
            ones = to_storage(np.ones((4, 5000)), dtype)
            index = np.zeros(5000, 'int64')
            for axis, arrays in (
                (1, (ones[:, :1], index, ones)),
                (0, (ones.T[:1].copy(), index, ones.T.copy())),
            ):
                out = to_numbers(run(*arrays, axis, 'sum', True), dtype)
                rounded = to_numbers(to_storage(5001.0, dtype), dtype)
                with self.subTest(dtype=dtype, axis=axis):
                    np.testing.assert_allclose(out, rounded, 2**-7)


def gradients(x, index, updates, attrs, out_grad):
    tensors = [to_paddle(a, stop_gradient=False) for a in (x, updates)]
    out = reduce_by_index(tensors[0], to_paddle(index), tensors[1], *attrs)
    grads = paddle.grad([out], tensors, [to_paddle(out_grad)])
    return [grad.numpy() for grad in grads]


def few_values(rng, shape, dtype='float64'):
    """Many ties and many zeros."""
    return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)


class TestIndexReduceGrad(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)

    def check(self, x, index, updates, attrs, out_grad, dtype):
        found = gradients(x, index, updates, attrs, out_grad)
        wide = np.complex128 if np.iscomplexobj(x) else np.float64
        x, updates, out_grad = (
            to_numbers(array, dtype).astype(wide)
            for array in (x, updates, out_grad)
        )
        wanted = reference_gradients(x, index, updates, attrs, out_grad)
        rtol = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-12}
        rtol = rtol.get(dtype, 1e-5)
        for grad, expected in zip(found, wanted):
            scale = max(1.0, np.abs(expected).max(initial=0))
            np.testing.assert_allclose(
                to_numbers(grad, dtype), expected, rtol, rtol * scale
            )

    def test_ties_and_zeros_in_every_dtype(self):
        index = np.array([3, 3, 0, -1, 3, 8])
        for dtype, reduce, axis in itertools.product(
            GRAD_DTYPES, OTHER_REDUCES, (0, 1)
        ):
            if not defined(reduce, dtype):
                continue
            shape = (6, 9) if axis == 0 else (9, 6)
            for include_self in (True, False):
                x = few_values(self.rng, (9, 9), dtype)
                updates = few_values(self.rng, shape, dtype)
                out_grad = few_values(self.rng, (9, 9), dtype)
                attrs = axis, reduce, include_self
                with self.subTest(dtype=dtype, attrs=attrs):
                    self.check(x, index, updates, attrs, out_grad, dtype)


class TestIndexReduceGradByHand(unittest.TestCase):
    def grads(self, x, updates, reduce, include_self):
        index = np.zeros(len(updates), 'int64')
        attrs = 0, reduce, include_self
        found = gradients(
            np.array(x), index, np.array(updates), attrs, np.ones(len(x))
        )
        return [grad.tolist() for grad in found]

    def test_product_that_overflows(self):
        found = self.grads([1e200], [1e200, 1e-200], 'mul', True)
        self.assertEqual(found[1], [1.0, np.inf])
        np.testing.assert_allclose(found[0], [1.0])

    def test_product_with_infinity(self):
        found = self.grads([2.0], [np.inf, 4.0], 'mul', True)
        self.assertEqual(found, [[np.inf], [8.0, np.inf]])

    def test_nans_share_the_gradient(self):
        nan = float('nan')
        found = self.grads([nan], [nan, 1.0], 'amax', True)
        self.assertEqual(found, [[0.5], [0.5, 0.0]])

    def test_slots_all_over_a_large_x(self):
        x, updates = np.ones((20000, 4)), np.ones((2000, 4))
        index = np.arange(2000) * 9 + 5
        for reduce in LINEAR_REDUCES:
            attrs = 0, reduce, False
            x_grad, grad = gradients(x, index, updates, attrs, x)
            expected = x.copy()
            expected[index] = 0
            np.testing.assert_array_equal(x_grad, expected)
            np.testing.assert_array_equal(grad, updates)


class TestIndexReduceGradOfManyTies(unittest.TestCase):
    def test_more_ties_than_a_float_counts(self):
        n = 2**24 + 8
        updates = paddle.ones([n])
        updates.stop_gradient = False
        index = paddle.zeros([n], 'int64')
        out = reduce_by_index(
            paddle.zeros([2]), index, updates, 0, 'amax', True
        )
        (share,) = paddle.grad([out], [updates], [paddle.ones([2])])
        expected = np.float32(1) / np.float32(n)
        self.assertEqual(share.min().item(), expected)
        self.assertEqual(share.max().item(), expected)


class TestIndexReduceInplace(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.x = operands(self.rng, (6, 5), 'mul')
        self.index = np.array([1, 1, 4, -6])
        self.updates = operands(self.rng, (4, 5), 'mul')

    def test_updates_that_overlap_x(self):
        array = operands(self.rng, (6, 5), 'mul')
        for reduce in REDUCES:
            x = to_paddle(array)
            index = to_paddle(np.array([5, 0, 0, 3, 2]))
            reduce_by_index_(x, index, x[1:], 0, reduce, True)
            expected = run(array, index.numpy(), array[1:], 0, reduce, True)
            with self.subTest(reduce=reduce):
                assert_same_bits(x, expected)

    def test_index_that_overlaps_x(self):
        array = np.array([3, 2, 2, 0], 'int64')
        x = to_paddle(array)
        reduce_by_index_(x, x, to_paddle(array), 0, 'sum', True)
        assert_same_bits(x, run(array, array, array, 0, 'sum', True))

    def test_updates_changed_before_backward_are_noticed(self):
        for reduce in ('mul', 'amax'):
            updates = to_paddle(self.updates, stop_gradient=False)
            scaled, index = updates * 1, to_paddle(self.index)
            x = to_paddle(self.x)
            out = reduce_by_index_(x, index, scaled, 0, reduce, True)
            scaled.scale_(2.0)
            with self.subTest(reduce=reduce):
                with self.assertRaisesRegex(
                    (RuntimeError, OSError), 'tensor_version'
                ):
                    out.sum().backward()


# (name, function that changes a Tensor in place)
CHANGES = (
    ('add_', lambda tensor: tensor.add_(paddle.ones_like(tensor))),
    ('assign', lambda tensor: paddle.assign(tensor * 3, tensor)),
    ('scale_', lambda tensor: tensor.scale_(float('inf'))),
    ('setitem', lambda tensor: tensor.__setitem__(0, 7.0)),
)


class TestIndexReduceKeptTensors(unittest.TestCase):
    """What a recorded call keeps until its gradients have been taken."""

    def gradients(self, reduce, axis, change=lambda tensor: None):
        """Of both orders; x and updates change before each. Slots 1 and 3 are
        touched."""
        leaves = [paddle.full([8, 8], number) for number in (2.0, 3.0)]
        for leaf in leaves:
            leaf.stop_gradient = False
        x, updates = (leaf * 1 for leaf in leaves)
        index = to_paddle(np.arange(8) % 2 * 2 + 1)
        out = reduce_by_index(x, index, updates, axis, reduce, True)
        change(x)
        change(updates)
        grads = paddle.grad([(out**3).sum()], leaves, create_graph=True)
        change(x)
        change(updates)
        loss = sum((grad**2).sum() for grad in grads)
        return [*grads, *paddle.grad([loss], leaves)]

    def test_linear_gradients_do_not_mind_changed_inputs(self):
        for reduce, axis in itertools.product(LINEAR_REDUCES, (0, 1)):
            wanted = self.gradients(reduce, axis)
            for name, change in CHANGES:
                with self.subTest(reduce=reduce, axis=axis, change=name):
                    found = self.gradients(reduce, axis, change)
                    for grad, expected in zip(found, wanted):
                        assert_same_bits(grad, expected.numpy())


if __name__ == '__main__':
    unittest.main()
