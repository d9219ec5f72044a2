"""The bits of results and gradients do not depend on the number of threads."""

import unittest

import masked_fill_cases
import masked_scatter_cases
import numpy as np
from index_reduce_cases import LINEAR, REDUCES, scatter_case
from masked_cases import kinds_of_masks
from op_table import Case, TableTests
from scatter_test_utils import GRAD_DTYPES, assert_same_bits, to_paddle
from view_scatter_cases import (
    DIAGONAL,
    LARGE_DIAGONAL_CASES,
    LARGE_SELECT_CASES,
    SELECT,
)

import paddle

ROWS, COLUMNS = 499, 1025
FULL = ROWS, COLUMNS
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
# (shape of x, axis)
REDUCED = (
    ((150, 400), 0),
    ((60000,), 0),
    ((200, 300), 1),
    ((60, 800, 2), 1),
)


def masked_cases(rows):
    rng = np.random.default_rng(16)
    return [
        Case(f'{x}, {kind} of {shape}', {'x': x, 'mask': mask, 'value': value})
        for x, shape, value in rows
        for kind, mask in kinds_of_masks(rng, shape)
        if kind in ('half', 'runs', 'first half')
    ]


def kinds_of_indexes(size):
    rng = np.random.default_rng(0)
    yield 'random', rng.integers(-size, size, 2 * size)
    yield 'one slot', np.full(2 * size, size // 2)
    yield 'two slots', rng.choice([0, size - 1], 2 * size)


def scatter_cases():
    return [
        scatter_case((kind, shape, axis, index, 0), reduce, True, dtypes)
        for shape, axis in REDUCED
        for dtypes in [('float32', 'complex64' if axis else 'float16')]
        for kind, index in kinds_of_indexes(shape[axis])
        for reduce in REDUCES
    ]


class ThreadTests(TableTests):
    """A TestCase sets op, cases and dtypes."""

    dtypes = 'int8', 'float16', 'complex128'

    def test_bits_do_not_depend_on_the_threads(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)  # as at start
        self.for_each(self.check, self.dtypes)

    def check(self, case, dtype):
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


class TestMaskedScatter(ThreadTests, unittest.TestCase):
    op, cases = masked_scatter_cases.OP, masked_cases(SCATTERED)


class TestMaskedFill(ThreadTests, unittest.TestCase):
    op, cases = masked_fill_cases.OP, masked_cases(FILLED)


class TestSelectScatter(ThreadTests, unittest.TestCase):
    op, cases = SELECT, LARGE_SELECT_CASES


class TestDiagonalScatter(ThreadTests, unittest.TestCase):
    op, cases = DIAGONAL, LARGE_DIAGONAL_CASES


class TestScatter(ThreadTests, unittest.TestCase):
    op, cases = LINEAR, scatter_cases()
    dtypes = None  # those of each case


if __name__ == '__main__':
    unittest.main()
