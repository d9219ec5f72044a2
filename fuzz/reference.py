"""The results and gradients of every API, in numpy.

Arrays are in storage form (see arrays.py). Operations that move elements give
the exact bits, those that compute give Near.
"""

import numpy as np

from fuzz import scatter_reference
from fuzz.arrays import (
    dtype_name,
    in_double,
    sum_to_shape,
    to_numbers,
    to_storage,
)
from fuzz.compare import Near, accumulator_epsilon


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


def selected(array, axis, index):
    """What select_scatter replaces, as a view."""
    return np.moveaxis(array, axis, 0)[index, ...]


def diagonal(array, offset=0, axis1=0, axis2=1):
    """What diagonal_scatter replaces, as a writable view."""
    # numpy's offset is an int of 32 bits; past the last column or row, every
    # diagonal is empty
    limit = max(array.shape)
    offset = int(np.clip(offset, -limit, limit))
    view = np.diagonal(array, offset, axis1, axis2)
    view.flags.writeable = True
    return view


_VIEWS = {'select_scatter': selected, 'diagonal_scatter': diagonal}


def forward(case):
    """The result of a call."""
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


def _summed(array, shape, dtype):
    """The sum over broadcast axes; the same bits if there are none. Integers wrap
    around, the sum of bools is a logical or."""
    if array.shape == shape:
        return array
    wide = in_double(array)
    count = array.size / max(1, int(np.prod(shape)))
    bound = accumulator_epsilon(dtype) * (count + 2)
    total = sum_to_shape(wide, shape).astype(wide.dtype)
    return Near(total, bound * sum_to_shape(np.abs(wide), shape))


def _mask_gradients(case, out_grad):
    x, mask, *value = case.arrays.values()
    mask = np.broadcast_to(mask.astype(bool), out_grad.shape)
    zero = np.zeros((), out_grad.dtype)
    x_grad = np.where(mask, zero, out_grad)
    grads = {'x': _summed(x_grad, x.shape, case.dtype)}
    if value and case.api == 'masked_fill':
        value_grad = np.where(mask, out_grad, zero)
        grads['value'] = _summed(value_grad, value[0].shape, case.dtype)
    elif value:
        selected, value_grad = out_grad[mask], np.zeros_like(value[0])
        value_grad.reshape(-1)[: selected.size] = selected
        grads['value'] = value_grad
    return grads


def gradients(case, out_grad):
    """The gradients of x and the source, by name."""
    if case.api == 'scatter':
        return scatter_reference.gradients(case, out_grad)
    if 'mask' in case.arrays:
        return _mask_gradients(case, out_grad)
    x_grad = np.array(out_grad, order='C')
    view = _VIEWS[case.api](x_grad, **case.options)
    source_grad = view.copy()
    view[...] = 0
    return {'x': x_grad, case.source: source_grad}
