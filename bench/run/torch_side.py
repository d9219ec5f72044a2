"""Cases in PyTorch: every call that computes the result.

A candidate is a function of x; the suffix '_' makes it write into x. Of two
steps, only the first has the suffix: the second writes into its result.
"""

from operator import methodcaller

import torch

from bench.run import inputs
from bench.run.cases import IN_PLACE

# Copies, like Paddle: memory of numpy would be on huge pages, torch's is not.
load = torch.tensor
setup = torch.set_num_threads
compute_grads = torch.autograd.grad
SCATTERS = {
    'assign': ('index_copy', 'scatter'),
    'sum': ('index_add', 'scatter_add', 'scatter_reduce'),
    'mean': ('index_reduce', 'scatter_reduce'),
    'amax': ('index_reduce', 'scatter_reduce'),
}


def stop_spinning():
    """Do nothing: PyTorch's idle threads sleep at once."""


def make_scatters(case, suffix, index, updates):
    axis, dims = case.axis, [1] * updates.dim()
    dims[axis] = -1
    # One index per element, as a view with stride 0.
    element_indices = index.view(dims).expand_as(updates)
    keeps_x = case.include_self or case.reduce == 'assign'
    clear = methodcaller('index_fill' + suffix, axis, index, 0)
    calls = {}
    for name in SCATTERS[case.reduce]:
        indices = index if name.startswith('index') else element_indices
        arguments = axis, indices, updates
        if name.endswith('reduce'):
            options = {'reduce': case.reduce, 'include_self': keeps_x}
            calls[name] = methodcaller(name + suffix, *arguments, **options)
        elif keeps_x:
            calls[name] = methodcaller(name + suffix, *arguments)
        else:
            add = methodcaller(name + '_', *arguments)
            calls[name] = lambda x, add=add: add(clear(x))
    if case.reduce == 'assign':
        swap = methodcaller('swapdims', 0, axis)
        put = methodcaller('index_put' + suffix, (index,), swap(updates))
        calls['index_put'] = lambda x: swap(put(swap(x)))
    return calls


def make_where(mask, value, suffix):
    return lambda x: torch.where(mask, value, x, out=x if suffix else None)


def make_fills(suffix, mask, number, dtype):
    value = torch.tensor(number, dtype=dtype)
    return {
        'masked_fill': methodcaller('masked_fill' + suffix, mask, number),
        'where': make_where(mask, value, suffix),
    }


def make_masked_scatters(suffix, mask, value):
    def put(x):
        selected = (mask.expand_as(x).reshape(-1),)
        index_put = methodcaller('index_put' + suffix, selected, value)
        return index_put(x.view(-1)).view_as(x)

    def select(x):
        ranks = mask.expand_as(x).reshape(-1).cumsum(0, dtype=torch.int32)
        # -1 before the first True element: its value is not selected.
        ranks = ranks.sub_(1).view_as(x)
        return make_where(mask, value[ranks], suffix)(x)

    direct = methodcaller('masked_scatter' + suffix, mask, value)
    return {'masked_scatter': direct, 'index_put': put, 'where': select}


def make_candidates(case, tensors):
    """Return {name: function of x that computes the case}."""
    suffix = '_' * (case.mode == IN_PLACE)
    arguments = inputs.list_arguments(case, tensors)
    if case.op == 'scatter':
        return make_scatters(case, suffix, *arguments)
    if case.op == 'masked_fill':
        return make_fills(suffix, *arguments, tensors['x'].dtype)
    if case.op == 'masked_scatter':
        return make_masked_scatters(suffix, *arguments)
    function = getattr(torch, case.op)
    return {case.op: lambda x: function(x, *arguments)}
