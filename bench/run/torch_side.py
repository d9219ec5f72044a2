"""A case called through PyTorch: every way that it has to the same result.

A way is a function of x; the suffix '_' makes it write into x. Where a way
takes two steps the second may write in place: the first made the copy.
"""

import torch

from bench.run import inputs

VERSION = torch.__version__
# Copies, as paddle's does: numpy asks for huge pages, torch does not.
load = torch.tensor
gradients = torch.autograd.grad


def setup(threads):
    """Use so many threads."""
    torch.set_num_threads(threads)


def quiet():
    """Nothing to do: torch's idle threads sleep at once."""


def _method(name, *operands, **options):
    return lambda x: getattr(x, name)(*operands, **options)


def _scatters(case, t, suffix):
    axis, index, updates = case['axis'], t['index'], t['updates']
    dims = [1] * updates.dim()
    dims[axis] = -1
    # an index for each element, without memory for it
    spread = index.view(dims).expand_as(updates)
    by_slice, by_element = (axis, index, updates), (axis, spread, updates)
    reduce = case['reduce'].replace('mul', 'prod')  # as PyTorch calls it
    if reduce == 'assign':
        across = updates.transpose(0, axis)
        put = _method('index_put' + suffix, (index,), across)
        return {
            'index_copy': _method('index_copy' + suffix, *by_slice),
            'scatter': _method('scatter' + suffix, *by_element),
            'index_put': lambda x: put(x.transpose(0, axis)).transpose(0, axis),
        }
    reducers = {'index_reduce': by_slice, 'scatter_reduce': by_element}
    adders = {}
    if reduce == 'sum':
        adders = {'index_add': by_slice, 'scatter_add': by_element}
        del reducers['index_reduce']

    def adder(name, operands):
        if case['include_self']:
            return _method(name + suffix, *operands)
        clear = _method('index_fill' + suffix, axis, index, 0)
        return lambda x: getattr(clear(x), name + '_')(*operands)

    found = {name: adder(name, adders[name]) for name in adders}
    for name, operands in reducers.items():
        rest = {'reduce': reduce, 'include_self': case['include_self']}
        found[name] = _method(name + suffix, *operands, **rest)
    return found


def _where(mask, value, suffix):
    if suffix:
        return lambda x: torch.where(mask, value, x, out=x)
    return lambda x: torch.where(mask, value, x)


def _fills(case, t, suffix):
    mask, value = inputs.operands(case, t)
    ways = {}
    if 'value' not in t or value.dim() == 0:
        ways['masked_fill'] = _method('masked_fill' + suffix, mask, value)
    # in place it takes no number
    other = torch.as_tensor(value, dtype=t['x'].dtype) if suffix else value
    return {**ways, 'where': _where(mask, other, suffix)}


def _masked_scatters(case, t, suffix):
    mask, value = t['mask'], t['value']

    def flat_mask(x):
        shape = torch.broadcast_shapes(x.shape, mask.shape)
        return shape, mask.expand(shape).reshape(-1)

    def index_put(x):
        shape, flat = flat_mask(x)
        # an in-place call has an x of the whole shape: this is a view of it
        put = _method('index_put' + suffix, (flat,), value)
        return put(x.expand(shape).reshape(-1)).view(shape)

    def where(x):
        shape, flat = flat_mask(x)
        # -1 before the first True: the last value, which nothing reads
        places = flat.cumsum(0, dtype=torch.int32).sub_(1).view(shape)
        return _where(mask, value[places], suffix)(x)

    usual = _method('masked_scatter' + suffix, mask, value)
    return {'masked_scatter': usual, 'index_put': index_put, 'where': where}


SEVERAL = {
    'masked_scatter': _masked_scatters,
    'masked_fill': _fills,
    'scatter': _scatters,
}


def ways(case, t):
    """{name: a function of x that runs the case on the tensors `t`}"""
    if case.op in SEVERAL:
        return SEVERAL[case.op](case, t, '_' * (case.mode == 'inplace'))
    function, rest = getattr(torch, case.op), inputs.operands(case, t)
    return {case.op: lambda x: function(x, *rest)}
