"""scatter and its gradients in numpy, with `axis` moved to the front."""

import numpy as np

from fuzz.arrays import COMPLEX_DTYPES, HALF_DTYPES, to_double
from fuzz.compare import Approximation, accumulator_epsilon

LINEAR_REDUCES = ('assign', 'sum', 'mean')
OTHER_REDUCES = ('mul', 'amax', 'amin')
REDUCES = ('assign', 'sum', 'mul', 'mean', 'amax', 'amin')
_UFUNCS = {'mul': np.multiply, 'amax': np.maximum, 'amin': np.minimum}


def is_defined(reduce, dtype):
    """Return whether the reduction exists for the dtype."""
    if reduce in ('assign', 'sum'):
        return True
    ordered = reduce in ('amax', 'amin')
    return dtype != 'bool' and not (ordered and dtype in COMPLEX_DTYPES)


def scatter_options(axis, reduce, include_self):
    """Return the keyword arguments of paddle.scatter for a reduction."""
    if reduce == 'assign':
        return {'axis': axis}
    return {
        'overwrite': False,
        'axis': axis,
        'reduce': reduce,
        'include_self': include_self,
    }


def normalize_index(index, size):
    """Flatten the index and wrap negative entries."""
    flat = np.asarray(index).reshape(-1)
    return np.where(flat < 0, flat + size, flat)


class Call:
    """The rows of a call, and the slice of x that each of them reduces into.

    The rows are the slices of x that contribute (include_self, or a slice without
    an update), then the rows of updates. Every slice has a row.
    """

    def __init__(self, case):
        x, index, updates = case.arrays.values()
        self.case, self.axis = case, case.options['axis']
        if index.ndim == 0:
            updates = np.expand_dims(updates, self.axis)
        x, updates = (np.moveaxis(a, self.axis, 0) for a in (x, updates))
        self.moved = {'x': x, 'updates': updates}
        slices = normalize_index(index, len(x)).astype('int64')
        touched = np.isin(np.arange(len(x)), slices)
        include_self = case.options.get('include_self', False)
        self.own = np.flatnonzero(~touched | include_self)
        self.slices = np.concatenate([self.own, slices])
        self.rows = np.concatenate([x[self.own], updates[: slices.size]])
        counts = np.bincount(self.slices, minlength=len(x))
        self.order = np.argsort(self.slices, kind='stable')
        ends = np.cumsum(counts)
        self.starts, self.last = ends - counts, self.order[ends - 1]
        self.counts = counts.reshape(-1, *[1] * (x.ndim - 1))

    def combine(self, ufunc, rows):
        """Combine the rows of each slice, in the dtype of the rows."""
        return ufunc.reduceat(rows[self.order], self.starts, dtype=rows.dtype)

    def reduced(self, rows):
        if self.case.reduce == 'assign':
            return rows[self.last]
        out = self.combine(_UFUNCS.get(self.case.reduce, np.add), rows)
        return self.divide(out) if self.case.reduce == 'mean' else out

    def divide(self, total):
        """Divide each slice by its number of rows."""
        if total.dtype.kind in 'iu':
            return total // self.counts
        if not np.iscomplexobj(total):
            return total / self.counts
        out = np.empty_like(total)  # inf / (1 + 0j) is NaN
        out.real, out.imag = total.real / self.counts, total.imag / self.counts
        return out

    def bound(self, rows):
        """Bound the rounding error of the accumulator."""
        epsilon = accumulator_epsilon(self.case.dtype)
        if self.case.reduce in ('amax', 'amin') or not epsilon:
            return np.zeros(())
        bound = epsilon * 4 * (self.counts + 1) * self.reduced(np.abs(rows))
        return np.where(self.counts > 1, bound, 0.0)

    def split(self, values):
        """Split the rows into arrays of the shapes of x and updates."""
        places = self.own, slice(len(self.slices) - len(self.own))
        both = np.split(values, [len(self.own)])
        for name, at, part in zip(self.moved, places, both):
            out = np.zeros(self.moved[name].shape, values.dtype)
            out[at] = part
            shape = self.case.arrays[name].shape
            yield np.moveaxis(out, 0, self.axis).reshape(shape)


def forward(case):
    call = Call(case)
    if case.reduce == 'assign':
        out = call.reduced(call.rows)
        return np.array(np.moveaxis(out, 0, call.axis), order='C')
    rows = to_double(call.rows)  # integers keep their type and wrap around
    if case.reduce == 'mean' and rows.dtype.kind in 'iu':
        rows = rows.astype('int64')  # in which the sum wraps around
    with np.errstate(all='ignore'):
        out = call.reduced(rows)
        bound = np.broadcast_to(call.bound(rows), out.shape)
    if out.dtype.kind in 'iu':
        out = out.astype(case.dtype)
    return Approximation(*(np.moveaxis(a, 0, call.axis) for a in (out, bound)))


def _product_of_others(rows):
    """Return the product of the other rows for each row, exact with zeros."""
    before, after = np.ones_like(rows), np.ones_like(rows)
    before[1:] = np.cumprod(rows, 0)[:-1]
    after[:-1] = np.cumprod(rows[::-1], 0)[::-1][1:]
    return before * after


def _row_gradients(call, rows, grad):
    """Return the gradient of each row, from the gradient of its slice."""
    reduce = call.case.reduce
    shares = (call.divide(grad) if reduce == 'mean' else grad)[call.slices]
    if reduce == 'assign':
        lost = np.ones(len(rows), bool)
        lost[call.last] = False
        shares[lost] = 0
    elif reduce in ('amax', 'amin'):  # equal elements share evenly
        wins = (rows == call.reduced(rows)[call.slices]).astype('int64')
        shares *= wins / call.combine(np.add, wins)[call.slices]
    elif reduce == 'mul':
        for group in np.split(call.order, call.starts[1:]):
            if len(group) > 1:
                shares[group] *= np.conj(_product_of_others(rows[group]))
    return shares


def gradients(case, out_grad):
    call = Call(case)
    grad = np.moveaxis(to_double(out_grad), call.axis, 0)
    shares = _row_gradients(call, to_double(call.rows), grad)
    epsilon, factors = accumulator_epsilon(case.dtype), 1
    if case.reduce in ('assign', 'sum'):
        epsilon = 0.0
    elif case.reduce == 'mul':
        epsilon *= 2 if case.dtype in HALF_DTYPES else 1
        factors = call.counts[call.slices]
    bound = epsilon * 4 * (factors + 2) * np.abs(shares)
    shares = shares.astype(grad.dtype)
    pairs = zip(call.split(shares), call.split(bound))
    return {n: Approximation(*both) for n, both in zip(('x', 'updates'), pairs)}
