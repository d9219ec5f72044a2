"""Outputs that no cache has room for, where an output before them has been."""

import unittest
from functools import partial

import numpy as np
from scatter_test_utils import assert_same_bits, random_array

import paddle

# A word of each size, and enough of them to be stored past the caches.
DTYPES = 'int8', 'float16', 'float32', 'float64', 'complex128'
BYTES = 33 << 20
# Rows begin anywhere in a cache line.
WIDTH = 2049
PATTERN = 100_003


def large(rng, dtype, length=PATTERN):
    """Rows of random elements, which repeat."""
    some = random_array(rng, (length,), dtype)
    return np.resize(some, (BYTES // (WIDTH * some.itemsize) + 1, WIDTH))


def replaced(x, where, values):
    out = x.copy()
    out[where] = values
    return out


def scatter(index, x, updates):
    return paddle.scatter(x, index, updates)


def add(index, x, updates):
    return paddle.scatter(
        x, index, updates, overwrite=False, reduce='sum', include_self=True
    )


def updates_grad(index, x, out_grad):
    updates = paddle.zeros_like(x)
    updates.stop_gradient = False
    out = scatter(index, x, updates)
    return paddle.grad(out, updates, out_grad)[0]


class TestLargeOutputs(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(26)

    def check(self, call, expected, *arrays):
        """`call` of Tensors; before it, of other values for the same output."""
        others = [a[::-1].copy() if a.dtype != bool else a for a in arrays]
        for operands in others, arrays:
            out = None  # frees the memory that the next one gets
            out = call(*(paddle.to_tensor(a) for a in operands))
        assert_same_bits(out, expected, str(expected.dtype))

    def each_dtype(self):
        for dtype in DTYPES:
            yield large(self.rng, dtype), large(self.rng, dtype, PATTERN + 2)

    def test_masked_scatter(self):
        for x, value in self.each_dtype():
            for columns in (WIDTH, 1):
                mask = self.rng.random((len(x), columns)) < 0.5
                where = np.broadcast_to(mask, x.shape)
                taken = value.reshape(-1)[: where.sum()]
                expected = replaced(x, where, taken)
                self.check(paddle.masked_scatter, expected, x, mask, taken)

    def test_masked_fill(self):
        for x, value in self.each_dtype():
            # with blocks that are all True and all False
            mask = np.resize(self.rng.random(PATTERN) < 0.5, x.shape)
            mask[:, 100:300], mask[:, 400:700] = True, False
            for filler in value, value[0, :1]:
                expected = np.where(mask, filler, x)
                self.check(paddle.masked_fill, expected, x, mask, filler)

    def test_select_and_diagonal_scatter(self):
        for x, values in self.each_dtype():
            for axis in (0, 1):
                part = np.take(values, 5, axis)
                expected = x.copy()
                np.swapaxes(expected, 0, axis)[7] = part
                call = partial(paddle.select_scatter, axis=axis, index=7)
                self.check(call, expected, x, part)
            diagonal = np.diagonal(values).copy()
            at = np.arange(len(diagonal))
            expected = replaced(x, (at, at), diagonal)
            self.check(paddle.diagonal_scatter, expected, x, diagonal)

    def test_scatter(self):
        for x, _ in self.each_dtype():
            # whole numbers, whose sums are exact
            x, updates = (
                np.resize(self.rng.integers(-4, 5, n), x.shape).astype(x.dtype)
                for n in (PATTERN, PATTERN + 2)
            )
            index = self.rng.permutation(len(x))[: len(x) // 2]
            updates, slots = updates[: len(index)], paddle.to_tensor(index)
            expected = replaced(x, index, updates)
            self.check(partial(scatter, slots), expected, x, updates)
            expected = replaced(x, index, x[index] + updates)
            self.check(partial(add, slots), expected, x, updates)

    def test_gradient_of_updates(self):
        for x, out_grad in self.each_dtype():
            if x.dtype == 'int8':
                continue  # has no gradients
            index = self.rng.permutation(len(x))
            call = partial(updates_grad, paddle.to_tensor(index))
            self.check(call, out_grad[index], x, out_grad)


if __name__ == '__main__':
    unittest.main()
