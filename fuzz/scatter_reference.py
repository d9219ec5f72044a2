"""scatter and its gradients, in numpy: `axis` first, then one slot at a time."""

import numpy as np
from index_reduce_cases import slots_of
from op_table_grad import in_double
from scatter_test_utils import HALF_DTYPES

from fuzz.compare import Near, accumulator_epsilon

_UFUNCS = {'mul': np.multiply, 'amax': np.maximum, 'amin': np.minimum}


class Rows:
    """The arrays of a call, sliced along its axis."""

    def __init__(self, case):
        x, index, updates = case.arrays.values()
        self.x = np.moveaxis(x, case.options['axis'], 0)
        self.slots = slots_of(index, len(self.x)).astype('int64')
        if index.ndim == 0:
            self.rows = updates[None]
        else:
            updates = np.moveaxis(updates, case.options['axis'], 0)
            self.rows = updates[: index.size]
        self.reduce = case.reduce
        self.include_self = case.options.get('include_self', False)
        shape = len(self.x), *[1] * (self.x.ndim - 1)
        counts = np.bincount(self.slots, minlength=len(self.x))
        self.counts = counts.reshape(shape)
        self.touched = counts > 0

    def in_double(self):
        """Integers keep their type, so that they wrap."""
        self.x, self.rows = in_double(self.x), in_double(self.rows)

    def reduced(self, x, rows):
        """x with the reduction of each slot in its place, computed as given."""
        out, slots = x.copy(), self.slots
        if not self.include_self and self.reduce in ('amax', 'amin'):
            out[slots] = rows
        elif not self.include_self:
            out[slots] = self.reduce == 'mul'
        add = np.logical_or if x.dtype == bool else np.add
        _UFUNCS.get(self.reduce, add).at(out, slots, rows)
        return self.shared(out) if self.reduce == 'mean' else out

    def shared(self, total):
        """Touched slots divided by the number of elements of their mean."""
        counts = np.maximum(self.counts, 1)
        counts = counts + (self.include_self & (self.counts > 0))
        if total.dtype == object:
            return total // counts
        return scaled(total, 1 / counts)

    def bound(self, dtype):
        """How far rounding inside the accumulator may lead."""
        epsilon = accumulator_epsilon(dtype)
        if self.reduce in ('amax', 'amin') or not epsilon:
            return np.zeros(())
        scale = self.reduced(np.abs(self.x), np.abs(self.rows))
        bound = scale * (epsilon * 4 * (self.counts + 2))
        return np.where(self.counts > 0, bound, 0.0)


def scaled(numbers, factors):
    """The product with real factors, without the NaN of inf * (1 + 0j)."""
    if not np.iscomplexobj(numbers):
        return numbers * factors
    out = np.empty_like(numbers)
    out.real, out.imag = numbers.real * factors, numbers.imag * factors
    return out


def forward(case):
    rows, axis = Rows(case), case.options['axis']
    if case.reduce == 'assign':
        out = rows.x.copy()
        out[rows.slots] = rows.rows  # of equal slots numpy keeps the last
        return np.array(np.moveaxis(out, 0, axis), order='C')
    rows.in_double()
    if case.reduce == 'mean' and rows.x.dtype.kind in 'iu':
        rows.x, rows.rows = rows.x.astype(object), rows.rows.astype(object)
    with np.errstate(all='ignore'):
        out = rows.reduced(rows.x, rows.rows)
        bound = np.broadcast_to(rows.bound(case.dtype), out.shape)
    if out.dtype == object:
        out = out.astype(case.dtype)
    return Near(np.moveaxis(out, 0, axis), np.moveaxis(bound, 0, axis))


def _others(rows):
    """For each row the product of the others, which may hold zeros."""
    before, after = np.ones_like(rows), np.ones_like(rows)
    before[1:] = np.cumprod(rows, 0)[:-1]
    after[:-1] = np.cumprod(rows[::-1], 0)[::-1][1:]
    return before * after


def _of_products(call, grad):
    x_grad, row_grads = grad.copy(), np.zeros_like(call.rows)
    own = int(call.include_self)
    order = np.argsort(call.slots, kind='stable')
    starts = np.flatnonzero(np.diff(call.slots[order], prepend=-1))
    for chosen in np.split(order, starts[1:]) if order.size else ():
        slot = call.slots[chosen[0]]
        factors = np.concatenate([call.x[slot][None][:own], call.rows[chosen]])
        others = np.conj(_others(factors)) * grad[slot]
        row_grads[chosen] = others[own:]
        x_grad[slot] = others[0] if own else 0
    return x_grad, row_grads


def _of_extremes(call, grad):
    """Equal elements share the gradient evenly."""
    best = call.reduced(call.x, call.rows)
    x_wins = call.x == best
    if not call.include_self:
        x_wins[call.touched] = False
    row_wins = call.rows == best[call.slots]
    ties = x_wins.astype('int64')
    np.add.at(ties, call.slots, row_wins)
    share = grad / np.maximum(ties, 1)
    x_grad = np.where(x_wins, share, 0)
    x_grad[~call.touched] = grad[~call.touched]
    return x_grad, np.where(row_wins, share[call.slots], 0)


def _of_sums(call, grad):
    share = call.shared(grad) if call.reduce == 'mean' else grad
    x_grad = grad.copy()
    x_grad[call.touched] = share[call.touched] if call.include_self else 0
    row_grads = share[call.slots]
    if call.reduce == 'assign':
        last, order = np.full(len(call.x), -1), np.arange(call.slots.size)
        last[call.slots] = order
        row_grads[last[call.slots] != order] = 0
    return x_grad, row_grads


_GRADIENTS = {'mul': _of_products, 'amax': _of_extremes, 'amin': _of_extremes}


def _near(case, numbers, terms):
    """A gradient whose elements come of so many factors each."""
    epsilon = accumulator_epsilon(case.dtype)
    if case.reduce in ('assign', 'sum'):
        epsilon = 0.0
    elif case.reduce != 'mul':
        terms = 1
    elif case.dtype in HALF_DTYPES:
        epsilon *= 2
    return numbers, epsilon * 4 * (terms + 2) * np.abs(numbers)


def gradients(case, out_grad):
    axis, index = case.options['axis'], case.arrays['index']
    call = Rows(case)
    call.in_double()
    grad = np.moveaxis(in_double(out_grad), axis, 0)
    x_grad, row_grads = _GRADIENTS.get(case.reduce, _of_sums)(call, grad)
    terms = call.counts + call.include_self
    x_near = _near(case, x_grad, terms)
    row_near = _near(case, row_grads, terms[call.slots])
    updates = case.arrays['updates']
    return {
        'x': Near(*(np.moveaxis(a, 0, axis) for a in x_near)),
        'updates': Near(*(_unused(a, axis, updates, index) for a in row_near)),
    }


def _unused(rows, axis, updates, index):
    """In the shape of updates, with zeros for slices behind the index."""
    if index.ndim == 0:
        return rows[0]
    out = np.zeros(updates.shape, rows.dtype)
    np.moveaxis(out, axis, 0)[: index.size] = rows
    return out
