"""Draw random cases: a call with its arrays and options."""

import dataclasses

import numpy as np
from bench.run import inputs

from fuzz.arrays import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
    chance,
    draw_array,
    draw_shape,
    pick,
    random_array,
    random_mask,
    random_numbers,
    repeat_first_slice,
    shrink_dims,
)
from fuzz.reference import diagonal, select
from fuzz.scatter_reference import (
    LINEAR_REDUCES,
    REDUCES,
    is_defined,
    scatter_options,
)

# The Tensors of each API. The value of masked_fill may be a scalar instead.
TENSORS = {
    'masked_scatter': ('x', 'mask', 'value'),
    'masked_fill': ('x', 'mask', 'value'),
    'select_scatter': ('x', 'values'),
    'diagonal_scatter': ('x', 'y'),
    'scatter': ('x', 'index', 'updates'),
}
APIS = tuple(TENSORS)
INPLACE_APIS = ('masked_scatter', 'masked_fill', 'scatter')
CASTING_APIS = ('masked_fill', 'select_scatter', 'diagonal_scatter')
LAYOUTS = ('transposed', 'stepped', 'inner', 'offset', 'expanded')


@dataclasses.dataclass
class Case:
    """One call; `arrays` are in storage form and in the order of the API.

    `layouts` maps Tensors that are views into a larger base to their layout,
    `guard` is the end of each base that borders on an inaccessible page, `wrt`
    names the Tensors to differentiate with respect to. Gradients of bool and
    integer Tensors, which Paddle supports, are drawn for linear operators only.
    """

    api: str
    dtype: str
    seed: tuple
    kind: str
    source_dtype: str
    layouts: dict
    guard: str
    inplace: bool
    threads: int
    wrt: tuple
    arrays: dict = None
    options: dict = None

    @property
    def source(self):
        """The name of the Tensor that is written into x."""
        return TENSORS[self.api][-1]

    @property
    def out_shape(self):
        shapes = [
            self.arrays[n].shape for n in ('x', 'mask') if n in self.arrays
        ]
        return np.broadcast_shapes(*shapes)

    @property
    def reduce(self):
        """The reduction of scatter, 'assign' if it overwrites."""
        return self.options.get('reduce', 'assign')

    def out_grad(self):
        """Draw the gradient of the result."""
        rng = np.random.default_rng([*self.seed, 1])
        make = random_numbers if self.dtype in GRAD_DTYPES else random_array
        array = np.asarray(make(rng, self.out_shape, self.dtype))
        return self.apply_layout('out_grad', array)

    def apply_layout(self, name, array):
        expanded = self.layouts.get(name) == 'expanded'
        return repeat_first_slice(array) if expanded else array


def _mask(rng, case, shape):
    density = pick(rng, (0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0))
    mask = np.asarray(random_mask(rng, shape, density, runs=chance(rng, 0.3)))
    return case.apply_layout('mask', mask)


def _masked(rng, case):
    """Draw x and mask."""
    out = draw_shape(rng)
    shape = out if case.inplace else shrink_dims(rng, out, 0.3)
    x = draw_array(rng, shape, case.dtype, case.kind)
    return {'x': x, 'mask': _mask(rng, case, shrink_dims(rng, out, 0.4))}


def _source(rng, case, shape):
    kind = case.kind if case.source_dtype == case.dtype else 'ties'
    return draw_array(rng, shape, case.source_dtype, kind)


def masked_scatter(rng, case):
    case.arrays = arrays = _masked(rng, case)
    count = np.count_nonzero(np.broadcast_to(arrays['mask'], case.out_shape))
    size = count + pick(rng, (0, 0, 1, 7))
    shapes = [(size,), (1, size), (size, 1)] + [()] * int(size == 1)
    arrays['value'] = _source(rng, case, pick(rng, shapes))
    return arrays, {}


def fill_value(rng, dtype):
    """Draw a scalar that masked_fill accepts."""
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return pick(rng, (0, 1, 2.7, True, 100, int(info.min), int(info.max)))
    real = (0, -0.0, True, -2.5, 3, float('inf'), float('-inf'))
    if dtype == 'bfloat16':
        return pick(rng, real)
    real += (0.1, 1e9, -1e39, 65520, float('nan'))
    if dtype in COMPLEX_DTYPES and chance(rng, 0.5):
        return complex(pick(rng, real[:5]), pick(rng, real))
    return pick(rng, real)


def masked_fill(rng, case):
    case.arrays = arrays = _masked(rng, case)
    if chance(rng, 0.4):
        return arrays, {'value': fill_value(rng, case.dtype)}
    if chance(rng, 0.15):
        kind = pick(rng, ('int32', 'float32', 'uint8'))
        arrays['mask'] = arrays['mask'].astype(kind)
    shape = shrink_dims(rng, case.out_shape, 0.7)
    arrays['value'] = _source(rng, case, shape)
    return arrays, {}


def _with_view(rng, case, shape, view, options):
    x = draw_array(rng, shape, case.dtype, case.kind)
    source = _source(rng, case, view(x, **options).shape)
    return {'x': x, case.source: source}, options


def select_scatter(rng, case):
    shape = draw_shape(rng, 1)
    axis = int(rng.integers(-len(shape), len(shape)))
    shape[axis] = max(1, shape[axis])
    index = int(rng.integers(-shape[axis], shape[axis]))
    options = {'axis': axis, 'index': index}
    return _with_view(rng, case, shape, select, options)


def diagonal_scatter(rng, case):
    shape = draw_shape(rng, 2)
    axis1, axis2 = rng.permutation(len(shape))[:2].tolist()
    offset = int(rng.integers(-shape[axis1] - 2, shape[axis2] + 3))
    options = {
        'offset': offset // 4 if chance(rng, 0.5) else offset,
        'axis1': axis1 - len(shape) * chance(rng, 0.3),
        'axis2': axis2 - len(shape) * chance(rng, 0.3),
    }
    return _with_view(rng, case, shape, diagonal, options)


def _index(rng, shape, axis):
    """Draw an index of one dim, a column or a 0-D index."""
    size = shape[axis]
    if not size:
        return np.zeros(0, pick(rng, ('int32', 'int64')))
    row = int(np.prod(shape)) // size
    n = pick(rng, (0, 1, 2, 3, size // 2, size, size, 2 * size + 1))
    pattern = pick(rng, ('random', 'sorted', 'one', 'skewed', 'permutation'))
    max_length = max(4, 200_000 // max(row, 1))
    index = inputs.draw_index(rng, size, pattern, min(n, max_length))
    if chance(rng, 0.4):
        index = np.where(rng.random(index.shape) < 0.5, index - size, index)
    index = index.astype(pick(rng, ('int32', 'int64')))
    if index.size and chance(rng, 0.1):
        return index[:1].reshape(())
    return index.reshape(-1, 1) if chance(rng, 0.15) else index


def scatter(rng, case):
    shape = draw_shape(rng, 1)
    plain = chance(rng, 0.3)  # served by Paddle's own operator
    axis = 0 if plain else int(rng.integers(-len(shape), len(shape)))
    linear = case.wrt and case.dtype not in GRAD_DTYPES
    reduces = LINEAR_REDUCES if linear else REDUCES
    reduces = [r for r in reduces if is_defined(r, case.dtype)]
    reduce = pick(rng, reduces[:2] if plain else reduces)
    include_self = not plain and chance(rng, 0.5)
    index = _index(rng, shape, axis)
    updates = list(shape)
    if index.ndim == 0:
        del updates[axis]
    else:
        updates[axis] = len(index) + pick(rng, (0, 0, 0, 1, 3))
    kind = case.kind
    if reduce == 'mul' and kind != 'ties':
        kind = 'factors'
    arrays = {
        'x': draw_array(rng, shape, case.dtype, kind),
        'index': index,
        'updates': draw_array(rng, updates, case.dtype, kind),
    }
    return arrays, scatter_options(axis, reduce, include_self)


_MAKERS = (
    masked_scatter,
    masked_fill,
    select_scatter,
    diagonal_scatter,
    scatter,
)


def _layouts(rng, api, inplace):
    names = [*TENSORS[api], 'out_grad']
    layouts = {n: pick(rng, LAYOUTS) for n in names if chance(rng, 0.25)}
    if inplace and layouts.get('x') == 'expanded':
        del layouts['x']  # an element would be written several times
    return layouts


def draw(seed, number, api):
    """Draw a case, determined by seed, number and API."""
    rng = np.random.default_rng([seed, number])
    gradients = chance(rng, 0.33)
    dtype = pick(rng, ALL_DTYPES)
    casts = not gradients and api in CASTING_APIS and chance(rng, 0.1)
    inplace = api in INPLACE_APIS and chance(rng, 0.35)
    kinds = ('any',) * (not gradients) + ('finite', 'ties')
    others = ('int8', 'float32', 'bfloat16', 'bool')
    case = Case(
        api=api,
        dtype=dtype,
        seed=(seed, number),
        kind=pick(rng, kinds),
        source_dtype=pick(rng, others) if casts else dtype,
        layouts=_layouts(rng, api, inplace),
        guard=pick(rng, ('end', 'end', 'start')),
        inplace=inplace,
        threads=pick(rng, (1, 2)),
        wrt=('x', TENSORS[api][-1]) if gradients else (),
    )
    arrays, case.options = _MAKERS[APIS.index(api)](rng, case)
    case.arrays = {
        name: case.apply_layout(name, a) for name, a in arrays.items()
    }
    if gradients:
        both = tuple(n for n in case.wrt if n in arrays)
        case.wrt = pick(rng, (both, both, both[:1], both[-1:]))
    return case
