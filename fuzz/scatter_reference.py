"""scatter and its gradients, in numpy: `axis` first, then one slot at a time."""

import numpy as np
from scatter_test_utils import HALF_DTYPES, to_numbers

from fuzz.compare import Exact, Near, accumulator_epsilon, scaled, sizes


def _slots(index, size):
    flat = index.reshape(-1).astype('int64')
    return np.where(flat < 0, flat + size, flat)


def _rows(case, updates, index):
    """The slices of updates that are used, along the first axis."""
    if index.ndim == 0:
        return updates[None]
    return np.moveaxis(updates, case.attrs['axis'], 0)[: index.size]


def _wide(array, dtype, reduce):
    """The type to compute in. Integers keep theirs, so that they wrap, but for
    a mean, which is exact."""
    array = to_numbers(array, dtype)
    if array.dtype.kind == 'f':
        return array.astype('float64')
    if array.dtype.kind == 'c':
        return array.astype('complex128')
    return array.astype(object) if reduce == 'mean' else array


def _counts(slots, size, rank, include_self=False):
    counts = np.bincount(slots, minlength=size) + include_self
    return counts.reshape(-1, *[1] * (rank - 1))


def _touched(slots, size):
    touched = np.zeros(size, bool)
    touched[slots] = True
    return touched


def _accumulate(reduce, target, slots, rows):
    """Reduces rows into target, which holds what the reduction starts from."""
    if reduce in ('sum', 'mean'):
        add = np.logical_or if target.dtype == bool else np.add
        add.at(target, slots, rows)
    elif reduce == 'mul':
        np.multiply.at(target, slots, rows)
    else:
        {'amax': np.maximum, 'amin': np.minimum}[reduce].at(target, slots, rows)


def _least(dtype):
    return -np.inf if dtype.kind == 'f' else np.iinfo(dtype).min


def _greatest(dtype):
    return np.inf if dtype.kind == 'f' else np.iinfo(dtype).max


def _identity(reduce, dtype):
    if reduce == 'mul':
        return 1
    if reduce == 'amax':
        return _least(dtype)
    return _greatest(dtype) if reduce == 'amin' else 0


def _mean(total, counts):
    counts = np.maximum(counts, 1)
    if total.dtype == object:
        return total // counts
    return scaled(total, 1 / counts)


def _reduced(x, slots, rows, reduce, include_self):
    """x with the reduction of each slot in its place, computed as given."""
    out, size = x.copy(), x.shape[0]
    touched = _touched(slots, size)
    if not include_self:
        out[touched] = _identity(reduce, x.dtype)
    _accumulate(reduce, out, slots, rows)
    if reduce == 'mean':
        counts = _counts(slots, size, x.ndim, include_self)
        out[touched] = _mean(out, counts)[touched]
    return out


def _bound(case, x, slots, rows):
    """How far rounding inside the accumulator may lead."""
    reduce = case.attrs['reduce']
    epsilon = accumulator_epsilon(case.dtype)
    if reduce in ('amax', 'amin') or not epsilon:
        return np.zeros(())
    size = np.abs if reduce == 'mul' else sizes
    scale = _reduced(
        size(x), slots, size(rows), reduce, case.attrs['include_self']
    )
    counts = _counts(slots, x.shape[0], x.ndim)
    touched = counts > 0
    return np.where(touched, scaled(scale, epsilon * 4 * (counts + 2)), 0.0)


def _assigned(x, slots, rows):
    out = x.copy()
    out[slots] = rows  # of equal slots numpy keeps the last
    return out


def forward(case, arrays):
    attrs, axis = case.attrs, case.attrs['axis']
    x = np.moveaxis(arrays['x'], axis, 0)
    slots = _slots(arrays['index'], x.shape[0])
    rows = _rows(case, arrays['updates'], arrays['index'])
    if attrs['overwrite']:
        out = np.moveaxis(_assigned(x, slots, rows), 0, axis)
        return Exact(np.ascontiguousarray(out).reshape(out.shape))
    reduce = attrs['reduce']
    wide, wide_rows = (_wide(a, case.dtype, reduce) for a in (x, rows))
    with np.errstate(all='ignore'):
        out = _reduced(wide, slots, wide_rows, reduce, attrs['include_self'])
        bound = _bound(case, wide, slots, wide_rows)
    if out.dtype == object:
        out = out.astype(case.dtype)
    bound = np.broadcast_to(bound, out.shape)
    return Near(np.moveaxis(out, 0, axis), np.moveaxis(bound, 0, axis))


def _winners(slots, size):
    """Which rows a call with overwrite leaves in the result."""
    last = np.full(size, -1)
    last[slots] = np.arange(slots.size)
    return last[slots] == np.arange(slots.size)


def _others(rows):
    """For each row the product of the others, which may hold zeros."""
    before, after = np.ones_like(rows), np.ones_like(rows)
    before[1:] = np.cumprod(rows, 0)[:-1]
    after[:-1] = np.cumprod(rows[::-1], 0)[::-1][1:]
    return before * after


def _mul_gradients(case, x, slots, rows, grad):
    """Gradients and the counts of factors that their errors grow with."""
    x_grad, row_grads = grad.copy(), np.zeros_like(rows)
    terms, row_terms = np.zeros(x.shape[0]), np.zeros(rows.shape[0])
    order = np.argsort(slots, kind='stable')
    starts = np.flatnonzero(np.diff(slots[order], prepend=-1))
    for chosen in np.split(order, starts[1:]) if order.size else ():
        slot = slots[chosen[0]]
        factors = rows[chosen]
        if case.attrs['include_self']:
            factors = np.concatenate([x[slot][None], factors])
        others = np.conj(_others(factors)) * grad[slot]
        own = len(factors) - len(chosen)
        row_grads[chosen] = others[own:]
        x_grad[slot] = others[0] if own else 0
        row_terms[chosen] = terms[slot] = len(factors)
    return x_grad, row_grads, terms, row_terms


def _extreme_gradients(case, x, slots, rows, grad):
    """Equal elements share the gradient evenly."""
    include_self = case.attrs['include_self']
    best = _reduced(x, slots, rows, case.attrs['reduce'], include_self)
    touched = _touched(slots, x.shape[0])
    x_wins = x == best
    if not include_self:
        x_wins[touched] = False
    row_wins = rows == best[slots]
    ties = x_wins.astype('int64')
    np.add.at(ties, slots, row_wins)
    share = grad / np.maximum(ties, 1)
    x_grad = np.where(x_wins, share, 0)
    x_grad[~touched] = grad[~touched]
    return x_grad, np.where(row_wins, share[slots], 0)


def _linear_gradients(case, x, slots, rows, grad):
    attrs, size = case.attrs, x.shape[0]
    touched = _touched(slots, size)
    share = grad
    if attrs['reduce'] == 'mean':
        counts = _counts(slots, size, x.ndim, attrs['include_self'])
        share = _mean(grad, counts)
    x_grad = grad.copy()
    x_grad[touched] = share[touched] if attrs['include_self'] else 0
    row_grads = share[slots]
    if attrs['overwrite']:
        row_grads[~_winners(slots, size)] = 0
    return x_grad, row_grads


def _by_slot(case, x, slots, rows, grad):
    """Gradients along the first axis and the number of roundings of each."""
    if case.attrs['reduce'] == 'mul':
        return _mul_gradients(case, x, slots, rows, grad)
    if case.attrs['reduce'] in ('amax', 'amin'):
        grads = _extreme_gradients(case, x, slots, rows, grad)
    else:
        grads = _linear_gradients(case, x, slots, rows, grad)
    return *grads, np.ones(x.shape[0]), np.ones(rows.shape[0])


def _near(case, numbers, terms):
    terms = terms.reshape(-1, *[1] * (numbers.ndim - 1))
    epsilon = accumulator_epsilon(case.dtype)
    if case.attrs['overwrite'] or case.attrs['reduce'] == 'sum':
        epsilon = 0.0
    elif case.dtype in HALF_DTYPES and case.attrs['reduce'] == 'mul':
        epsilon *= 2
    return numbers, epsilon * 4 * (terms + 2) * np.abs(numbers)


def gradients(case, arrays, out_grad):
    axis, dtype = case.attrs['axis'], case.dtype
    x, grad = (
        np.moveaxis(_wide(a, dtype, ''), axis, 0)
        for a in (arrays['x'], out_grad)
    )
    index, updates = arrays['index'], arrays['updates']
    slots = _slots(index, x.shape[0])
    rows = _wide(_rows(case, updates, index), dtype, '')
    x_grad, row_grads, x_terms, row_terms = _by_slot(case, x, slots, rows, grad)
    x_near = _near(case, x_grad, x_terms)
    row_near = _near(case, row_grads, row_terms)
    return {
        'x': Near(*(np.moveaxis(a, 0, axis) for a in x_near)),
        'source': Near(*(_unused(a, axis, updates, index) for a in row_near)),
    }


def _unused(rows, axis, updates, index):
    """In the shape of updates, with zeros for slices behind the index."""
    if index.ndim == 0:
        return rows[0]
    out = np.zeros(updates.shape, rows.dtype)
    np.moveaxis(out, axis, 0)[: index.size] = rows
    return out
