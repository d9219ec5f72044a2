"""PyTorch as a second reference: results of every table."""

import itertools
import unittest

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
    """Slot by slot in elementary operators."""
    if index.ndim == 0:
        updates = updates.unsqueeze(axis)
    target, rows = x.movedim(axis, 0), updates.movedim(axis, 0)
    slots = index.flatten() % max(1, len(target))
    found = []
    for slot, own in enumerate(target):
        chosen = list(rows[: len(slots)][slots == slot])
        if not chosen:
            found.append(own)
        elif overwrite:
            found.append(chosen[-1])
        else:
            found.append(combined([own] * include_self + chosen, reduce))
    return torch.stack(found).movedim(0, axis) if found else x.clone()


def combined(rows, reduce):
    kind = rows[0]
    if kind.dtype in (torch.float16, torch.bfloat16):
        rows = [row.float() for row in rows]
    elif reduce == 'mean' and not (
        kind.is_floating_point() or kind.is_complex()
    ):
        rows = [row.long() for row in rows]
    rows = torch.stack(rows)
    if reduce == 'mean':
        total = rows.sum(0)
        whole = not (total.is_floating_point() or total.is_complex())
        found = total // len(rows) if whole else total / len(rows)
    else:
        found = getattr(rows, {'mul': 'prod'}.get(reduce, reduce))(0)
    return found.to(kind.dtype)


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
    op, cases = LINEAR, scatter_cases(REDUCES)
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
