"""PyTorch as a second reference: results of every table."""

import itertools
import unittest
from dataclasses import replace

import numpy as np
import torch
from index_reduce_cases import (
    LINEAR,
    REDUCES,
    scatter_cases,
)
from masked_fill_cases import CASES as FILL_CASES
from masked_fill_cases import OP as FILL
from masked_scatter_cases import CASES as MASKED_CASES
from masked_scatter_cases import OP as MASKED
from op_table import TableTests
from scatter_test_utils import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    to_numbers,
    to_paddle,
    to_storage,
)
from torch_arrays import from_torch, to_torch
from view_scatter_cases import (
    DIAGONAL,
    DIAGONAL_CASES,
    SELECT,
    SELECT_CASES,
)

import paddle


def masked_fill(x, mask, value):
    if value.numel() == 1:
        value = value.reshape(())  # may have more dims than the result
    return torch.where(mask, value, x)


def diagonal_scatter(x, y, **options):
    # its offset is an int of 32 bits; far past the end, every one is empty
    options['offset'] = int(np.clip(options['offset'], -(2**30), 2**30))
    names = {'axis1': 'dim1', 'axis2': 'dim2', 'offset': 'offset'}
    options = {names[name]: value for name, value in options.items()}
    return torch.diagonal_scatter(x, y, **options)


def select_scatter(x, values, axis, index):
    return torch.select_scatter(x, values, axis, index)


def scatter(
    x, index, updates, axis, overwrite=True, reduce='sum', include_self=False
):
    if index.ndim == 0:
        updates = updates.unsqueeze(axis)
    index = index.flatten() % max(1, x.shape[axis])
    operands = axis, index, updates.narrow(axis, 0, len(index))
    if overwrite:
        return x.index_copy(*operands)
    if reduce == 'sum':
        start = x if include_self else x.index_fill(axis, index, 0)
        return start.index_add(*operands)
    name = {'mul': 'prod'}.get(reduce, reduce)
    return x.index_reduce(*operands, name, include_self=include_self)


def cases_of_torch():
    """Its means wrap around in small integers; complex numbers it only adds."""
    small = 'uint8', 'int8', 'int16'
    left_out = {'mean': COMPLEX_DTYPES + small, 'mul': COMPLEX_DTYPES}
    for case in scatter_cases(REDUCES):
        others = left_out.get(case.options.get('reduce'), ())
        yield replace(case, dtypes=sorted({*case.dtypes}.difference(others)))


class TorchTests(TableTests):
    """A TestCase sets op, cases and torch_function."""

    def test_values(self):
        self.for_each(self.check_values)

    def check_values(self, case, dtype):
        arrays = case.arrays(self.op, dtype)
        theirs = type(self).torch_function(
            *map(to_torch, arrays.values()), **case.options
        )
        out = self.op.function(
            *self.op.tensors(arrays).values(), **case.options
        )
        self.assert_result(out, from_torch(theirs), dtype)


class TestMaskedScatter(TorchTests, unittest.TestCase):
    op, cases = MASKED, MASKED_CASES
    torch_function = torch.Tensor.masked_scatter


class TestMaskedFill(TorchTests, unittest.TestCase):
    op, cases = FILL, FILL_CASES
    torch_function = masked_fill


class TestSelectScatter(TorchTests, unittest.TestCase):
    op, cases = SELECT, SELECT_CASES
    torch_function = select_scatter


class TestDiagonalScatter(TorchTests, unittest.TestCase):
    op, cases = DIAGONAL, DIAGONAL_CASES
    torch_function = diagonal_scatter


class TestScatter(TorchTests, unittest.TestCase):
    op, cases = LINEAR, [*cases_of_torch()]
    torch_function = scatter


class TestHalves(unittest.TestCase):
    def test_products_are_rounded_to_nearest(self):
        # Every number times three of any size: products that are too small,
        # subnormal, between two numbers, too large, and NaN.
        rng = np.random.default_rng(2)
        bits = np.arange(1 << 16, dtype='uint16').reshape(64, 1024)
        for dtype, axis in itertools.product(HALF_DTYPES, (0, 1)):
            x = bits if dtype == 'bfloat16' else bits.view(dtype)
            shape = [64, 1024]
            shape[axis] *= 3
            sizes = 2.0 ** rng.integers(-24, 12, shape)
            updates = to_storage(sizes * rng.uniform(-2, 2, shape), dtype)
            product = to_torch(x).float()
            for part in to_torch(updates).float().chunk(3, axis):
                product = product * part
            index = paddle.arange(3 * bits.shape[axis]) % bits.shape[axis]
            out = paddle.scatter(
                to_paddle(x),
                index,
                to_paddle(updates),
                overwrite=False,
                axis=axis,
                reduce='mul',
                include_self=True,
            )
            expected = from_torch(product.to(to_torch(x).dtype))
            with self.subTest(dtype=dtype, axis=axis):
                np.testing.assert_array_equal(
                    to_numbers(out.numpy(), dtype), to_numbers(expected, dtype)
                )


if __name__ == '__main__':
    unittest.main()
