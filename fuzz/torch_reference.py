"""The same calls in PyTorch, where it has them: a check of the reference."""

import torch
from scatter_test_utils import to_torch, torch_to_numpy

WIDE_DTYPES = ('float32', 'float64', 'complex64', 'complex128')
_NAMES = {'mul': 'prod', 'mean': 'mean', 'amax': 'amax', 'amin': 'amin'}


def _distinct(index, size):
    flat = index.reshape(-1).remainder(size) if size else index.reshape(-1)
    return flat.unique().numel() == flat.numel()


def _reduces(case):
    """Whether PyTorch reduces these elements in the same way."""
    attrs = case.attrs
    if attrs['overwrite']:
        return True
    if case.dtype not in (*WIDE_DTYPES, 'int32', 'int64'):
        return False
    if case.dtype.startswith('complex'):
        # it multiplies by one, which makes NaN of infinity
        return attrs['reduce'] == 'sum' and case.values != 'any'
    if attrs['reduce'] == 'sum':
        return True
    return attrs['reduce'] != 'mean' or 'int' not in case.dtype


def has_gradients(case, arrays):
    """Whether PyTorch has the gradients, in the precision of the dtype."""
    no_complex = ('select_scatter', 'diagonal_scatter')
    if case.dtype.startswith('complex') and case.api in no_complex:
        return False
    if case.attrs.get('reduce') in ('amax', 'amin'):
        # it counts an equal element of x as a tie that takes no part
        if not case.attrs['include_self']:
            return False
    return case.dtype in WIDE_DTYPES and has(case, arrays)


def has(case, arrays):
    """Whether PyTorch has the call."""
    if case.api != 'scatter':
        # it casts no values, and its NaN of a bfloat16 has other bits
        number = case.attrs.get('number')
        other_nan = case.dtype == 'bfloat16' and number != number
        return 'cast_from' not in case.attrs and not other_nan
    index = torch.from_numpy(arrays['index'].copy())
    size = case.shape[case.attrs['axis']]
    if case.attrs['overwrite'] and not _distinct(index, size):
        return False
    # the other form of index_copy takes no empty slices
    return 0 not in case.shape and _reduces(case)


def _scatter(case, x, index, updates):
    axis, reduce = case.attrs['axis'] % x.dim(), case.attrs['reduce']
    if index.dim() == 0:
        updates = updates.unsqueeze(axis)
    index = index.reshape(-1).long()
    index = torch.where(index < 0, index + x.shape[axis], index)
    updates = updates.narrow(axis, 0, index.numel())
    if case.attrs['overwrite']:
        return x.index_copy(axis, index, updates)
    include_self = case.attrs['include_self']
    if reduce == 'sum':
        start = x if include_self else x.index_fill(axis, index, 0)
        return start.index_add(axis, index, updates)
    return x.index_reduce(
        axis, index, updates, _NAMES[reduce], include_self=include_self
    )


def _number(number):
    """A Python number without loss."""
    wide = {float: torch.float64, complex: torch.complex128}
    return torch.tensor(number, dtype=wide.get(type(number)))


def call(case, tensors, attrs):
    """The call on PyTorch's Tensors."""
    x, *others = tensors.values()
    if case.api == 'scatter':
        return _scatter(case, x, *others)
    if case.api == 'masked_scatter':
        mask, value = others
        shape = torch.broadcast_shapes(x.shape, mask.shape)
        return x.expand(shape).masked_scatter(mask, value)
    if case.api == 'masked_fill':
        mask = others[0].bool()
        if len(others) == 2:
            return torch.where(mask, others[1], x)
        return torch.where(mask, _number(attrs['value']).to(x.dtype), x)
    return getattr(torch, case.api)(x, *others, *case.attrs.values())


def forward(case, arrays, attrs):
    """The result as an array in storage form."""
    tensors = {name: to_torch(array) for name, array in arrays.items()}
    return torch_to_numpy(call(case, tensors, attrs))


def gradients(case, arrays, attrs, out_grad):
    """The gradients of `x` and `source`, of those that are asked for."""
    names = {'x': 'x', 'source': case.source}
    wanted = {key: names[key] for key in case.grads_of}
    tensors = {
        name: to_torch(array, requires_grad=name in wanted.values())
        for name, array in arrays.items()
    }
    found = torch.autograd.grad(
        call(case, tensors, attrs),
        [tensors[name] for name in wanted.values()],
        to_torch(out_grad),
        allow_unused=True,
    )
    return {
        key: torch_to_numpy(grad)
        for key, grad in zip(wanted, found)
        if grad is not None
    }
