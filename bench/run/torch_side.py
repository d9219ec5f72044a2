"""A case called through PyTorch: every way that it has to the same result.

A way is a function of x; the suffix '_' makes it write into x. Where a way
takes two steps the second may write in place: the first made the copy.
"""

import torch

from bench.run import inputs

# Copies, as paddle's does: numpy asks for huge pages, torch does not.
load = torch.tensor
gradients = torch.autograd.grad
SCATTERS = {
    'assign': ('index_copy', 'scatter'),
    'sum': ('index_add', 'scatter_add', 'scatter_reduce'),
}
REDUCERS = 'index_reduce', 'scatter_reduce'


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
    reduce = case['reduce'].replace('mul', 'prod')  # as PyTorch calls it
    own = case['include_self'] or reduce == 'assign'
    clear = _method('index_fill' + suffix, axis, index, 0)

    def way(name):
        places = index if name.startswith('index') else spread
        operands = axis, places, updates
        if name.endswith('reduce'):
            rest = {'reduce': reduce, 'include_self': own}
            return _method(name + suffix, *operands, **rest)
        if own:
            return _method(name + suffix, *operands)
        return lambda x: getattr(clear(x), name + '_')(*operands)

    found = {name: way(name) for name in SCATTERS.get(reduce, REDUCERS)}
    if reduce == 'assign':
        across = updates.swapdims(0, axis)
        put = _method('index_put' + suffix, (index,), across)
        found['index_put'] = lambda x: put(x.swapdims(0, axis)).swapdims(
            0, axis
        )
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

    def index_put(x):
        taken = (mask.expand_as(x).reshape(-1),)
        put = _method('index_put' + suffix, taken, value)
        return put(x.view(-1)).view_as(x)

    def where(x):
        counted = mask.expand_as(x).reshape(-1).cumsum(0, dtype=torch.int32)
        # -1 before the first True: the last value, which nothing reads
        places = counted.sub_(1).view_as(x)
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
