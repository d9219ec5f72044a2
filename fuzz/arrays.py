"""The arrays and arguments of a case, made from its seed."""

import dataclasses

import numpy as np
from scatter_test_utils import (
    COMPLEX_DTYPES,
    INT_DTYPES,
    random_array,
    random_mask,
    random_numbers,
    to_storage,
)


@dataclasses.dataclass
class Arguments:
    """Tensors as arrays in storage form, in the API's order, and the rest."""

    arrays: dict
    attrs: dict


def factors(rng, shape, dtype):
    """Numbers whose product stays in range, a few of them zero."""
    if dtype in INT_DTYPES or dtype == 'bool':
        return random_array(rng, shape, dtype)
    size = rng.uniform(0.8, 1.25, shape) * (rng.random(shape) < 0.97)
    if dtype in COMPLEX_DTYPES:
        return to_storage(size * np.exp(1j * rng.uniform(-3, 3, shape)), dtype)
    return to_storage(size * rng.choice([-1.0, 1.0], shape), dtype)


def _with_limits(rng, array):
    """Least and greatest integers at some places."""
    if array.dtype.kind not in 'iu':
        return array
    info = np.iinfo(array.dtype)
    limits = np.array([info.min, info.max], array.dtype)
    chosen = rng.random(array.shape) < 0.1
    picked = limits[rng.integers(0, 2, array.shape)]
    return np.where(chosen, picked, array).astype(array.dtype)


def numbers(rng, shape, dtype, kind, reduce=''):
    """An array of a kind of values: any, finite or with ties."""
    shape = tuple(shape)
    if kind == 'ties':
        return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)
    if reduce == 'mul':
        return factors(rng, shape, dtype)
    if dtype == 'bool' or dtype in INT_DTYPES:
        array = random_array(rng, shape, dtype)
        return array if dtype == 'bool' else _with_limits(rng, array)
    make = random_array if kind == 'any' else random_numbers
    return np.asarray(make(rng, shape, dtype))


def constant_along_first(array):
    """What an array is whose first axis has a stride of zero."""
    if not array.ndim or not array.size:
        return array
    return np.array(np.broadcast_to(array[:1], array.shape))


def _drawn(case, rng, name, shape):
    reduce = case.attrs.get('reduce', '')
    array = numbers(rng, shape, case.dtype, case.values, reduce)
    return as_laid_out(case, name, array)


def _drawn_source(case, rng, name, shape):
    """The second operand, which some APIs cast to the dtype of x."""
    if 'cast_from' not in case.attrs:
        return _drawn(case, rng, name, shape)
    array = numbers(rng, shape, case.attrs['cast_from'], 'ties')
    return as_laid_out(case, name, array)


def as_laid_out(case, name, array):
    if case.layouts.get(name) == 'expanded':
        return constant_along_first(array)
    return array


def _mask(case, rng):
    attrs = case.attrs
    shape, density = tuple(attrs['mask']), attrs['density']
    mask = np.asarray(random_mask(rng, shape, density, runs=attrs['runs']))
    mask = mask.astype(attrs.get('mask_dtype', 'bool'))
    return as_laid_out(case, 'mask', mask)


def out_shape(case):
    """The shape of the result."""
    if 'mask' not in case.attrs:
        return tuple(case.shape)
    return np.broadcast_shapes(tuple(case.shape), tuple(case.attrs['mask']))


def _masked_scatter(case, rng):
    x = _drawn(case, rng, 'x', case.shape)
    mask = _mask(case, rng)
    count = int(np.broadcast_to(mask, out_shape(case)).sum())
    size = count + case.attrs['spare']
    shapes = [(size,), (1, size), (size, 1)] + [()] * (size == 1)
    shape = shapes[int(rng.integers(len(shapes)))]
    value = _drawn(case, rng, 'value', shape)
    return Arguments({'x': x, 'mask': mask, 'value': value}, {})


def _python_number(number):
    return complex(*number) if isinstance(number, list) else number


def _masked_fill(case, rng):
    arrays = {'x': _drawn(case, rng, 'x', case.shape), 'mask': _mask(case, rng)}
    if 'number' in case.attrs:
        number = _python_number(case.attrs['number'])
        return Arguments(arrays, {'value': number})
    arrays['value'] = _drawn_source(case, rng, 'value', case.attrs['value'])
    return Arguments(arrays, {})


def _select_scatter(case, rng):
    shape = list(case.shape)
    del shape[case.attrs['axis']]
    x = _drawn(case, rng, 'x', case.shape)
    values = _drawn_source(case, rng, 'values', shape)
    attrs = {name: case.attrs[name] for name in ('axis', 'index')}
    return Arguments({'x': x, 'values': values}, attrs)


def _diagonal_scatter(case, rng):
    attrs = {name: case.attrs[name] for name in ('offset', 'axis1', 'axis2')}
    x = _drawn(case, rng, 'x', case.shape)
    shape = np.diagonal(np.empty(case.shape, bool), *attrs.values()).shape
    y = _drawn_source(case, rng, 'y', shape)
    return Arguments({'x': x, 'y': y}, attrs)


def _spread(rng, order, n, slots):
    """Which slot each slice of updates goes to."""
    if order == 'same':
        return np.full(n, int(rng.integers(slots)))
    if order == 'skewed':
        return (rng.random(n) ** 4 * slots).astype('int64')
    if order == 'distinct' and n <= slots:
        return rng.permutation(slots)[:n]
    index = rng.integers(0, slots, n)
    return np.sort(index) if order == 'sorted' else index


def _index(case, rng, slots):
    attrs = case.attrs
    n = 1 if attrs['n'] is None else attrs['n']
    if slots == 0:
        index = np.zeros(0, 'int64')
    else:
        index = _spread(rng, attrs['order'], n, slots)
    if attrs['negative']:
        index = np.where(rng.random(index.shape) < 0.5, index - slots, index)
    if attrs['n'] is None:
        index = index.reshape(())
    elif attrs['column']:
        index = index.reshape(-1, 1)
    return as_laid_out(case, 'index', index.astype(attrs['index_dtype']))


def _scatter(case, rng):
    attrs, axis = case.attrs, case.attrs['axis']
    x = _drawn(case, rng, 'x', case.shape)
    index = _index(case, rng, case.shape[axis])
    shape = list(case.shape)
    if index.ndim == 0:
        del shape[axis]
    else:
        shape[axis] = len(index) + attrs['extra']
    updates = _drawn(case, rng, 'updates', shape)
    names = ('overwrite', 'axis', 'reduce', 'include_self')
    return Arguments(
        {'x': x, 'index': index, 'updates': updates},
        {name: attrs[name] for name in names},
    )


_MAKERS = {
    'masked_scatter': _masked_scatter,
    'masked_fill': _masked_fill,
    'select_scatter': _select_scatter,
    'diagonal_scatter': _diagonal_scatter,
    'scatter': _scatter,
}


def build(case):
    """The arguments of a case, before its fault is put in."""
    return _MAKERS[case.api](case, np.random.default_rng(case.seed))


def gradient(case, name, shape):
    """A gradient to start from, another one for each name."""
    rng = np.random.default_rng([case.seed, *name.encode()])
    array = np.asarray(random_numbers(rng, shape, case.dtype))
    return as_laid_out(case, name, array)
