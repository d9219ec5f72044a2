"""Large operands: the bits of results depend neither on the number of threads nor
on the previous contents of the memory of the output."""

import unittest
from dataclasses import replace

import numpy as np
from fuzz import table
from fuzz.arrays import assert_same_bits, random_array, random_mask, to_paddle
from fuzz.run import results

import paddle

# Rows that begin anywhere in a cache line.
WIDTH = 2049
RNG = np.random.default_rng(26)


def repeated(shape, dtype):
    """Repeat a block of random elements."""
    return np.resize(random_array(RNG, (100_003,), dtype), shape)


def number_of_rows(dtype):
    """Return the rows of 33 MiB, more than the threshold of non-temporal stores."""
    return (33 << 20) // (WIDTH * np.dtype(dtype).itemsize) + 1


def masked_scatter(x):
    for columns in (WIDTH, 1):
        mask = random_mask(RNG, (len(x), columns))
        out, where = x.copy(), np.broadcast_to(mask, x.shape)
        value = repeated(np.count_nonzero(where), x.dtype.name)
        out[where] = value
        yield paddle.masked_scatter, (x, mask, value), {}, out


def masked_fill(x):
    mask = random_mask(RNG, x.shape)
    mask[:, 100:300], mask[:, 400:700] = True, False
    for value in (repeated(x.shape, x.dtype.name), x[:1, 7]):
        out = np.where(mask, value, x)
        yield paddle.masked_fill, (x, mask, value), {}, out


def views(x):
    for axis in (0, 1):
        out = x.copy()
        view = np.moveaxis(out, axis, 0)[7]
        values = repeated(view.shape, x.dtype.name)
        view[...] = values
        options = {'axis': axis, 'index': 7}
        yield paddle.select_scatter, (x, values), options, out
    out = x.copy()
    y = repeated(min(x.shape), x.dtype.name)
    np.fill_diagonal(out, y)
    yield paddle.diagonal_scatter, (x, y), {}, out


def scatter(x):
    index = RNG.permutation(len(x))[: len(x) // 2]
    updates = repeated((len(index), WIDTH), x.dtype.name)
    out = x.copy()
    out[index] = updates
    yield paddle.scatter, (x, index, updates), {}, out
    x, updates = (
        RNG.integers(0, 5, a.shape).astype(a.dtype) for a in (x, updates)
    )
    out = x.copy()
    out[index] += updates
    options = {'overwrite': False, 'include_self': True}
    yield paddle.scatter, (x, index, updates), options, out


class TestOutputsLargerThanTheCaches(unittest.TestCase):
    def check(self, calls):
        for dtype in ('int8', 'float16', 'float32', 'float64', 'complex128'):
            x = repeated((number_of_rows(dtype), WIDTH), dtype)
            for function, arrays, options, expected in calls(x):
                with self.subTest(dtype=dtype, **options):
                    tensors = [to_paddle(array) for array in arrays]
                    garbage = to_paddle(expected[::-1].copy()).clone()
                    del garbage  # its memory is reused for the result
                    out = function(*tensors, **options)
                    assert_same_bits(out, expected)

    def test_masked_scatter(self):
        self.check(masked_scatter)

    def test_masked_fill(self):
        self.check(masked_fill)

    def test_select_scatter_and_diagonal_scatter(self):
        self.check(views)

    def test_scatter(self):
        self.check(scatter)

    def test_gradient_of_updates(self):
        for dtype in ('float16', 'float32', 'float64', 'complex128'):
            out_grad = repeated((number_of_rows(dtype), WIDTH), dtype)
            index = RNG.permutation(len(out_grad))
            x = paddle.zeros(out_grad.shape, dtype)
            updates = paddle.ones(out_grad.shape, dtype)
            updates.stop_gradient = False
            out = paddle.scatter(x, to_paddle(index), updates)
            garbage = to_paddle(out_grad).clone()
            del garbage
            (grad,) = paddle.grad([out], [updates], [to_paddle(out_grad)])
            assert_same_bits(grad, out_grad[index], dtype)


class TestThreads(unittest.TestCase):
    def test_result_bits(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        for dtype in ('int8', 'float16', 'complex128'):
            for case in table.table(dtype):
                if case.wrt and case.dtype == 'int8':
                    case.wrt = ()
                one, *others = (
                    results(replace(case, threads=n)) for n in (1, 2, 5)
                )
                for other in others:
                    for actual, expected in zip(other, one):
                        with self.subTest(api=case.api, dtype=dtype):
                            assert_same_bits(actual, expected)

    def test_axis_of_more_than_2_31_slices(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        paddle.base.core.set_num_threads(2)  # each scans for its own slices
        size = 2**31 + 9
        x = paddle.zeros([size], 'uint8')
        slices = to_paddle(np.array([0, 5, 2**31 - 1, 2**31 + 5, size - 1]))
        updates = paddle.ones([len(slices) * 16], 'uint8')
        paddle.scatter_(x, slices.tile(16), updates, False, include_self=True)
        assert_same_bits(paddle.gather(x, slices), np.full(5, 16, 'uint8'))


if __name__ == '__main__':
    unittest.main()
