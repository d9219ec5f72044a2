"""Results and gradients of every API in numpy, in storage form (see arrays.py).

Results are exact: scatter reduces in the order of the index, and out_grad consists
of small integers, whose sums are exact. Only gradients of mul, amax and amin, and
complex products and means, are rounded differently (see `tolerance`).
"""

import numpy as np

from fuzz.arrays import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    dtype_name,
    to_numbers,
    to_storage,
)

LINEAR_REDUCES = ('assign', 'sum', 'mean')
REDUCES = (*LINEAR_REDUCES, 'mul', 'amax', 'amin')
_UFUNCS = {'sum': np.add, 'mean': np.add, 'mul': np.multiply}
_UFUNCS |= {'amax': np.maximum, 'amin': np.minimum}


def is_defined(reduce, dtype):
    """Return whether the reduction exists for the dtype."""
    ordered = reduce in ('amax', 'amin')
    defined = dtype != 'bool' and not (ordered and dtype in COMPLEX_DTYPES)
    return defined or reduce in ('assign', 'sum')


def tolerance(case, name='result'):
    """Return rtol of a result; None if bits are equal, 0 if NaN may differ."""
    if case.api != 'scatter' or case.reduce == 'assign':
        return None
    linear = case.reduce in LINEAR_REDUCES
    if linear or (name == 'result' and case.dtype not in COMPLEX_DTYPES):
        return 0
    exact = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-11}
    return exact.get(case.dtype, 1e-11 if case.dtype == 'complex128' else 1e-4)


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
        self.updates = (
            updates if index.ndim else np.expand_dims(updates, self.axis)
        )
        self.slices = index.reshape(-1) % max(1, x.shape[self.axis])

    def moved(self, array):
        return np.moveaxis(_widen(array, self.case.reduce), self.axis, 0).copy()

    def restored(self, array, shape):
        array = np.moveaxis(array, 0, self.axis).reshape(shape)
        return to_storage(array, self.case.dtype)

    def divide_by_counts(self, out):
        slices, counts = np.unique(self.slices, return_counts=True)
        counts = (counts + self.own).reshape(-1, *[1] * (out.ndim - 1))
        divide = np.floor_divide if out.dtype == np.int64 else np.true_divide
        for part in [out.real, out.imag] if np.iscomplexobj(out) else [out]:
            part[slices] = divide(part[slices], counts.astype(part.dtype))

    def forward(self):
        case, slices = self.case, self.slices
        x, rows = case.arrays['x'], self.moved(self.updates)[: len(slices)]
        out = self.moved(x)
        if case.reduce == 'assign':
            out[slices] = rows
            return np.ascontiguousarray(self.restored(out, x.shape))
        untouched = ~np.isin(np.arange(len(out)), slices)
        if not self.own:
            touched, first = np.unique(slices, return_index=True)
            out[touched] = rows[first] + 0  # a sum starts with 0.0, not -0.0
            slices, rows = (np.delete(a, first, 0) for a in (slices, rows))
        _UFUNCS[case.reduce].at(out, slices, rows)
        if case.reduce == 'mean':
            self.divide_by_counts(out)
        out = self.restored(out, x.shape)
        kept = (slice(None),) * (self.axis % x.ndim) + (untouched,)
        out[kept] = x[kept]
        return out

    def gradients(self, out_grad):
        shapes = [self.case.arrays[n].shape for n in ('x', 'updates')]
        grads = np.zeros(
            self.updates.shape, _widen(out_grad, self.case.reduce).dtype
        )
        grads = np.moveaxis(grads, self.axis, 0)
        x_grad, n = self.moved(out_grad), len(self.slices)
        if self.case.reduce in LINEAR_REDUCES:
            if self.case.reduce == 'mean':
                self.divide_by_counts(x_grad)
            grads[:n] = x_grad[self.slices]
            if self.case.reduce == 'assign':
                last = dict(zip(self.slices.tolist(), range(n)))
                grads[sorted({*range(n)} - {*last.values()})] = 0
            x_grad[self.slices] *= self.own
        else:
            self.add_shares(x_grad, grads)
        return [self.restored(g, s) for g, s in zip((x_grad, grads), shapes)]

    def add_shares(self, x_grad, grads):
        """Multiply by the derivative with respect to each row."""
        x, rows = self.moved(self.case.arrays['x']), self.moved(self.updates)
        order = np.argsort(self.slices, kind='stable')
        touched, starts = np.unique(self.slices[order], return_index=True)
        for s, at in zip(touched, np.split(order, starts[1:])):
            group = np.concatenate([x[[s]][: self.own], rows[at]])
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


def forward(case):
    """Return the result of a call."""
    x, *others = case.arrays.values()
    if case.api == 'scatter':
        with np.errstate(all='ignore'):
            return Scatter(case).forward()
    if case.source in case.arrays:
        numbers = to_numbers(others.pop(), case.source_dtype)
        others.append(to_storage(numbers, case.dtype))
    if case.api in _VIEWS:
        out = np.array(x, order='C')
        _VIEWS[case.api](out, **case.options)[...] = others[0]
        return out
    mask = np.broadcast_to(others[0].astype(bool), case.out_shape)
    out = np.array(np.broadcast_to(x, case.out_shape))
    if case.api == 'masked_scatter':
        out[mask] = others[1].reshape(-1)[: np.count_nonzero(mask)]
        return out
    with np.errstate(over='ignore'):
        value = others[1:] or [to_storage(case.options['value'], case.dtype)]
    value = value[0].reshape(()) if value[0].size == 1 else value[0]
    return np.where(mask, value, out)


def _sum_to(array, shape, dtype):
    """Sum over the broadcast axes."""
    padded = (1,) * (array.ndim - len(shape)) + shape
    axes = tuple(
        i for i, n in enumerate(padded[: array.ndim]) if n != array.shape[i]
    )
    if dtype in HALF_DTYPES and axes:
        array = _widen(array)
    kind = 'int64' if dtype == 'bool' else None
    total = to_storage(array.sum(axes, kind), dtype) if axes else array
    return total.reshape(shape)


def gradients(case, out_grad):
    """Return the gradients of x and of the source, by name."""
    if case.api == 'scatter':
        with np.errstate(all='ignore'):
            return dict(
                zip(('x', 'updates'), Scatter(case).gradients(out_grad))
            )
    x, *_, source = case.arrays.values()
    x_grad, zero = np.array(out_grad, order='C'), np.zeros((), out_grad.dtype)
    if case.api in _VIEWS:
        view = _VIEWS[case.api](x_grad, **case.options)
        source_grad = view.copy()
        view[...] = 0
        return {'x': x_grad, case.source: source_grad}
    mask = np.broadcast_to(case.arrays['mask'].astype(bool), out_grad.shape)
    x_grad = _sum_to(np.where(mask, zero, x_grad), x.shape, case.dtype)
    if case.api == 'masked_scatter':
        source_grad, selected = np.zeros_like(source), out_grad[mask]
        source_grad.reshape(-1)[: selected.size] = selected
    elif 'value' in case.arrays:
        source_grad = np.where(mask, out_grad, zero)
        if source.size == 1:
            source_grad = _sum_to(source_grad, (), case.dtype).reshape(
                source.shape
            )
        else:
            source_grad = _sum_to(source_grad, source.shape, case.dtype)
    else:
        return {'x': x_grad}
    return {'x': x_grad, 'value': source_grad}
