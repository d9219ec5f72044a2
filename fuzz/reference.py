"""Results and gradients of every API, computed by numpy.

Arrays are in storage form (see arrays.py). The expected result is an array where
elements are only moved, an Approximation where they are computed.
"""

import numpy as np

from fuzz import scatter_reference
from fuzz.arrays import (
    dtype_name,
    to_double,
    to_numbers,
    to_storage,
)
from fuzz.compare import Approximation, accumulator_epsilon


def masked_scatter(x, mask, value):
    mask, out = map(np.array, np.broadcast_arrays(mask, x))
    out[mask] = value.reshape(-1)[: np.count_nonzero(mask)]
    return out


def masked_fill(x, mask, value):
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())  # may have more dims than the result
    elif not isinstance(value, np.ndarray):
        value = to_storage(value, dtype_name(x))
    return np.where(mask, value, x)


def select(array, axis, index):
    """Return the view that select_scatter overwrites."""
    return np.moveaxis(array, axis, 0)[index, ...]


def diagonal(array, offset=0, axis1=0, axis2=1):
    """Return the view that diagonal_scatter overwrites."""
    # numpy's offset is a 32-bit int. Past the corners, every diagonal is empty.
    limit = max(array.shape)
    offset = int(np.clip(offset, -limit, limit))
    view = np.diagonal(array, offset, axis1, axis2)
    view.flags.writeable = True
    return view


_VIEWS = {'select_scatter': select, 'diagonal_scatter': diagonal}


def forward(case):
    """Return the result of a call."""
    if case.api == 'scatter':
        return scatter_reference.forward(case)
    x, *others = case.arrays.values()
    if case.source in case.arrays:
        numbers = to_numbers(others.pop(), case.source_dtype)
        others.append(to_storage(numbers, case.dtype))
    if case.api == 'masked_scatter':
        return masked_scatter(x, *others)
    if case.api == 'masked_fill':
        with np.errstate(over='ignore'):
            out = masked_fill(x, *others, **case.options)
        return np.asarray(out, x.dtype)
    out = np.array(x, order='C')
    _VIEWS[case.api](out, **case.options)[...] = others[0]
    return out


def _sum_to(array, shape, dtype):
    """Sum over the broadcast axes; return the array itself if there are none.
    Integers wrap around, the sum of bools is a logical or."""
    if array.shape == shape:
        return array
    wide = to_double(array)
    padded = (1,) * (array.ndim - len(shape)) + shape
    axes = tuple(np.flatnonzero(np.not_equal(padded, array.shape)).tolist())
    total, magnitude = (
        a.sum(axes, keepdims=True).reshape(shape) for a in (wide, np.abs(wide))
    )
    count = array.size / max(1, total.size)
    bound = accumulator_epsilon(dtype) * (count + 2) * magnitude
    return Approximation(total.astype(wide.dtype), bound)


def _mask_gradients(case, out_grad):
    x, mask, *value = case.arrays.values()
    mask = np.broadcast_to(mask.astype(bool), out_grad.shape)
    zero = np.zeros((), out_grad.dtype)
    x_grad = np.where(mask, zero, out_grad)
    grads = {'x': _sum_to(x_grad, x.shape, case.dtype)}
    if value and case.api == 'masked_fill':
        value_grad = np.where(mask, out_grad, zero)
        grads['value'] = _sum_to(value_grad, value[0].shape, case.dtype)
    elif value:
        selected, value_grad = out_grad[mask], np.zeros_like(value[0])
        value_grad.reshape(-1)[: selected.size] = selected
        grads['value'] = value_grad
    return grads


def gradients(case, out_grad):
    """Return the gradients of x and of the source, by name."""
    if case.api == 'scatter':
        return scatter_reference.gradients(case, out_grad)
    if 'mask' in case.arrays:
        return _mask_gradients(case, out_grad)
    x_grad = np.array(out_grad, order='C')
    view = _VIEWS[case.api](x_grad, **case.options)
    source_grad = view.copy()
    view[...] = 0
    return {'x': x_grad, case.source: source_grad}
