"""Results are bitwise identical for every algorithm and number of threads.

The shape and whether the call is in place select the algorithm: a scan of the index
for short rows, in `out` or in a scratch accumulator, transposed tiles, or segments.
"""

import itertools
import unittest

import numpy as np
from fuzz.arrays import to_paddle, to_storage
from fuzz.scatter_reference import LINEAR_REDUCES, REDUCES

import paddle
from paddle import _C_ops

# Row lengths around the limits between algorithms.
WIDTHS = (1, 2, 3, 4, 8, 17, 64, 256, 257)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1.0)


def reduce_by_index(x, index, updates, axis, reduce, include_self, suffix=''):
    is_linear = reduce in LINEAR_REDUCES
    name = 'index_scatter' if is_linear else 'index_reduce'
    run = getattr(_C_ops, name + suffix)
    return run(x, index, updates, axis, reduce, include_self)


def _values(rng, shape, dtype):
    if dtype.startswith('int'):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype)
    values = rng.standard_normal(shape)
    special = rng.random(shape) < 0.1
    values[special] = rng.choice(SPECIAL, special.sum())
    return to_storage(values, dtype)


def _bits(tensor):
    """Return the bytes, with one bit pattern for all NaNs."""
    array = tensor.numpy()
    if array.dtype.kind == 'f':
        array = np.where(np.isnan(array), np.float64('nan'), array)
    return array.tobytes()


KINDS = {
    'random': lambda rng, size, n: rng.integers(-size, size, n),
    'sorted': lambda rng, size, n: np.sort(rng.integers(0, size, n)),
    'one slice': lambda rng, size, n: np.full(n, size // 2),
    'two slices': lambda rng, size, n: rng.choice([0, size - 1], n),
    # few and many updates per slice; means accumulate in different types
    'skewed': lambda rng, size, n: (size * rng.random(n) ** 6).astype('int64'),
    'three slices': lambda rng, size, n: rng.integers(40, 43, n),
}
# (dtype, slices, updates)
SMALL = (
    ('float32', 13, 60),
    ('float64', 70, 9),
    ('int8', 11, 40),
    ('int64', 5, 17),
    ('int32', 37, 21),
    ('float16', 9, 33),
    ('bfloat16', 9, 50),
)
# (dtype, slices, updates, row length, kind of index, threads)
THREADED = (
    *itertools.product(
        ('float32', 'bfloat16'), (700,), (4000,), (16,), ('random',), (1, 2, 7)
    ),
    ('float32', 9000, 2200, 64, 'random', 1),
    ('float32', 9000, 2200, 64, 'random', 2),
    ('float32', 9000, 2200, 64, 'three slices', 2),
    ('bfloat16', 9000, 2200, 64, 'random', 2),
    ('float32', 1400, 20, 2053, 'two slices', 2),  # a sparse index
    ('float32', 1500, 39941, 1, 'random', 1),
    ('float32', 1500, 39941, 1, 'random', 2),
    *itertools.product(
        ('float16', 'float32', 'int64'),
        (1500,),
        (39941,),
        (1,),
        ('skewed',),
        (2,),
    ),
)
# Row length in bytes from which the index is sorted into segments.
SEGMENT_BYTES = 2048


class TestIndexReduceAlgorithms(unittest.TestCase):
    def check(self, x, index, updates, reduce, include_self):
        """Compare a plain call, an in-place call, rows so wide that segments are
        used, and an outer dim of nine."""
        index = paddle.to_tensor(index)
        width = x.shape[1]
        copies = -(-SEGMENT_BYTES // (width * x.itemsize))

        def reduced(x, updates, axis=0, suffix=''):
            tensors = [to_paddle(array, self.dtype) for array in (x, updates)]
            x, updates = tensors
            out = reduce_by_index(
                x, index, updates, axis, reduce, include_self, suffix
            )
            is_half = self.dtype == 'bfloat16'
            return out.astype('float32') if is_half else out

        wide = reduced(np.tile(x, copies), np.tile(updates, copies))
        expected = _bits(wide[:, :width])
        self.assertEqual(_bits(reduced(x, updates)), expected)
        in_place = reduced(x, updates, suffix='_')
        self.assertEqual(_bits(in_place), expected)
        nine = reduced(np.stack([x] * 9), np.stack([updates] * 9), axis=1)
        for row in nine:
            self.assertEqual(_bits(row), expected)

    def check_row(self, rng, size, n, width, kind, threads):
        x = _values(rng, (size, width), self.dtype)
        updates = _values(rng, (n, width), self.dtype)
        index = KINDS[kind](rng, size, n)
        paddle.base.core.set_num_threads(threads)
        for reduce, own in itertools.product(REDUCES, (False, True)):
            row = self.dtype, size, n, width, kind, threads
            with self.subTest(reduce=reduce, include_self=own, row=row):
                self.check(x, index, updates, reduce, own)

    def test_small_operands(self):
        for self.dtype, size, n in SMALL:
            rng = np.random.default_rng(size + n)
            for width, kind in itertools.product(WIDTHS, [*KINDS][:5]):
                self.check_row(rng, size, n, width, kind, 1)

    def test_multithreaded(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        for self.dtype, *row in THREADED:
            self.check_row(np.random.default_rng(7), *row)

    def test_axis_larger_than_a_scratch_accumulator(self):
        # 2.5 MiB in float. Rounded once, like a conversion of the float32 result.
        rng = np.random.default_rng(8)
        for slices, width in ((40000, 16), (640000, 1)):
            x, updates = (
                paddle.to_tensor(_values(rng, (n, width), 'float32')).astype(
                    'bfloat16'
                )
                for n in (slices, 10000)
            )
            floats = [t.astype('float32') for t in (x, updates)]
            for kind in ('random', 'skewed'):
                index = paddle.to_tensor(KINDS[kind](rng, slices, 10000))
                for reduce in ('sum', 'amax'):
                    attrs = 0, reduce, False
                    out = reduce_by_index(x, index, updates, *attrs)
                    wide = reduce_by_index(floats[0], index, floats[1], *attrs)
                    self.assertEqual(
                        _bits(out.astype('float32')),
                        _bits(wide.astype('bfloat16').astype('float32')),
                    )


class TestIndexReduceRounding(unittest.TestCase):
    """Rounding to bfloat16 equals Paddle's conversion."""

    def test_sums_are_rounded_once(self):
        rng = np.random.default_rng(9)
        numbers = rng.integers(0, 1 << 32, 40000, 'uint32').view('float32')
        ties = rng.integers(0, 1 << 16, 4000, 'uint32') << 16 | 0x8000
        x = np.concatenate(
            [numbers, ties.view('float32'), np.float32(SPECIAL)]
        ).reshape(1, -1)
        # Short rows use a scratch accumulator, long rows segments.
        parts = [x.astype('float32'), np.float32(x[:, ::97]).reshape(-1, 1)]
        for whole in parts:
            high = paddle.to_tensor(whole).astype('bfloat16')
            low = (paddle.to_tensor(whole) - high.astype('float32')).astype(
                'bfloat16'
            )
            total = high.astype('float32') + low.astype('float32')
            index = paddle.arange(whole.shape[0])
            out = reduce_by_index(high, index, low, 0, 'sum', True)
            self.assertEqual(
                _bits(out.astype('float32')),
                _bits(total.astype('bfloat16').astype('float32')),
            )


if __name__ == '__main__':
    unittest.main()
