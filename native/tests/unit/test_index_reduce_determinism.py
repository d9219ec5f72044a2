"""The bits depend neither on the number of threads nor on a kernel's way.

A kernel may reduce short rows one by one, in out or in a panel of a wider type,
by one thread or by several, and long ones in groups, and choose by shape and by
whether it is in place.
"""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    REDUCES,
    defined,
    reduce_by_index,
    reduce_by_index_,
)
from scatter_test_utils import (
    HALF_DTYPES,
    assert_same_bits,
    random_numbers,
    to_paddle,
    to_storage,
)

import paddle
from paddle import _C_ops

# Elements in a row, around the lengths at which a kernel may change its way.
WIDTHS = (1, 2, 3, 4, 8, 17, 64, 256, 257)
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
    return to_storage(values, dtype)


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


# Bytes in a row from which a kernel groups the index.
GROUPED_BYTES = 2048


class TestIndexReduceWays(unittest.TestCase):
    def reduced(
        self, x, index, updates, axis, reduce, include_self, run=reduce_by_index
    ):
        tensors = [to_paddle(a, self.dtype) for a in (x, updates)]
        out = run(tensors[0], index, tensors[1], axis, reduce, include_self)
        return out.astype('float32') if self.dtype == 'bfloat16' else out

    def check(self, x, index, updates, reduce, include_self):
        """The same columns alone, also in place, in rows so wide that they go
        in groups, and as one of nine rows around the axis."""
        index = paddle.to_tensor(index)
        width = x.shape[1]
        copies = -(-GROUPED_BYTES // (width * x.itemsize))
        arguments = x, index, updates, 0, reduce, include_self
        alone = self.reduced(*arguments)
        in_place = self.reduced(*arguments, run=reduce_by_index_)
        wide = self.reduced(
            np.tile(x, copies),
            index,
            np.tile(updates, copies),
            0,
            reduce,
            include_self,
        )
        nine = self.reduced(
            np.stack([x] * 9),
            index,
            np.stack([updates] * 9),
            1,
            reduce,
            include_self,
        )
        expected = _bits(wide[:, :width])
        self.assertEqual(_bits(alone), expected)
        self.assertEqual(_bits(in_place), expected)
        for row in nine:
            self.assertEqual(_bits(row), expected)

    def check_reduces(self, x, index, updates, **names):
        for reduce in REDUCES:
            for include_self in (False, True):
                with self.subTest(
                    reduce=reduce, include_self=include_self, **names
                ):
                    self.check(x, index, updates, reduce, include_self)

    def check_dtype(self, dtype, size, n):
        self.dtype = dtype
        rng = np.random.default_rng(size + n)
        for width in WIDTHS:
            x = _values(rng, (size, width), dtype)
            updates = _values(rng, (n, width), dtype)
            for name, index in _indices(rng, size, n):
                self.check_reduces(x, index, updates, width=width, kind=name)

    def test_float32_more_updates_than_slots(self):
        self.check_dtype('float32', 13, 60)

    def test_float64_more_slots_than_updates(self):
        self.check_dtype('float64', 70, 9)

    def test_int8_wraps_around(self):
        self.check_dtype('int8', 11, 40)

    def test_int64(self):
        self.check_dtype('int64', 5, 17)

    def test_int32(self):
        self.check_dtype('int32', 37, 21)

    def test_float16(self):
        self.check_dtype('float16', 9, 33)

    def test_bfloat16(self):
        self.check_dtype('bfloat16', 9, 50)

    def test_several_threads_share_the_slots(self):
        # what Paddle starts with
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        rng = np.random.default_rng(7)
        index = rng.integers(0, 700, 4000)
        for self.dtype in ('float32', 'bfloat16'):
            x = _values(rng, (700, 16), self.dtype)
            updates = _values(rng, (4000, 16), self.dtype)
            for count in (1, 2, 7):
                paddle.base.core.set_num_threads(count)
                self.check_reduces(x, index, updates, threads=count)

    def test_few_updates_of_many_slots(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        rng = np.random.default_rng(12)
        # so many that several threads share them in place too
        spread = rng.integers(-9000, 9000, 2200)
        crowded = rng.integers(40, 43, 2200)
        for self.dtype, index, count in (
            ('float32', spread, 1),
            ('float32', spread, 2),
            ('float32', crowded, 2),
            ('bfloat16', spread, 2),
        ):
            x = _values(rng, (9000, 64), self.dtype)
            updates = _values(rng, (2200, 64), self.dtype)
            paddle.base.core.set_num_threads(count)
            self.check_reduces(x, index, updates, threads=count)

    def test_many_single_elements(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        self.dtype = 'float32'
        rng = np.random.default_rng(10)
        x = _values(rng, (1500, 1), self.dtype)
        updates = _values(rng, (39941, 1), self.dtype)
        index = rng.integers(-1500, 1500, 39941)
        for count in (1, 2):
            paddle.base.core.set_num_threads(count)
            self.check_reduces(x, index, updates, threads=count)

    def test_a_panel_for_each_range_of_slots(self):
        # 2.5 MiB in float, more than the panel of a thread; rounded once, as
        # by the conversion of what float32 gives
        rng = np.random.default_rng(8)
        x, updates = (
            paddle.to_tensor(_values(rng, (n, 16), 'float32')).astype(
                'bfloat16'
            )
            for n in (40000, 9000)
        )
        skewed = (40000 * rng.random(9000) ** 6).astype('int64')
        for index in (rng.integers(0, 40000, 9000), skewed):
            index = paddle.to_tensor(index)
            for reduce in ('sum', 'amax'):
                run = _operator(reduce)
                out = run(x, index, updates, 0, reduce, False)
                floats = [t.astype('float32') for t in (x, updates)]
                wide = run(floats[0], index, floats[1], 0, reduce, False)
                self.assertEqual(
                    _bits(out.astype('float32')),
                    _bits(wide.astype('bfloat16').astype('float32')),
                )

    def test_mean_of_many_negative_zeros(self):
        self.dtype = 'float32'
        x, updates = np.full((3, 2), -0.0), np.full((99, 2), -0.0)
        index = np.arange(99) % 3
        for array in (x, updates):
            self.assertTrue(np.signbit(array).all())
        self.check(
            x.astype('float32'), index, updates.astype('float32'), 'mean', True
        )


class TestIndexReduceRounds(unittest.TestCase):
    """bfloat16 is rounded as Paddle's own conversion does it."""

    def test_sums_are_rounded_once(self):
        rng = np.random.default_rng(9)
        numbers = rng.integers(0, 1 << 32, 40000, 'uint32').view('float32')
        ties = rng.integers(0, 1 << 16, 4000, 'uint32') << 16 | 0x8000
        x = np.concatenate(
            [numbers, ties.view('float32'), np.float32(SPECIAL)]
        ).reshape(1, -1)
        # a short row in a panel, a long one in groups
        parts = [x.astype('float32'), np.float32(x[:, ::97]).reshape(-1, 1)]
        for whole in parts:
            high = paddle.to_tensor(whole).astype('bfloat16')
            low = (paddle.to_tensor(whole) - high.astype('float32')).astype(
                'bfloat16'
            )
            total = high.astype('float32') + low.astype('float32')
            index = paddle.arange(whole.shape[0])
            out = _C_ops.index_scatter(high, index, low, 0, 'sum', True)
            self.assertEqual(
                _bits(out.astype('float32')),
                _bits(total.astype('bfloat16').astype('float32')),
            )

    def test_elements_without_an_update_keep_their_bits(self):
        # those of NaNs too, where a row goes through floats
        rng = np.random.default_rng(11)
        index = rng.integers(0, 256, 100)
        untouched = np.setdiff1d(np.arange(512), index)
        for dtype in HALF_DTYPES:
            x = rng.integers(0, 1 << 16, (16, 512), 'uint16')
            x = x if dtype == 'bfloat16' else x.view(dtype)
            updates = random_numbers(rng, (16, 100), dtype)
            for reduce in ('sum', 'mean', 'amax', 'mul'):
                out = reduce_by_index(
                    to_paddle(x),
                    to_paddle(index),
                    to_paddle(updates),
                    *(1, reduce, False),
                )
                with self.subTest(dtype=dtype, reduce=reduce):
                    assert_same_bits(out.numpy()[:, untouched], x[:, untouched])


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
