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

"""The bits depend neither on the number of threads nor on a kernel's way.

A kernel may reduce short rows one by one and long ones in groups, and choose by
shape.
"""

import itertools
import unittest

import numpy as np
from index_reduce_cases import REDUCES, defined, reduce_by_index
from scatter_test_utils import to_paddle

import paddle
from paddle import _C_ops

# Elements in a row, around the lengths at which a kernel may change its way.
WIDTHS = (1, 2, 3, 4, 7, 8, 31, 64, 129, 255, 256, 257, 300, 600)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1.0)


def _operator(reduce):
    if reduce in ('assign', 'sum', 'mean'):
        return _C_ops.index_scatter
    return _C_ops.index_reduce


def _values(rng, shape, dtype):
    if dtype.startswith('int'):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype)
    values = rng.standard_normal(shape)
    special = rng.random(shape) < 0.1
    values[special] = rng.choice(SPECIAL, special.sum())
    return values.astype(dtype)


def _bits(tensor):
    """The bytes, but of a NaN no more than that it is one."""
    array = tensor.numpy()
    if array.dtype.kind == 'f':
        array = np.where(np.isnan(array), np.float64('nan'), array)
    return array.tobytes()


def _indices(rng, size, n):
    yield 'random', rng.integers(-size, size, n)
    yield 'sorted', np.sort(rng.integers(0, size, n))
    yield 'one slot', np.full(n, size // 2)
    yield 'few', rng.choice([0, size - 1], n)


class TestIndexReduceWays(unittest.TestCase):
    def check(self, x, index, updates, reduce, include_self):
        """One row of x against x among others, where it goes in groups."""
        arguments = (reduce, include_self)
        run = _operator(reduce)
        index = paddle.to_tensor(index)
        alone = run(
            paddle.to_tensor(x), index, paddle.to_tensor(updates), 0, *arguments
        )
        both = run(
            paddle.to_tensor(np.stack([x, x])),
            index,
            paddle.to_tensor(np.stack([updates, updates])),
            1,
            *arguments,
        )
        self.assertEqual(_bits(alone), _bits(both[0]))
        self.assertEqual(_bits(alone), _bits(both[1]))

    def check_dtype(self, dtype, size, n):
        rng = np.random.default_rng(size + n)
        for width in WIDTHS:
            x = _values(rng, (size, width), dtype)
            updates = _values(rng, (n, width), dtype)
            for name, index in _indices(rng, size, n):
                for reduce in REDUCES:
                    for include_self in (False, True):
                        with self.subTest(
                            width=width,
                            index=name,
                            reduce=reduce,
                            include_self=include_self,
                        ):
                            self.check(x, index, updates, reduce, include_self)

    def test_float32_more_updates_than_slots(self):
        self.check_dtype('float32', 13, 60)

    def test_float64_more_slots_than_updates(self):
        self.check_dtype('float64', 70, 9)

    def test_int8_wraps_around(self):
        self.check_dtype('int8', 11, 40)

    def test_int64(self):
        self.check_dtype('int64', 5, 17)

    def test_float16(self):
        self.check_dtype('float16', 9, 33)

    def test_several_threads_share_the_slots(self):
        rng = np.random.default_rng(7)
        x = _values(rng, (5000, 16), 'float32')
        updates = _values(rng, (40000, 16), 'float32')
        index = rng.integers(0, 5000, 40000)
        set_threads = paddle.base.core.set_num_threads
        # what Paddle starts with
        self.addCleanup(set_threads, 1)
        for count in (1, 2, 3, 7):
            set_threads(count)
            for reduce in REDUCES:
                with self.subTest(threads=count, reduce=reduce):
                    self.check(x, index, updates, reduce, False)


# (dtype, shape of x, axis) that are worth several threads
LARGE = (
    *itertools.product(
        ('float32', 'float16'),
        ((150, 400), (60000,)),
        (0,),
    ),
    *itertools.product(
        ('float32', 'complex64'),
        ((200, 300), (60, 800, 2)),
        (1,),
    ),
)


def skewed_indices(rng, size):
    yield rng.integers(-size, size, 2 * size)
    yield np.full(2 * size, size // 2)
    yield rng.choice([0, size - 1], 2 * size)


class TestIndexReduceDeterminism(unittest.TestCase):
    def results(self, x, index, updates, attrs):
        """The bytes of the output and of both gradients."""
        tensors = [to_paddle(a, stop_gradient=False) for a in (x, updates)]
        out = reduce_by_index(tensors[0], to_paddle(index), tensors[1], *attrs)
        found = [out, *paddle.grad([out], tensors)]
        return [tensor.numpy().tobytes() for tensor in found]

    def check(self, x, index, updates, attrs):
        found = []
        for threads in (1, 2, 5):
            paddle.base.core.set_num_threads(threads)
            found.append(self.results(x, index, updates, attrs))
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])

    def test_bits_do_not_depend_on_the_number_of_threads(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)  # as at start
        rng = np.random.default_rng(0)
        for dtype, shape, axis in LARGE:
            for index in skewed_indices(rng, shape[axis]):
                wide = list(shape)
                wide[axis] = len(index)
                x, updates = (
                    (rng.random(s) + 0.5).astype(dtype) for s in (shape, wide)
                )
                for reduce in ('assign', 'sum', 'mul', 'mean', 'amax'):
                    if defined(reduce, dtype):
                        attrs = axis, reduce, True
                        with self.subTest(
                            dtype=dtype, shape=shape, attrs=attrs
                        ):
                            self.check(x, index, updates, attrs)


if __name__ == '__main__':
    unittest.main()
