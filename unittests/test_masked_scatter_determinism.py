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
"""paddle.masked_scatter at sizes around the kernels' tiles, in parallel.

Every element size goes through every length, since a kernel that moves
elements in lanes has a remainder of its own for each. Results must not depend
on the number of threads.
"""

import os
import unittest

import numpy as np
from masked_cases import kinds_of_masks
from masked_scatter_cases import count_true, fast_masked_scatter
from scatter_test_utils import (
    assert_same_bits,
    random_array,
    random_mask,
    to_paddle,
)

import paddle

# one dtype for each element size
DTYPE_OF_SIZE = {
    1: 'int8',
    2: 'int16',
    4: 'float32',
    8: 'float64',
    16: 'complex128',
}
SMALL = [*range(1, 20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257]
MEDIUM = [4095, 4096, 4097, 16383, 16385, 65535, 65536, 65537]
LARGE = (1 << 20) + 3


class Threads:
    """Sets the number of OpenMP threads for a while."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        paddle.base.core.set_num_threads(self.count)

    def __exit__(self, *exception):
        # Paddle sets the variable when it is not set
        default = int(os.environ.get('OMP_NUM_THREADS', 1))
        paddle.base.core.set_num_threads(default)


class TestMaskedScatterSizes(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(15)

    def check(self, x, mask, value):
        expected = fast_masked_scatter(x, mask, value)
        for threads in (1, 2, 3):
            with Threads(threads):
                out = paddle.masked_scatter(
                    to_paddle(x), to_paddle(mask), to_paddle(value)
                )
                assert_same_bits(out, expected, f'{threads} threads')

    def check_exact_values(self, dtype, x_shape, mask):
        """No value to spare: a read past the end would find other memory."""
        x = random_array(self.rng, x_shape, dtype)
        value_shape = (count_true(x_shape, mask),)
        self.check(x, mask, random_array(self.rng, value_shape, dtype))

    def test_lengths_around_the_lanes(self):
        for dtype in DTYPE_OF_SIZE.values():
            for size in SMALL:
                for density in (0.0, 0.1, 0.5, 0.9, 1.0):
                    mask = random_mask(self.rng, (size,), density)
                    with self.subTest(dtype=dtype, size=size, density=density):
                        self.check_exact_values(dtype, (size,), mask)

    def test_lengths_around_the_tiles(self):
        for dtype in DTYPE_OF_SIZE.values():
            for size in MEDIUM:
                for name, mask in kinds_of_masks(self.rng, (size,)):
                    with self.subTest(dtype=dtype, size=size, mask=name):
                        self.check_exact_values(dtype, (size,), mask)

    def test_large_arrays(self):
        for dtype in DTYPE_OF_SIZE.values():
            for name, mask in kinds_of_masks(self.rng, (LARGE,)):
                with self.subTest(dtype=dtype, mask=name):
                    self.check_exact_values(dtype, (LARGE,), mask)

    def test_every_mask_of_eight_elements(self):
        """All 256 patterns in one row, which a table-driven kernel looks up."""
        patterns = np.arange(256, dtype=np.uint8)[:, None]
        mask = np.unpackbits(patterns, axis=1).astype(bool)
        order = self.rng.permutation(256)
        for dtype in DTYPE_OF_SIZE.values():
            for rows in (mask, mask[order]):
                with self.subTest(dtype=dtype):
                    self.check_exact_values(dtype, (2048,), rows.reshape(-1))
                    self.check_exact_values(dtype, (256, 8), rows)

    def test_unaligned_starts(self):
        for dtype in DTYPE_OF_SIZE.values():
            x = random_array(self.rng, (5000,), dtype)
            value = random_array(self.rng, (5000,), dtype)
            mask = random_mask(self.rng, (5000,))
            tensors = [to_paddle(a) for a in (x, mask, value)]
            for start in range(1, 10):
                expected = fast_masked_scatter(
                    x[start:], mask[start:], value[start:]
                )
                out = paddle.masked_scatter(*(t[start:] for t in tensors))
                with self.subTest(dtype=dtype, start=start):
                    assert_same_bits(out, expected)

    def test_broadcast_masks_of_many_row_lengths(self):
        for dtype in DTYPE_OF_SIZE.values():
            for row in (1, 3, 7, 8, 9, 33, 4097):
                rows = 70000 // row
                row_mask = random_mask(self.rng, (1, row))
                column_mask = random_mask(self.rng, (rows, 1))
                middle_mask = random_mask(self.rng, (rows // 7, 1, row))
                with self.subTest(dtype=dtype, row=row):
                    self.check_exact_values(dtype, (rows, row), row_mask)
                    self.check_exact_values(dtype, (rows, row), column_mask)
                    self.check_exact_values(
                        dtype, (rows // 7, 7, row), middle_mask
                    )

    def test_broadcast_x_of_many_row_lengths(self):
        for dtype in DTYPE_OF_SIZE.values():
            for row in (1, 3, 8, 33, 4097):
                rows = 70000 // row
                mask = random_mask(self.rng, (rows, row))
                with self.subTest(dtype=dtype, row=row):
                    self.check_exact_values(dtype, (1, row), mask)
                    self.check_exact_values(dtype, (rows, 1), mask)
                    self.check_exact_values(dtype, (), mask)


class TestMaskedScatterThreads(unittest.TestCase):
    def gradients(self, x_shape, mask, threads):
        rng = np.random.default_rng(16)
        x = to_paddle(random_array(rng, x_shape, 'float32'))
        value = paddle.zeros([mask.size])
        x.stop_gradient = value.stop_gradient = False
        with Threads(threads):
            out = paddle.masked_scatter(x, to_paddle(mask), value)
            out_grad = rng.standard_normal(out.shape).astype('float32')
            return paddle.grad([out], [x, value], [to_paddle(out_grad)])

    def test_gradients_do_not_depend_on_the_threads(self):
        rng = np.random.default_rng(17)
        for x_shape in ((512, 700), (1, 700), (512, 1), ()):
            for name, mask in kinds_of_masks(rng, (512, 700)):
                one, *others = (
                    self.gradients(x_shape, mask, n) for n in (1, 2, 3, 4)
                )
                with self.subTest(x=x_shape, mask=name):
                    for other in others:
                        for a, b in zip(one, other):
                            assert_same_bits(b, a.numpy())

    def test_in_place_does_not_depend_on_the_threads(self):
        rng = np.random.default_rng(18)
        array = random_array(rng, (LARGE,), 'float32')
        value = random_array(rng, (LARGE,), 'float32')
        for name, mask in kinds_of_masks(rng, (LARGE,)):
            expected = fast_masked_scatter(array, mask, value)
            for threads in (1, 2):
                x = to_paddle(array)
                with self.subTest(mask=name, threads=threads):
                    with Threads(threads):
                        x.masked_scatter_(to_paddle(mask), to_paddle(value))
                    assert_same_bits(x, expected)

    def test_repeated_runs_are_the_same(self):
        rng = np.random.default_rng(19)
        mask = to_paddle(random_mask(rng, (LARGE,)))
        x = to_paddle(random_array(rng, (LARGE,), 'float32'))
        value = to_paddle(random_array(rng, (LARGE,), 'float32'))
        with Threads(2):
            first = paddle.masked_scatter(x, mask, value).numpy()
            for _ in range(10):
                assert_same_bits(paddle.masked_scatter(x, mask, value), first)


if __name__ == '__main__':
    unittest.main()
