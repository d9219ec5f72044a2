"""Large operands: the bits of results and gradients do not depend on the number of
threads, nor on what was in the memory of an output that no cache has room for. And
more elements than an int32 counts."""

import ctypes
import os
import unittest
from dataclasses import replace

import masked_fill_cases
import masked_scatter_cases
import numpy as np
from index_reduce_cases import LINEAR, REDUCES, scatter_case
from masked_cases import kinds_of_masks
from op_table import Case, TableTests
from scatter_test_utils import (
    GRAD_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    to_paddle,
)
from view_scatter_cases import (
    DIAGONAL,
    LARGE_DIAGONAL_CASES,
    LARGE_SELECT_CASES,
    SELECT,
    diagonal_case,
    select_case,
)

import paddle

# glibc then keeps the memory of a freed output for the next one: what a kernel
# leaves unwritten is not zero.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
for parameter in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
    ctypes.CDLL(None).mallopt(parameter, 1 << 30)

ROWS, COLUMNS = 499, 1025
FULL = ROWS, COLUMNS
WIDTH = 2049
# (shape of x, of mask, of value)
SCATTERED = (
    (FULL, FULL, FULL),
    (FULL, (ROWS, 1), FULL),
    (FULL, (COLUMNS,), FULL),
    ((COLUMNS,), FULL, FULL),
    ((ROWS, 1), (COLUMNS,), FULL),
    ((), FULL, FULL),
)
FILLED = (
    (FULL, FULL, FULL),
    (FULL, FULL, (COLUMNS,)),
    (FULL, (ROWS, 1), (ROWS, 1)),
    ((COLUMNS,), FULL, ()),
    ((ROWS, 1), (COLUMNS,), (ROWS, 1)),
)
# (shape of x, axis, dtypes)
REDUCED = (
    ((150, 400), 0, ('float32', 'float16')),
    ((60000,), 0, ('float32', 'float16')),
    ((200, 300), 1, ('float32', 'complex64')),
    ((60, 800, 2), 1, ('float32', 'complex64')),
)


def masked_cases(rows):
    rng = np.random.default_rng(16)
    return [
        Case(f'{x}, {kind} of {shape}', {'x': x, 'mask': mask, 'value': value})
        for x, shape, value in rows
        for kind, mask in kinds_of_masks(rng, shape)
        if kind in ('half', 'runs', 'first half')
    ]


def rows_past_caches(dtype):
    return (33 << 20) // (WIDTH * np.dtype(dtype).itemsize) + 1


def repeated(rng, shape, dtype, finite, **options):
    """Few random elements many times; whole numbers where sums are to be exact."""
    if options.get('reduce'):
        some = rng.integers(0, 5, 100_003).astype(dtype)
    else:
        some = random_array(rng, (100_003,), dtype)
    return np.resize(some, shape)


def kinds_of_indexes(size):
    rng = np.random.default_rng(0)
    yield 'random', rng.integers(-size, size, 2 * size)
    yield 'one slot', np.full(2 * size, size // 2)
    yield 'two slots', rng.choice([0, size - 1], 2 * size)


def scatter_cases():
    return [
        scatter_case((kind, shape, axis, index, 0), reduce, True, dtypes)
        for shape, axis, dtypes in REDUCED
        for kind, index in kinds_of_indexes(shape[axis])
        for reduce in REDUCES
    ]


class LargeTests(TableTests):
    """A TestCase sets op and cases; past_caches(rows) gives those of outputs past
    the caches, of rows that begin anywhere in a cache line."""

    dtypes = 'int8', 'float16', 'complex128'

    def test_bits_do_not_depend_on_the_threads(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)  # as at start
        self.for_each(self.check_threads, self.dtypes)

    def check_threads(self, case, dtype):
        arrays = case.arrays(self.op, dtype)
        paddle.base.core.set_num_threads(1)
        expected = self.results(case, dtype, arrays)
        if self.op.moves:
            assert_same_bits(expected[0], case.reference(self.op, arrays))
        for threads in (2, 5):
            paddle.base.core.set_num_threads(threads)
            found = self.results(case, dtype, arrays)
            for got, wanted in zip(found, expected):
                assert_same_bits(got, wanted, f'{threads} threads')

    def test_outputs_past_the_caches(self):
        for dtype in ('int8', 'float16', 'float32', 'float64', 'complex128'):
            for case in self.past_caches(rows_past_caches(dtype)):
                with self.subTest(case=case.name, dtype=dtype):
                    self.check_past_caches(case, dtype)

    def check_past_caches(self, case, dtype):
        op = replace(self.op, draw=repeated)
        arrays = case.arrays(op, dtype)
        others = {
            name: array[::-1].copy() if name in op.differentiable else array
            for name, array in arrays.items()
        }
        for given in others, arrays:
            out = None  # frees the memory that the next one gets
            out = op.function(*op.tensors(given).values(), **case.options)
        assert_same_bits(out, case.reference(op, arrays))

    def results(self, case, dtype, arrays):
        """The result, what the in-place form makes of x, and gradients."""
        wrt = self.op.differentiable if dtype in GRAD_DTYPES else ()
        tensors = self.op.tensors(arrays, wrt)
        x, *others = tensors.values()
        out = self.op.function(x, *others, **case.options)
        found = [out.numpy()]
        if self.op.inplace and out.shape == x.shape:
            copy = x.detach().clone()
            others = [tensor.detach() for tensor in others]
            self.op.inplace(copy, *others, **case.options)
            found.append(copy.numpy())
        if wrt:
            rng = np.random.default_rng(17)
            out_grad = self.op.draw(rng, out.shape, dtype, False)
            leaves = [tensors[name] for name in wrt]
            grads = paddle.grad([out], leaves, [to_paddle(out_grad)])
            found += [grad.numpy() for grad in grads]
        return found


class TestMaskedScatter(LargeTests, unittest.TestCase):
    op, cases = masked_scatter_cases.OP, masked_cases(SCATTERED)

    def past_caches(self, rows):
        for columns in (WIDTH, 1):
            mask = random_mask(np.random.default_rng(26), (rows, columns))
            size = int(np.broadcast_to(mask, (rows, WIDTH)).sum())
            inputs = {'x': (rows, WIDTH), 'mask': mask, 'value': (size,)}
            yield Case(f'{columns} columns', inputs)


class TestMaskedFill(LargeTests, unittest.TestCase):
    op, cases = masked_fill_cases.OP, masked_cases(FILLED)

    def past_caches(self, rows):
        mask = random_mask(np.random.default_rng(26), (rows, WIDTH))
        mask[:, 100:300], mask[:, 400:700] = True, False
        for value in ((rows, WIDTH), (1,)):
            inputs = {'x': (rows, WIDTH), 'mask': mask, 'value': value}
            yield Case(f'value {value}', inputs)


class TestSelectScatter(LargeTests, unittest.TestCase):
    op, cases = SELECT, LARGE_SELECT_CASES

    def past_caches(self, rows):
        for axis in (0, 1):
            yield select_case(f'axis {axis}', (rows, WIDTH), axis, 7)


class TestDiagonalScatter(LargeTests, unittest.TestCase):
    op, cases = DIAGONAL, LARGE_DIAGONAL_CASES

    def past_caches(self, rows):
        yield diagonal_case('', (rows, WIDTH), 0, 0, 1)


class TestScatter(LargeTests, unittest.TestCase):
    op, cases = LINEAR, scatter_cases()
    dtypes = None  # those of each case

    def past_caches(self, rows):
        index = np.random.default_rng(26).permutation(rows)[: rows // 2]
        row = 'half of the rows', (rows, WIDTH), 0, index, 0
        yield scatter_case(row, 'assign', False, ())
        yield scatter_case(row, 'sum', True, ())

    def test_gradient_of_updates_past_the_caches(self):
        rng = np.random.default_rng(26)
        for dtype in ('float16', 'float32', 'float64', 'complex128'):
            shape = rows_past_caches(dtype), WIDTH
            out_grad = repeated(rng, shape, dtype, True)
            index = rng.permutation(shape[0])
            for given in out_grad[::-1].copy(), out_grad:
                x, updates = (
                    paddle.zeros(shape, dtype),
                    paddle.ones(shape, dtype),
                )
                updates.stop_gradient = False
                found = None  # frees the memory that the next one gets
                out = paddle.scatter(x, to_paddle(index), updates)
                (found,) = paddle.grad([out], [updates], [to_paddle(given)])
            assert_same_bits(found, out_grad[index], dtype)


@unittest.skipUnless(
    os.environ.get('PADDLE_SCATTER_LARGE_TESTS'),
    'needs 7 GiB and a minute: set PADDLE_SCATTER_LARGE_TESTS=1',
)
class TestMoreThanInt32Counts(unittest.TestCase):
    """masked_scatter and masked_fill, of an x that is broadcast and in place, and
    scatter in place."""

    def check(self, functions, value, expected):
        size = (1 << 31) + 11
        ends = [0, 7, (1 << 31) - 1, 1 << 31, size - 1]
        where = np.zeros((size, 1), bool)
        where[ends] = True
        for function, length in zip(functions, (1, size)):
            x = paddle.zeros([length, 1], 'int8')
            out = function(x, to_paddle(where), value).numpy().reshape(-1)
            self.assertEqual(out[ends].tolist(), expected)
            self.assertEqual(np.count_nonzero(out), len(ends))

    def test_masked_scatter(self):
        functions = paddle.masked_scatter, paddle.masked_scatter_
        value = paddle.arange(1, 8).astype('int8')
        self.check(functions, value, [1, 2, 3, 4, 5])

    def test_masked_fill(self):
        functions = paddle.masked_fill, paddle.masked_fill_
        self.check(functions, paddle.ones([1], 'int8'), [1] * 5)
        self.check(functions[:1], 3, [3] * 5)

    def test_scatter(self):
        """Each thread owns a range of slots. Of three ranges the first ends before
        2^31, and has the slot that the low half of the index is; of two, one has
        more than 2^31 slots."""
        self.addCleanup(paddle.base.core.set_num_threads, 1)  # as at start
        for threads, slot in ((3, (1 << 32) + 5), (2, (1 << 31) + 5)):
            for overwrite in (True, False):
                with self.subTest(threads=threads, overwrite=overwrite):
                    self.check_scatter(threads, slot, overwrite)

    def check_scatter(self, threads, slot, overwrite):
        paddle.base.core.set_num_threads(threads)
        memory = np.zeros((1 << 32) + 16, 'uint8')
        x = paddle.utils.dlpack.from_dlpack(memory)
        index = paddle.full([16], slot, 'int64')
        paddle.scatter_(x, index, paddle.ones([16], 'uint8'), overwrite)
        self.assertEqual(memory[slot], 1 if overwrite else 16)
        self.assertEqual(np.count_nonzero(memory), 1)


if __name__ == '__main__':
    unittest.main()
