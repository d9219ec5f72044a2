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
"""index_scatter and index_reduce: NaN, wrap-around, rounding."""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    reduce_by_index,
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

    def test_mean_of_integers_rounds_down_and_does_not_overflow(self):
        for dtype in ('int8', 'int16', 'int32', 'int64'):
            x = np.array([-7, -7, 7], dtype)
            updates = np.array([4, -4, 4], dtype)
            out = run(x, np.arange(3), updates, 0, 'mean', True)
            with self.subTest(dtype=dtype):
                self.assertEqual(out.tolist(), [-2, -6, 5])
        full = np.full(9, 127, 'int8')
        out = run(full[:1], np.zeros(9, 'int64'), full, 0, 'mean', True)
        self.assertEqual(out.tolist(), [127])

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


if __name__ == '__main__':
    unittest.main()
