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

"""Means accumulate as sums do, of many elements and of large ones; long gradients."""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    reduce_by_index,
    reduce_by_index_,
    reference_gradients,
)
from op_table import TOLERANCE
from scatter_test_utils import (
    GRAD_DTYPES,
    assert_same_bits,
    random_numbers,
    to_numbers,
    to_paddle,
    to_storage,
)

import paddle

# Shapes of one update: short and long slices may be reduced in different ways.
ROWS = ((), (2,), (5,), (300,), (2500,))


def mean(x, index, updates, axis, include_self):
    """paddle's answer, for arrays."""
    tensors = map(to_paddle, (x, index, updates))
    return reduce_by_index(*tensors, axis, 'mean', include_self).numpy()


def column(values, row):
    """values[i] all over row i."""
    values = np.asarray(values)
    return np.broadcast_to(
        values.reshape(-1, *[1] * len(row)), (len(values), *row)
    ).copy()


def wrapped(number):
    """An int as int64 arithmetic has it."""
    return (number + 2**63) % 2**64 - 2**63


class TestIndexScatterMean(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(17)

    def check(self, x, updates, include_self, expected):
        """A slot between two others, along the first axis and the last one."""
        index = np.ones(len(updates), 'int64')
        for row in ROWS:
            arrays = column([x] * 3, row), column(updates, row)
            wanted = column([x, expected, x], row)
            with self.subTest(row=row):
                out = mean(arrays[0], index, arrays[1], 0, include_self)
                assert_same_bits(out, wanted)
                x_last, updates_last = (
                    np.moveaxis(array, 0, -1).copy() for array in arrays
                )
                out = mean(x_last, index, updates_last, -1, include_self)
                assert_same_bits(out, np.moveaxis(wanted, 0, -1))

    def test_mean_overflows_where_the_sum_does(self):
        for dtype in ('float32', 'bfloat16'):
            for n in (2, 41):
                updates = to_storage(np.full(n, 3e38), dtype)
                infinity = to_storage(np.array(np.inf), dtype)
                with self.subTest(dtype=dtype, n=n):
                    self.check(updates[0], updates, False, infinity)

    def test_half_types_accumulate_in_float32(self):
        # at 3e7 float32 has steps of 2, so the ones are lost
        large = [59904.0] * 500
        numbers = [*large, *[1.0] * 1024, *np.negative(large), *[0.0] * 24]
        for dtype in ('float16', 'bfloat16', 'float32'):
            updates = to_storage(np.array(numbers), dtype)
            with self.subTest(dtype=dtype):
                self.check(updates[0], updates, False, updates[-1])

    def test_more_updates_than_float32_can_count(self):
        n = 17_000_000
        updates = np.zeros(n, 'float32')
        updates[: 1 << 20] = 1
        x, index = paddle.zeros([1]), paddle.zeros([n], 'int32')
        out = paddle.scatter(
            x, index, paddle.to_tensor(updates), overwrite=False, reduce='mean'
        )
        expected = np.float32(1 << 20) / np.float32(n)
        self.assertEqual(out.item(), expected.item())

    def test_floats_accumulate_in_their_type(self):
        for dtype in ('float32', 'complex64'):
            for n in (1, 2, 3, 7, 31, 32, 33, 200):
                updates = random_numbers(self.rng, (n,), dtype)
                total = updates[0] + np.zeros((), updates.dtype)
                for value in updates[1:]:
                    total = total + value
                parts = total.reshape(1).view('float32') / np.float32(n)
                expected = parts.view(dtype)[0]
                with self.subTest(dtype=dtype, n=n):
                    self.check(updates[0], updates, False, expected)

    def test_integers_accumulate_in_int64_and_round_down(self):
        for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64'):
            info = np.iinfo(dtype)
            for n in (1, 2, 3, 10, 50, 100):
                for updates in (
                    np.full(n, info.min, dtype),
                    np.full(n, info.max, dtype),
                    self.rng.integers(info.min, info.max, n, dtype, True),
                ):
                    x, *others = updates.tolist()
                    total = wrapped(x + sum(others))
                    exact = np.array(total // n, dtype)
                    with self.subTest(dtype=dtype, n=n):
                        self.check(updates[0], updates, False, exact)
                        if others:
                            self.check(updates[0], updates[1:], True, exact)

    def test_one_sum_of_many_overflows(self):
        slots, n = 50, 400
        index = self.rng.integers(0, slots, n)
        for overflows in (False, True):
            updates = self.rng.integers(-9, 9, (n, 3))
            if overflows:
                updates[:, 1] = np.where(index == 7, 2**63 - 1, updates[:, 1])
            exact = [
                [0, 0, 0]
                if not (index == slot).any()
                else [
                    wrapped(sum(column)) // len(column)
                    for column in zip(*updates[index == slot].tolist())
                ]
                for slot in range(slots)
            ]
            x = np.zeros((slots, 3), 'int64')
            for function in (reduce_by_index, reduce_by_index_):
                tensors = map(to_paddle, (x, index, updates))
                out = function(*tensors, 0, 'mean', False)
                with self.subTest(overflows=overflows, run=function.__name__):
                    np.testing.assert_array_equal(out.numpy(), exact)


class TestIndexScatterGradients(unittest.TestCase):
    def test_long_indexes(self):
        rng = np.random.default_rng(18)
        index = rng.integers(-700, 700, 1500)
        for dtype, reduce in itertools.product(GRAD_DTYPES, LINEAR_REDUCES):
            for axis, shape, long in (
                (0, (700, 3), (1500, 3)),
                (1, (9, 700), (9, 1500)),
            ):
                attrs = axis, reduce, False
                out_grad = random_numbers(rng, shape, dtype)
                numbers = to_numbers(out_grad, dtype)
                wanted = reference_gradients(
                    numbers, index, np.ones(long, numbers.dtype), attrs, numbers
                )
                x, updates = paddle.ones(shape, dtype), paddle.ones(long, dtype)
                x.stop_gradient = updates.stop_gradient = False
                out = reduce_by_index(x, to_paddle(index), updates, *attrs)
                found = paddle.grad(out, [x, updates], to_paddle(out_grad))
                with self.subTest(dtype=dtype, attrs=attrs):
                    for grad, expected in zip(found, wanted):
                        np.testing.assert_allclose(
                            to_numbers(grad.numpy(), dtype),
                            expected,
                            rtol=TOLERANCE[dtype],
                        )


if __name__ == '__main__':
    unittest.main()
