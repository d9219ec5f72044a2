"""Draws a case from a random generator."""

import numpy as np
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
)

from fuzz.cases import INPLACE_APIS, WAYS, Case
from fuzz.faults import fault_names

LAYOUTS = ('transposed', 'stepped', 'inner', 'offset', 'expanded')
REDUCES = ('assign', 'sum', 'mul', 'mean', 'amax', 'amin')


def pick(rng, options, weights=None):
    """One of the options, as it is: numpy would make it a numpy type."""
    if weights is not None:
        weights = np.array(weights) / sum(weights)
    return options[int(rng.choice(len(options), p=weights))]


def chance(rng, probability):
    return bool(rng.random() < probability)


def _border_shape(rng):
    """A number of elements next to a power of two, in one dim or two."""
    size = 2 ** int(rng.integers(3, 18)) + int(rng.integers(-1, 2))
    rows = pick(rng, (1, 1, 2, 3))
    return [size] if rows == 1 else [rows, max(1, size // rows)]


def draw_shape(rng, low_rank=0):
    """Mostly tiny; now and then at a border of tiles, or about 1e5 elements."""
    kind = pick(rng, ('tiny', 'small', 'border', 'large'), (6, 3, 1.5, 0.5))
    if kind == 'border' and low_rank < 2:
        return _border_shape(rng)
    rank = int(rng.integers(low_rank, max(low_rank, 4) + 1))
    if kind == 'tiny':
        sizes = (0, 1, 1, 2, 2, 3, 5)
        return [pick(rng, sizes) for _ in range(rank)]
    most = 3000 if kind in ('small', 'border') else 100_000
    return _spread_shape(rng, max(rank, 1), most)


def _spread_shape(rng, rank, most):
    """Dims whose product is about `most`, some of them far from the others."""
    shares = rng.dirichlet(np.full(rank, 0.7))
    return [max(1, int(most**share)) for share in shares]


def _broadcastable(rng, shape, probability):
    """The shape with some dims as 1 or, at the front, left out."""
    if not chance(rng, probability):
        return list(shape)
    dims = [1 if chance(rng, 0.4) else n for n in shape]
    start = int(rng.integers(0, len(dims) + 1)) if chance(rng, 0.4) else 0
    return dims[start:]


def _mask_attrs(rng, shape):
    return {
        'mask': shape,
        'density': pick(rng, (0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0)),
        'runs': chance(rng, 0.3),
    }


def _draw_masked(rng, inplace):
    out = draw_shape(rng)
    shape = list(out) if inplace else _broadcastable(rng, out, 0.3)
    return out, shape, _mask_attrs(rng, _broadcastable(rng, out, 0.4))


def draw_masked_scatter(rng, dtype, inplace):
    _, shape, attrs = _draw_masked(rng, inplace)
    return shape, {**attrs, 'spare': pick(rng, (0, 0, 1, 7))}


def draw_number(rng, dtype):
    """A number that masked_fill takes for the dtype, as JSON can hold it."""
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return pick(rng, (0, 1, 2.7, True, 100, int(info.min), int(info.max)))
    numbers = (0, -0.0, True, 0.1, -2.5, 3, 1e9, -1e39, 65520)
    special = (float('nan'), float('inf'), float('-inf'))
    if dtype in COMPLEX_DTYPES and chance(rng, 0.5):
        return [pick(rng, numbers), pick(rng, numbers + special)]
    return pick(rng, numbers + special)


def draw_masked_fill(rng, dtype, inplace):
    out, shape, attrs = _draw_masked(rng, inplace)
    if chance(rng, 0.4):
        return shape, {**attrs, 'number': draw_number(rng, dtype)}
    if chance(rng, 0.15):
        attrs['mask_dtype'] = pick(rng, ('int32', 'float32', 'uint8'))
    # value must fit what x and mask make together
    made = np.broadcast_shapes(tuple(shape), tuple(attrs['mask']))
    return shape, {**attrs, 'value': _broadcastable(rng, made, 0.7)}


def draw_select_scatter(rng, dtype, inplace):
    shape = draw_shape(rng, 1)
    axis = int(rng.integers(-len(shape), len(shape)))
    shape[axis] = max(1, shape[axis])
    index = int(rng.integers(-shape[axis], shape[axis]))
    return shape, {'axis': axis, 'index': index}


def draw_diagonal_scatter(rng, dtype, inplace):
    shape = draw_shape(rng, 2)
    if len(shape) < 2:
        shape.append(pick(rng, (1, 2, 3)))
    axis1, axis2 = rng.permutation(len(shape))[:2].tolist()
    offset = int(rng.integers(-shape[axis1] - 2, shape[axis2] + 3))
    if chance(rng, 0.5):
        offset //= 4
    axis1 -= len(shape) * chance(rng, 0.3)
    axis2 -= len(shape) * chance(rng, 0.3)
    return shape, {'offset': offset, 'axis1': axis1, 'axis2': axis2}


def _reduce_for(rng, dtype):
    if dtype == 'bool':
        return pick(rng, REDUCES[:2])
    return pick(rng, REDUCES[:4] if dtype in COMPLEX_DTYPES else REDUCES)


def draw_scatter(rng, dtype, inplace):
    shape = draw_shape(rng, 1)
    plain = chance(rng, 0.3)
    rank = len(shape)
    axis = 0 if plain else int(rng.integers(-rank, rank))
    reduce = pick(rng, REDUCES[:2]) if plain else _reduce_for(rng, dtype)
    self_counts = not plain and reduce != 'assign' and chance(rng, 0.5)
    slots = shape[axis]
    lengths = (0, 1, 2, 3, slots // 2, slots, slots, 2 * slots + 1)
    row = int(np.prod(shape)) // max(slots, 1)
    n = min(pick(rng, lengths), max(4, 200_000 // max(row, 1)))
    return shape, {
        'overwrite': reduce == 'assign',
        'axis': axis,
        'reduce': 'sum' if reduce == 'assign' else reduce,
        'include_self': self_counts,
        'n': (n if chance(rng, 0.9) else None) if slots else 0,
        'column': chance(rng, 0.15),
        'order': pick(rng, ('random', 'sorted', 'same', 'skewed', 'distinct')),
        'negative': chance(rng, 0.4),
        'index_dtype': pick(rng, ('int32', 'int64')),
        'extra': pick(rng, (0, 0, 0, 1, 3)),
    }


def _draw_layouts(rng, way, inplace, tensors):
    names = [*tensors, 'out_grad']
    layouts = {n: pick(rng, LAYOUTS) for n in names if chance(rng, 0.25)}
    if way == 'static':
        return {}
    if inplace and layouts.get('x') == 'expanded':
        del layouts['x']  # one element would be written several times
    if way == 'invalid':  # a fault in one element needs memory of its own
        return {n: kind for n, kind in layouts.items() if kind != 'expanded'}
    return layouts


def _draw_values(rng, way, attrs):
    if way in ('grad', 'static'):
        return pick(rng, ('finite', 'ties'))
    if attrs.get('reduce') == 'mul':
        return 'finite'
    return pick(rng, ('any', 'finite', 'ties'), (4, 2, 1))


def _draw_grads(rng, way, dtype, fault, attrs):
    asked = way == 'grad' or fault == 'second_order'
    asked = asked or (way == 'static' and chance(rng, 0.6))
    if not asked or dtype not in GRAD_DTYPES:
        return []
    source = 'number' not in attrs
    options = [['x', 'source'], ['x', 'source'], ['x'], ['source']]
    if fault and 'mask' in attrs:  # with x, masked_fill has a second order
        options = [['source']]
    return pick(rng, options) if source else ['x']


# The Tensors of each API and what draws its shape of x and its attrs.
_APIS = {
    'masked_scatter': (('x', 'mask', 'value'), draw_masked_scatter),
    'masked_fill': (('x', 'mask', 'value'), draw_masked_fill),
    'select_scatter': (('x', 'values'), draw_select_scatter),
    'diagonal_scatter': (('x', 'y'), draw_diagonal_scatter),
    'scatter': (('x', 'index', 'updates'), draw_scatter),
}


def _casts(api, attrs):
    """Whether the API casts a Tensor to the dtype of x."""
    if api == 'masked_fill':
        return 'number' not in attrs
    return api in ('select_scatter', 'diagonal_scatter')


def draw(rng, api):
    """A case of the API."""
    way = pick(rng, WAYS, (42, 28, 12, 18))
    dtype = pick(rng, GRAD_DTYPES if way == 'grad' else ALL_DTYPES)
    can_inplace = api in INPLACE_APIS and way != 'static'
    inplace = can_inplace and chance(rng, 0.35)
    tensors, draw_attrs = _APIS[api]
    shape, attrs = draw_attrs(rng, dtype, inplace)
    if way == 'call' and _casts(api, attrs) and chance(rng, 0.1):
        attrs['cast_from'] = pick(rng, ('int8', 'float32', 'bfloat16', 'bool'))
    if way == 'static' and attrs.get('number') == 0:
        # in one process PIR takes 0.0 and -0.0 for the same constant
        attrs['number'] = 0
    layouts = _draw_layouts(rng, way, inplace, tensors)
    fault = ''
    if way == 'invalid':
        fault = pick(rng, fault_names(api, dtype, attrs))
    return Case(
        api=api,
        way=way,
        dtype=dtype,
        shape=shape,
        attrs=attrs,
        values=_draw_values(rng, way, attrs),
        layouts=layouts,
        grads_of=_draw_grads(rng, way, dtype, fault, attrs),
        inplace=inplace,
        method=chance(rng, 0.2),
        known_dims=chance(rng, 0.5),
        threads=pick(rng, (1, 2)),
        guard=pick(rng, ('', '', 'end', 'end', 'start')),
        fault=fault,
        seed=int(rng.integers(2**31)),
    )
