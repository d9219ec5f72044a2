"""Draw random cases: a call with its arrays and options."""

import dataclasses

import numpy as np
from bench.run import inputs

from fuzz.arrays import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
    draw_array,
    random_array,
    random_mask,
    random_numbers,
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
    `second_order` adds the gradient of the gradients with respect to out_grad, for
    linear operators with x and the source in `wrt`.
    """

    api: str
    dtype: str
    seed: tuple
    kind: str = 'finite'
    layouts: dict = dataclasses.field(default_factory=dict)
    guard: str = 'end'
    inplace: bool = False
    threads: int = 2
    wrt: tuple = ()
    second_order: bool = False
    source_dtype: str = None
    arrays: dict = None
    options: dict = None

    def __post_init__(self):
        self.source_dtype = self.source_dtype or self.dtype

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
        """Copy the first slice over the others if their stride is zero."""
        is_expanded = self.layouts.get(name) == 'expanded'
        if not is_expanded or not array.ndim or not array.size:
            return array
        return np.array(np.broadcast_to(array[:1], array.shape))


def pick(rng, options, weights=None):
    """Pick one of the options; numpy's choice would convert it to a numpy type."""
    if weights is not None:
        weights = np.array(weights) / sum(weights)
    return options[int(rng.choice(len(options), p=weights))]


def chance(rng, probability):
    return bool(rng.random() < probability)


def _border_shape(rng):
    """Draw a size next to a power of two, in one dim or two."""
    size = 2 ** int(rng.integers(3, 18)) + int(rng.integers(-1, 2))
    rows = pick(rng, (1, 1, 2, 3))
    return [size] if rows == 1 else [rows, max(1, size // rows)]


def draw_shape(rng, min_rank=0):
    """Draw a shape, mostly tiny; some at a tile border, some of 1e5 elements."""
    kind = pick(rng, ('tiny', 'small', 'border', 'large'), (6, 3, 1.5, 0.5))
    if kind == 'border' and min_rank < 2:
        return _border_shape(rng)
    rank = int(rng.integers(min_rank, 5))
    if kind == 'tiny':
        return [pick(rng, (0, 1, 1, 2, 2, 3, 5)) for _ in range(rank)]
    size = 100_000 if kind == 'large' else 3000
    # Dims of different magnitudes whose product is about `size`.
    shares = rng.dirichlet(np.full(max(rank, 1), 0.7))
    return [max(1, int(size**share)) for share in shares]


def shrink_dims(rng, shape, probability):
    """Set some dims to 1 and drop leading ones; the result is broadcastable."""
    if not chance(rng, probability):
        return list(shape)
    dims = [1 if chance(rng, 0.4) else n for n in shape]
    start = int(rng.integers(0, len(dims) + 1)) if chance(rng, 0.4) else 0
    return dims[start:]


def _mask(rng, case, shape):
    density = pick(rng, (0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0))
    mask = np.asarray(random_mask(rng, shape, density, runs=chance(rng, 0.3)))
    return case.apply_layout('mask', mask)


def _masked(rng, case, out):
    """Draw x and mask."""
    shape = out if case.inplace else shrink_dims(rng, out, 0.3)
    x = draw_array(rng, shape, case.dtype, case.kind)
    return {'x': x, 'mask': _mask(rng, case, shrink_dims(rng, out, 0.4))}


def _source(rng, case, shape):
    kind = case.kind if case.source_dtype == case.dtype else 'ties'
    return draw_array(rng, shape, case.source_dtype, kind)


def masked_scatter(rng, case, shape):
    case.arrays = arrays = _masked(rng, case, shape)
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


def masked_fill(rng, case, shape):
    case.arrays = arrays = _masked(rng, case, shape)
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


def select_scatter(rng, case, shape):
    axis = int(rng.integers(-len(shape), len(shape)))
    shape[axis] = max(1, shape[axis])
    index = int(rng.integers(-shape[axis], shape[axis]))
    options = {'axis': axis, 'index': index}
    return _with_view(rng, case, shape, select, options)


def diagonal_scatter(rng, case, shape):
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


def scatter(rng, case, shape):
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


_MAKERS = masked_scatter, masked_fill, select_scatter, diagonal_scatter, scatter
_MIN_RANKS = 0, 0, 1, 2, 1


def draw_arrays(rng, case, shape=None):
    """Draw arrays and options; `shape` is that of the result, if no operand that
    has its size is broadcast."""
    at = APIS.index(case.api)
    shape = shape or draw_shape(rng, _MIN_RANKS[at])
    arrays, case.options = _MAKERS[at](rng, case, shape)
    case.arrays = {
        name: case.apply_layout(name, a) for name, a in arrays.items()
    }
    if case.wrt:
        both = tuple(n for n in case.wrt if n in arrays)
        case.wrt = pick(rng, (both, both, both[:1], both[-1:]))


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
    draw_arrays(rng, case)
    return case
