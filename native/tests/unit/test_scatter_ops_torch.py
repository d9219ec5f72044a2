"""Results and gradients of random calls, compared with PyTorch."""

import itertools

import numpy as np
import pytest
import torch
from fuzz.arrays import COMPLEX_DTYPES, GRAD_DTYPES, find_difference
from fuzz.draw import APIS, draw
from fuzz.reference import tolerance
from fuzz.run import results


def masked_scatter(x, mask, value):
    return torch.broadcast_tensors(x, mask)[0].masked_scatter(mask, value)


def masked_fill(x, mask, value):
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(np.array(value))
    value = value.reshape(()) if value.numel() == 1 else value
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
    index = index.flatten().long() % max(1, x.shape[axis])
    operands = axis, index, updates.narrow(axis, 0, len(index))
    if overwrite:
        return x.index_copy(*operands)
    if reduce == 'sum':
        start = x if include_self else x.index_fill(axis, index, 0)
        return start.index_add(*operands)
    name = {'mul': 'prod'}.get(reduce, reduce)
    return x.index_reduce(*operands, name, include_self=include_self)


def is_supported(case):
    """PyTorch accumulates half types in half types, lets any duplicate win, and has
    no complex means and products. Its means of small integers wrap around."""
    is_complex = case.dtype in COMPLEX_DTYPES
    if case.dtype in ('float16', 'bfloat16') or (
        case.wrt and case.dtype not in GRAD_DTYPES
    ):
        return False
    if case.api == 'select_scatter':  # complex ones are not differentiable
        return not (is_complex and case.wrt) and case.source_dtype != 'bfloat16'
    if case.api != 'scatter':
        return case.source_dtype != 'bfloat16'
    if case.reduce == 'assign':
        x, index = case.arrays['x'], case.arrays['index'].reshape(-1)
        slices = index % max(1, x.shape[case.options['axis']])
        return len({*slices.tolist()}) == len(slices)
    if case.reduce == 'mean' and case.dtype in ('uint8', 'int8', 'int16'):
        return False
    # Sums compute 1 * inf, which is NaN for complex numbers.
    return not is_complex or (case.reduce == 'sum' and case.kind != 'any')


@pytest.mark.parametrize('api', APIS)
def test_random_calls(api):
    cases = (draw(31, number, api) for number in itertools.count())
    for case in itertools.islice(filter(is_supported, cases), 200):
        tensors = {
            name: torch.tensor(array, requires_grad=name in case.wrt)
            for name, array in case.arrays.items()
        }
        out = globals()[api](*tensors.values(), **case.options)
        expected = {'result': out.detach().resolve_conj().numpy()}
        if case.wrt:
            wrt = [tensors[name] for name in case.wrt]
            out_grad = torch.tensor(case.out_grad())
            grads = torch.autograd.grad(out, wrt, out_grad)
            expected |= {n: g.numpy() for n, g in zip(case.wrt, grads)}
        actual = results(case)
        for name, array in expected.items():
            # PyTorch accumulates in another order.
            rtol = None if tolerance(case, name) is None else 1e-4
            assert not find_difference(actual[name], array, rtol), case.seed
