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
"""Gradients of index_scatter and index_reduce: ties, zeros, duplicates, order."""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    OTHER_REDUCES,
    defined,
    reduce_by_index,
    slots_of,
)
from scatter_test_utils import (
    GRAD_DTYPES,
    to_numbers,
    to_paddle,
    to_storage,
)

import paddle


def reference_gradients(x, index, updates, attrs, out_grad):
    """Of mul, amax and amin, slot by slot: the product of all other factors, and
    even shares among those that are the extreme."""
    axis, reduce, include_self = attrs
    grads = np.array(out_grad), np.zeros_like(updates)
    x, updates, own, further = (
        np.moveaxis(array, axis, 0) for array in (x, updates, *grads)
    )
    slots = slots_of(index, len(x))
    for slot in set(slots.tolist()):
        at = np.flatnonzero(slots == slot)
        rows = np.concatenate([x[[slot]][:include_self], updates[at]])
        if reduce == 'mul':
            others = [
                np.delete(rows, i, axis=0).prod(axis=0)
                for i in range(len(rows))
            ]
            shares = np.conj(others) * own[slot]
        else:
            ties = rows == getattr(rows, reduce[1:])(axis=0)
            shares = ties / ties.sum(axis=0) * own[slot]
        further[at] = shares[include_self:]
        own[slot] = shares[0] if include_self else 0
    return grads


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

    def test_product_with_zeros(self):
        for x, updates, expected in (
            ([2.0], [3.0, 5.0], [[15.0], [10.0, 6.0]]),
            ([2.0], [0.0, 5.0], [[0.0], [10.0, 0.0]]),
            ([0.0], [3.0, 5.0], [[15.0], [0.0, 0.0]]),
            ([2.0], [0.0, 0.0], [[0.0], [0.0, 0.0]]),
            ([0.0], [0.0, 5.0], [[0.0], [0.0, 0.0]]),
            ([0.0], [0.0, 0.0], [[0.0], [0.0, 0.0]]),
        ):
            with self.subTest(x=x, updates=updates):
                self.assertEqual(self.grads(x, updates, 'mul', True), expected)
        # x is no factor: its zero does not count
        found = self.grads([0.0], [3.0, 5.0], 'mul', False)
        self.assertEqual(found, [[0.0], [5.0, 3.0]])

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


if __name__ == '__main__':
    unittest.main()
