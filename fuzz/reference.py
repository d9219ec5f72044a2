"""Results and gradients of every API in numpy, in storage form (see arrays.py).

Results are exact: scatter reduces in the order of the index, and out_grad consists
of small integers, whose sums are exact. Only gradients of mul, amax and amin, and
complex products and means, are rounded differently (see `tolerance`).
"""

from dataclasses import replace
from math import prod

import numpy as np

from fuzz.arrays import COMPLEX_DTYPES, dtype_name, to_numbers, to_storage

LINEAR_REDUCES = ('assign', 'sum', 'mean')
REDUCES = (*LINEAR_REDUCES, 'mul', 'amax', 'amin')
RTOL = {'float16': 2e-3, 'bfloat16': 2e-2, 'float32': 1e-4, 'complex64': 1e-4}
_UFUNCS = {'sum': np.add, 'mean': np.add, 'mul': np.multiply}
_UFUNCS |= {'amax': np.maximum, 'amin': np.minimum}


def is_defined(reduce, dtype):
    """Return whether the reduction exists for the dtype."""
    ordered = reduce in ('amax', 'amin')
    defined = dtype != 'bool' and not (ordered and dtype in COMPLEX_DTYPES)
    return defined or reduce in ('assign', 'sum')


def tolerance(case, is_gradient=False):
    """Return the rtol of a result; None if bits are equal, 0 if NaN may differ."""
    if case.reduce == 'assign':
        return None
    linear = case.reduce in LINEAR_REDUCES
    if linear or not (is_gradient or case.dtype in COMPLEX_DTYPES):
        return 0
    return RTOL.get(case.dtype, 1e-11)


def select(array, axis, index):
    """Return the view that select_scatter overwrites."""
    return np.moveaxis(array, axis, 0)[index, ...]


def diagonal(array, offset=0, axis1=0, axis2=1):
    """Return the view that diagonal_scatter overwrites."""
    view = np.diagonal(array, offset, axis1, axis2)
    view.flags.writeable = True
    return view


_VIEWS = {'select_scatter': select, 'diagonal_scatter': diagonal}


def _widen(array, reduce='sum'):
    """Convert to the type that the kernels accumulate in."""
    array = to_numbers(array, dtype_name(array))
    if array.dtype.kind in 'iu' and reduce == 'mean':
        return array.astype('int64')
    return array.astype('float32') if array.dtype == np.float16 else array


class Scatter:
    """A call of scatter with `axis` in front."""

    def __init__(self, case):
        x, index, updates = case.arrays.values()
        self.case, self.axis = case, case.options['axis']
        self.own = case.options.get('include_self', False)
        if not index.ndim:
            updates = np.expand_dims(updates, self.axis)
        self.x, self.rows = self.moved(x), self.moved(updates)
        self.slices = index.reshape(-1) % max(1, len(self.x))

    def moved(self, array):
        return np.moveaxis(_widen(array, self.case.reduce), self.axis, 0).copy()

    def restored(self, array, name):
        """Return an array in the form of an argument."""
        shape = self.case.arrays[name].shape
        array = np.moveaxis(array, 0, self.axis).reshape(shape)
        return to_storage(array, self.case.dtype)

    def divide_by_counts(self, out):
        counts = np.bincount(self.slices, minlength=len(out)) + self.own
        counts = np.maximum(counts, 1)
        divide = np.floor_divide if out.dtype == np.int64 else np.true_divide
        for part in [out.real, out.imag] if np.iscomplexobj(out) else [out]:
            part[...] = divide(part.T, counts.astype(part.dtype)).T

    def forward(self):
        slices, out = self.slices, self.x
        rows = self.rows[: len(slices)]
        if self.case.reduce == 'assign':
            out[slices] = rows
        else:
            if not self.own:
                touched, first = np.unique(slices, return_index=True)
                out[touched] = rows[first]
                slices, rows = (np.delete(a, first, 0) for a in (slices, rows))
            _UFUNCS[self.case.reduce].at(out, slices, rows)
        if self.case.reduce == 'mean':
            self.divide_by_counts(out)
        return self.restored(out, 'x')

    def gradients(self, out_grad):
        x_grad, grads = self.moved(out_grad), np.zeros_like(self.rows)
        if self.case.reduce in LINEAR_REDUCES:
            if self.case.reduce == 'mean':
                self.divide_by_counts(x_grad)
            grads[: len(self.slices)] = x_grad[self.slices]
            x_grad[self.slices] *= self.own
        else:
            self.add_shares(x_grad, grads)
        grads = {'x': x_grad, 'updates': grads}
        return {name: self.restored(grad, name) for name, grad in grads.items()}

    def add_shares(self, x_grad, grads):
        """Multiply by the derivative with respect to each row."""
        order = np.argsort(self.slices, kind='stable')
        touched, starts = np.unique(self.slices[order], return_index=True)
        for s, at in zip(touched, np.split(order, starts[1:])):
            group = np.concatenate([self.x[[s]][: self.own], self.rows[at]])
            if self.case.reduce == 'mul':
                group = group.astype(np.result_type(group, np.float64))
                before, after = np.ones_like(group), np.ones_like(group)
                before[1:] = np.cumprod(group, 0)[:-1]
                after[:-1] = np.cumprod(group[::-1], 0)[::-1][1:]
                shares = np.conj(before * after)
            else:
                ties = group == _UFUNCS[self.case.reduce].reduce(group)
                shares = ties / ties.sum(0)
            shares = shares * x_grad[s]
            grads[at] = shares[int(self.own) :]
            x_grad[s] = shares[0] if self.own else 0


@np.errstate(all='ignore')
def forward(case):
    """Return the result of a call."""
    if case.api == 'scatter':
        return Scatter(case).forward()
    x, *masks = case.arrays.values()
    if case.source in case.arrays:
        source = to_numbers(masks.pop(), case.source_dtype)
    else:
        source = case.options['value']
    source = to_storage(source, case.dtype)
    out = np.array(np.broadcast_to(x, case.out_shape), order='C')
    if case.api in _VIEWS:
        _VIEWS[case.api](out, **case.options)[...] = source
        return out
    mask = np.broadcast_to(masks[0].astype(bool), case.out_shape)
    if case.api == 'masked_fill':
        return np.where(mask, source, out)
    out[mask] = source.reshape(-1)[: np.count_nonzero(mask)]
    return out


@np.errstate(all='ignore')
def gradients(case, out_grad):
    """Return the gradients of x and of the source, by name.

    If a call only copies elements, the call with their positions returns the
    element to whose gradient each element of out_grad is added.
    """
    if case.reduce != 'assign':
        return Scatter(case).gradients(out_grad)
    positions, size = dict(case.arrays), 0
    for name in ('x', case.source):
        shape = np.shape(case.arrays.get(name, 0))  # the value may be a scalar
        positions[name] = np.arange(size, size + prod(shape)).reshape(shape)
        size += prod(shape)
    origins = forward(
        replace(case, dtype='int64', source_dtype='int64', arrays=positions)
    )
    numbers = _widen(out_grad)
    sums = np.zeros(size, numbers.dtype)
    np.add.at(sums, origins, numbers)
    grads = to_storage(sums, case.dtype)
    return {name: grads[positions[name]] for name in ('x', case.source)}
