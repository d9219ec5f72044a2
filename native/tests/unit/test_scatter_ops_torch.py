"""The numpy reference against PyTorch: results and gradients of random calls."""

import unittest

import numpy as np
import torch
from drawn_calls import describe, draw_cases
from fuzz import reference
from fuzz.arrays import COMPLEX_DTYPES, GRAD_DTYPES, HALF_DTYPES
from fuzz.compare import find_mismatch
from fuzz.draw import APIS
from fuzz.scatter_reference import normalize_index
from torch_arrays import from_torch, to_torch


def masked_scatter(x, mask, value):
    x, mask = torch.broadcast_tensors(x, mask)
    return x.masked_scatter(mask, value)


def masked_fill(x, mask, value):
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.reshape(())  # may have more dims than the result
    elif not isinstance(value, torch.Tensor):
        value = torch.from_numpy(np.array(value))
    return torch.where(mask.bool(), value.to(x.dtype), x)


def select_scatter(x, values, axis, index):
    return torch.select_scatter(x, values.to(x.dtype), axis, index)


def diagonal_scatter(x, y, offset, axis1, axis2):
    return torch.diagonal_scatter(x, y.to(x.dtype), offset, axis1, axis2)


def scatter(
    x, index, updates, axis, overwrite=True, reduce='sum', include_self=False
):
    if index.ndim == 0:
        updates = updates.unsqueeze(axis)
    index = index.flatten() % max(1, x.shape[axis])
    operands = axis, index.long(), updates.narrow(axis, 0, len(index))
    if overwrite:
        return x.index_copy(*operands)
    if reduce == 'sum':
        start = x if include_self else x.index_fill(axis, index.long(), 0)
        return start.index_add(*operands)
    name = {'mul': 'prod'}.get(reduce, reduce)
    return x.index_reduce(*operands, name, include_self=include_self)


FUNCTIONS = {f.__name__: f for f in (
    masked_scatter, masked_fill, select_scatter, diagonal_scatter, scatter
)}  # fmt: skip


# PyTorch accumulates half types in half types, and means of small integers wrap
# around. Complex sums compute alpha * inf, which is NaN; other complex reductions
# are missing.
UNSUPPORTED = {
    'assign': (),
    'sum': HALF_DTYPES,
    'mean': (*HALF_DTYPES, *COMPLEX_DTYPES, 'uint8', 'int8', 'int16'),
    'mul': (*HALF_DTYPES, *COMPLEX_DTYPES),
    'amax': (),
    'amin': (),
}


def is_supported(case):
    is_complex = case.dtype in COMPLEX_DTYPES
    if case.wrt:
        if case.dtype not in GRAD_DTYPES:
            return False
        if case.api == 'select_scatter' and is_complex:
            return False  # not differentiable in PyTorch
        if case.api.startswith('masked') and case.dtype in HALF_DTYPES:
            return False  # sums over broadcast axes accumulate in half types
    if case.api != 'scatter':
        return True
    if case.reduce == 'assign':  # any duplicate may win in PyTorch
        index = case.arrays['index'].reshape(-1)
        size = case.arrays['x'].shape[case.options['axis']]
        return len(np.unique(normalize_index(index, size))) == index.size
    if is_complex and case.kind == 'any':
        return False
    return case.dtype not in UNSUPPORTED[case.reduce]


class TestReference(unittest.TestCase):
    def test_results_and_gradients(self):
        for api in APIS:
            for case in draw_cases(api, 200, is_supported):
                with self.subTest(api=api, **describe(case)):
                    self.check(case)

    def check(self, case):
        tensors = {
            name: to_torch(array, name in case.wrt)
            for name, array in case.arrays.items()
        }
        out = FUNCTIONS[case.api](*tensors.values(), **case.options)
        self.assert_matches(out, reference.forward(case), case)
        if case.wrt:
            out_grad = case.out_grad()
            wrt = [tensors[name] for name in case.wrt]
            grads = torch.autograd.grad(out, wrt, to_torch(out_grad))
            expected = reference.gradients(case, out_grad)
            for name, grad in zip(case.wrt, grads):
                self.assert_matches(grad, expected[name], case)

    def assert_matches(self, tensor, expected, case):
        array = np.array(from_torch(tensor), order='C')
        self.assertEqual(find_mismatch(array, expected, case.dtype), '')


if __name__ == '__main__':
    unittest.main()
