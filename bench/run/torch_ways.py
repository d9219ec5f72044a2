"""Every way that PyTorch has to the result of an operator with several.

A way is a function of x; the suffix '_' makes it write into x. Where a way
takes two steps the second may write in place: the first made the copy.
"""

from functools import partial

import torch


class Scatter:
    """What the ways to scatter share."""

    def __init__(self, t, attrs, suffix):
        self.axis, self.index, self.updates = (
            attrs['axis'], t['index'], t['updates'],
        )  # fmt: skip
        # as PyTorch calls them
        self.reduce = attrs['reduce'].replace('mul', 'prod')
        self.include_self, self.suffix = attrs['include_self'], suffix
        dims = [1] * self.updates.dim()
        dims[self.axis] = -1
        # an index for each element, without memory for it
        self.spread = self.index.view(dims).expand_as(self.updates)

    def method(self, x, name):
        """A method of x, or the one that writes into x."""
        return getattr(x, name + self.suffix)

    def adder(self, x, name):
        """The same, after the slots are cleared if x does not count."""
        if self.include_self:
            return self.method(x, name)
        cleared = self.method(x, 'index_fill')(self.axis, self.index, 0)
        return getattr(cleared, name + '_')


def index_copy(s, x):
    return s.method(x, 'index_copy')(s.axis, s.index, s.updates)


def scatter(s, x):
    return s.method(x, 'scatter')(s.axis, s.spread, s.updates)


def index_put(s, x):
    turned, updates = x.transpose(0, s.axis), s.updates.transpose(0, s.axis)
    out = s.method(turned, 'index_put')((s.index,), updates)
    return out.transpose(0, s.axis)


def index_add(s, x):
    return s.adder(x, 'index_add')(s.axis, s.index, s.updates)


def scatter_add(s, x):
    return s.adder(x, 'scatter_add')(s.axis, s.spread, s.updates)


def index_reduce(s, x):
    return s.method(x, 'index_reduce')(
        s.axis, s.index, s.updates, s.reduce, include_self=s.include_self
    )


def scatter_reduce(s, x):
    return s.method(x, 'scatter_reduce')(
        s.axis, s.spread, s.updates, s.reduce, include_self=s.include_self
    )


SCATTERS = {
    'assign': (index_copy, scatter, index_put),
    'sum': (index_add, scatter_add, scatter_reduce),
}
OTHERS = (index_reduce, scatter_reduce)


def scatters(t, attrs, suffix):
    """{name: function of x}"""
    shared = Scatter(t, attrs, suffix)
    ways = SCATTERS.get(attrs['reduce'], OTHERS)
    return {way.__name__: partial(way, shared) for way in ways}


def _where(mask, value, suffix):
    if suffix:
        return lambda x: torch.where(mask, value, x, out=x)
    return lambda x: torch.where(mask, value, x)


def fills(t, attrs, suffix):
    """{name: function of x}"""
    mask, ways = t['mask'], {}
    value = t['value'] if 'value' in t else attrs['value']
    if 'value' not in t or value.dim() == 0:
        ways['masked_fill'] = lambda x: getattr(x, 'masked_fill' + suffix)(
            mask, value
        )
    # in place it takes no number
    other = torch.as_tensor(value, dtype=t['x'].dtype) if suffix else value
    return {**ways, 'where': _where(mask, other, suffix)}


def _put(mask, value, suffix):
    """By the places of the Trues in the flat x."""

    def run(x):
        shape = torch.broadcast_shapes(x.shape, mask.shape)
        flat = mask.expand(shape).reshape(-1)
        # an in-place call has an x of the whole shape: this is a view of it
        out = x.expand(shape).reshape(-1)
        return getattr(out, 'index_put' + suffix)((flat,), value).view(shape)

    return run


def _gather(mask, value, suffix):
    """By the place in value of each True."""

    def run(x):
        shape = torch.broadcast_shapes(x.shape, mask.shape)
        flat = mask.expand(shape).reshape(-1)
        # -1 before the first True: the last value, which nothing reads
        places = flat.cumsum(0, dtype=torch.int32).sub_(1).view(shape)
        return _where(mask, value[places], suffix)(x)

    return run


def masked_scatters(t, attrs, suffix):
    """{name: function of x}"""
    mask, value = t['mask'], t['value']
    return {
        'masked_scatter': lambda x: getattr(x, 'masked_scatter' + suffix)(
            mask, value
        ),
        'index_put': _put(mask, value, suffix),
        'where': _gather(mask, value, suffix),
    }
