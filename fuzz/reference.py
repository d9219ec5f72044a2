"""What every API has to return, in numpy and without Paddle.

Arrays are in storage form (see unittests/scatter_test_utils.py). Operations
that move elements give the exact bits, those that compute a value and a bound.
"""

import numpy as np
from masked_scatter_cases import reference_masked_scatter
from scatter_test_utils import sum_to_shape, to_numbers, to_storage

from fuzz import scatter_reference
from fuzz.compare import Exact, Near, accumulator_epsilon, to_bfloat16


def stored_number(number, dtype):
    """A Python number as an element of the dtype."""
    if dtype == 'bool':
        return np.asarray(bool(number))
    if 'int' in dtype:
        return np.asarray(int(number), dtype)
    if dtype == 'bfloat16':
        return to_bfloat16(float(number))
    with np.errstate(over='ignore'):
        return np.asarray(number).astype(dtype)


def _fill(x, mask, value):
    return np.asarray(np.where(mask.astype(bool), value, x), x.dtype)


def _view(case, array):
    """The part of the array that the source replaces, writable."""
    attrs = case.attrs
    if case.api == 'select_scatter':
        return np.moveaxis(array, attrs['axis'], 0)[attrs['index'], ...]
    place = attrs['offset'], attrs['axis1'], attrs['axis2']
    view = np.diagonal(array, *place)
    view.flags.writeable = True  # numpy gives it out as read-only
    return view


def _replace_view(case, x, source):
    out = np.array(x, order='C')
    _view(case, out)[...] = source
    return Exact(out)


def forward(case, arrays, attrs):
    """The result of a call with arrays that are its arguments, in order."""
    x = arrays['x']
    if case.api == 'scatter':
        return scatter_reference.forward(case, arrays)
    if case.api == 'masked_scatter':
        return Exact(reference_masked_scatter(*arrays.values()))
    if case.source not in arrays:
        number = stored_number(attrs['value'], case.dtype)
        return Exact(_fill(x, arrays['mask'], number))
    source = arrays[case.source]
    if 'cast_from' in case.attrs:
        numbers = to_numbers(source, case.attrs['cast_from'])
        source = to_storage(numbers, case.dtype)
    if case.api == 'masked_fill':
        return Exact(_fill(x, arrays['mask'], source))
    return _replace_view(case, x, source)


def _summed(array, shape, dtype):
    """The sum over broadcast axes; the same bits if there are none."""
    if array.shape == tuple(shape):
        return Exact(array)
    wide = to_numbers(array, dtype)
    wide = wide.astype('complex128' if wide.dtype.kind == 'c' else 'float64')
    count = array.size / max(1, int(np.prod(shape)))
    bound = accumulator_epsilon(dtype) * (count + 2)
    return Near(
        sum_to_shape(wide, shape), bound * sum_to_shape(np.abs(wide), shape)
    )


def _mask_gradients(case, arrays, out_grad):
    mask = np.broadcast_to(arrays['mask'].astype(bool), out_grad.shape)
    zero = np.zeros((), out_grad.dtype)
    kept = np.where(mask, zero, out_grad)
    grads = {'x': _summed(kept, arrays['x'].shape, case.dtype)}
    if case.source not in arrays:
        return grads
    shape = arrays[case.source].shape
    if case.api == 'masked_fill':
        taken = np.where(mask, out_grad, zero)
        grads['source'] = _summed(taken, shape, case.dtype)
    else:
        taken = np.zeros(shape, out_grad.dtype)
        chosen = out_grad[mask]
        taken.reshape(-1)[: chosen.size] = chosen
        grads['source'] = Exact(taken)
    return grads


def _view_gradients(case, out_grad):
    kept = np.array(out_grad, order='C')
    view = _view(case, kept)
    taken = view.copy()
    view[...] = 0
    return {'x': Exact(kept), 'source': Exact(taken)}


def gradients(case, arrays, out_grad):
    """What `x` and `source` get for a gradient of the result."""
    if case.api == 'scatter':
        return scatter_reference.gradients(case, arrays, out_grad)
    if 'mask' in arrays:
        return _mask_gradients(case, arrays, out_grad)
    return _view_gradients(case, out_grad)


def has_second_order(case):
    """Whether the gradients can be differentiated again (in dygraph)."""
    if case.api == 'masked_fill':
        return 'x' in case.grads_of
    if case.api != 'scatter':
        return True
    return case.attrs['reduce'] in ('sum', 'mean')


def second_order(case, arrays, directions):
    """The gradient of out_grad, for gradients of its first-order gradients.

    All these calls are linear, so it is the call itself, with the directions
    in the places of x and the source; zeros where none is given.
    """
    moved = dict(arrays)
    for name, key in (('x', 'x'), (case.source, 'source')):
        if name in arrays:
            zeros = np.zeros_like(arrays[name])
            moved[name] = directions.get(key, zeros)
    number = {} if case.source in arrays else {'value': 0.0}
    return forward(case, moved, number)
