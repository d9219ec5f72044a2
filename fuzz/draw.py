"""Draw random cases: a call with its arrays and options."""

import dataclasses

import numpy as np

from fuzz.arrays import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
    draw_array,
    draw_mask,
    to_storage,
)
from fuzz.reference import LINEAR_REDUCES, REDUCES, diagonal, is_defined, select

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
LAYOUTS = ('transposed', 'stepped', 'inner', 'offset')


@dataclasses.dataclass
class Case:
    """One call; `arrays` are in storage form and in the order of the API.

    `layouts` maps Tensors that are views into a larger base to their layout,
    `guard` is the end of each base that borders on an inaccessible page, `wrt`
    names the Tensors to differentiate with respect to: those of linear operators
    in every dtype, as in Paddle. Linear operators with both in `wrt` are
    differentiated twice.
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
    source_dtype: str = None
    arrays: dict = dataclasses.field(default_factory=dict)
    options: dict = dataclasses.field(default_factory=dict)

    @property
    def source(self):
        """The name of the Tensor that is written into x."""
        return TENSORS[self.api][-1]

    @property
    def out_shape(self):
        names = [n for n in ('x', 'mask') if n in self.arrays]
        return np.broadcast_shapes(*(self.arrays[n].shape for n in names))

    @property
    def reduce(self):
        """The reduction of scatter, 'assign' if it overwrites."""
        return self.options.get('reduce', 'assign')

    @property
    def second_order(self):
        linear = self.api != 'masked_fill' and self.reduce in LINEAR_REDUCES
        return linear and len(self.wrt) == 2 and not self.inplace

    def out_grad(self):
        """Draw the gradient of the result: numbers whose sums are exact."""
        rng = np.random.default_rng([*self.seed, 1])
        if self.dtype in GRAD_DTYPES:
            return to_storage(rng.integers(0, 4, self.out_shape), self.dtype)
        return draw_array(rng, self.out_shape, self.dtype)


def pick(rng, options, weights=None):
    """Pick one of the options; numpy's choice would convert it to a numpy type."""
    if weights is not None:
        weights = np.array(weights) / sum(weights)
    return options[int(rng.choice(len(options), p=weights))]


def chance(rng, probability):
    return bool(rng.random() < probability)


def draw_shape(rng, min_rank):
    """Draw a shape, mostly tiny; some at a tile border, some of 1e5 elements."""
    kind = pick(rng, ('tiny', 'small', 'border', 'large'), (6, 3, 1.5, 0.5))
    rank = int(rng.integers(min_rank, 5))
    if kind == 'tiny':
        return [pick(rng, (0, 1, 1, 2, 2, 3, 5)) for _ in range(rank)]
    if kind == 'border' and min_rank < 2:
        return [2 ** int(rng.integers(3, 18)) + int(rng.integers(-1, 2))]
    # Dims of different magnitudes whose product is about `size`.
    size = 100_000 if kind == 'large' else 3000
    shares = rng.dirichlet(np.full(max(rank, 1), 0.7))
    return [max(1, int(size**share)) for share in shares]


def shrink_dims(rng, shape, probability):
    """Set some dims to 1 and drop leading ones; the result is broadcastable."""
    if not chance(rng, probability):
        return list(shape)
    dims = [1 if chance(rng, 0.4) else n for n in shape]
    return dims[int(rng.integers(0, len(dims) + 1)) * chance(rng, 0.4) :]


def fill_value(rng, dtype):
    """Draw a scalar that masked_fill accepts."""
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return pick(rng, (0, 1, 2.7, True, 100, int(info.min), int(info.max)))
    real = (0, -0.0, True, -2.5, 3, float('inf'), float('-inf'))
    if dtype != 'bfloat16':
        real += (0.1, 1e9, -1e39, 65520, float('nan'))
    if dtype in COMPLEX_DTYPES and chance(rng, 0.5):
        return complex(pick(rng, real[:5]), pick(rng, real))
    return pick(rng, real)


def masked(rng, case, out, array):
    x = array(out if case.inplace else shrink_dims(rng, out, 0.3))
    density = pick(rng, (0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0))
    shape = shrink_dims(rng, out, 0.4)
    mask = draw_mask(rng, shape, density, runs=chance(rng, 0.3))
    case.arrays = arrays = {'x': x, 'mask': mask}
    if case.api == 'masked_scatter':
        count = np.count_nonzero(np.broadcast_to(mask, case.out_shape))
        size = count + pick(rng, (0, 0, 1, 7))
        shapes = [(size,), (1, size), (size, 1)] + [()] * int(size == 1)
        arrays['value'] = array(pick(rng, shapes))
    elif chance(rng, 0.4):
        case.options['value'] = fill_value(rng, case.dtype)
    else:
        if chance(rng, 0.15):
            arrays['mask'] = mask.astype(
                pick(rng, ('int32', 'float32', 'uint8'))
            )
        shape = shrink_dims(rng, case.out_shape, 0.7)
        arrays['value'] = array(shape, case.source_dtype)


def view(rng, case, shape, array):
    rank = len(shape)
    if case.api == 'select_scatter':
        axis = int(rng.integers(-rank, rank))
        shape[axis] = max(1, shape[axis])
        index = int(rng.integers(-shape[axis], shape[axis]))
        case.options, get = {'axis': axis, 'index': index}, select
    else:
        axis1, axis2 = rng.permutation(rank)[:2].tolist()
        offset = int(rng.integers(-shape[axis1] - 2, shape[axis2] + 3))
        offset = offset // 4 if chance(rng, 0.5) else offset
        axes = [axis - rank * chance(rng, 0.3) for axis in (axis1, axis2)]
        names, get = ('offset', 'axis1', 'axis2'), diagonal
        case.options = dict(zip(names, (offset, *axes)))
    x = array(shape)
    source = array(get(x, **case.options).shape, case.source_dtype)
    case.arrays = {'x': x, case.source: source}


def draw_index(rng, shape, axis):
    """Draw an index of one dim, a column or a 0-D index."""
    size, dtype = shape[axis], pick(rng, ('int32', 'int64'))
    n = pick(rng, (0, 1, 2, 3, size // 2, size, size, 2 * size + 1))
    n = min(n if size else 0, max(4, 200_000 * size // max(1, np.prod(shape))))
    # Independent, sorted, one slice, or most of them in a few slices.
    power = pick(rng, (1, 1, 1, 8))
    index = (rng.random(n) ** power * size).astype(dtype)
    index = pick(rng, (index, np.sort(index), index[:1].repeat(n)))
    if size >= n and chance(rng, 0.2):
        index = rng.permutation(size)[:n].astype(dtype)
    if chance(rng, 0.4):
        index -= ((rng.random(n) < 0.5) * size).astype(dtype)
    if n and chance(rng, 0.1):
        return index[:1].reshape(())
    return index.reshape(-1, 1) if chance(rng, 0.15) else index


def scatter(rng, case, shape, array):
    plain = chance(rng, 0.3)  # served by Paddle's own operator
    axis = 0 if plain else int(rng.integers(-len(shape), len(shape)))
    linear = case.wrt and case.dtype not in GRAD_DTYPES
    reduces = REDUCES[:2] if plain else LINEAR_REDUCES if linear else REDUCES
    reduce = pick(rng, [r for r in reduces if is_defined(r, case.dtype)])
    case.options = {'axis': axis}
    if reduce != 'assign':
        own = not plain and chance(rng, 0.5)
        options = {'overwrite': False, 'reduce': reduce, 'include_self': own}
        case.options |= options
    if reduce == 'mul' and case.kind != 'ties':
        case.kind = 'factors'
    index = draw_index(rng, shape, axis)
    x, updates = array(shape), list(shape)
    updates[axis : axis % len(shape) + 1] = (
        [len(index) + pick(rng, (0, 0, 0, 1, 3))] if index.ndim else []
    )
    case.arrays = {'x': x, 'index': index, 'updates': array(updates)}


def draw(seed, number, api, shape=None):
    """Draw a case, determined by seed, number and API."""
    rng = np.random.default_rng([seed, number])
    gradients = chance(rng, 0.33)
    dtype = pick(rng, ALL_DTYPES)
    casts = not gradients and api in CASTING_APIS and chance(rng, 0.1)
    inplace = api in INPLACE_APIS and chance(rng, 0.35)
    others = ('int8', 'float32', 'bfloat16', 'bool')
    names = TENSORS[api]
    case = Case(
        api=api,
        dtype=dtype,
        seed=(seed, number),
        kind=pick(rng, ('any',) * (not gradients) + ('finite', 'ties')),
        source_dtype=pick(rng, others) if casts else dtype,
        layouts={
            name: pick(rng, LAYOUTS)
            for name in (*names, 'out_grad')
            if chance(rng, 0.25)
        },
        guard=pick(rng, ('end', 'end', 'start')),
        inplace=inplace,
        threads=pick(rng, (1, 2)),
        wrt=(names[0], names[-1]) if gradients else (),
    )

    def array(shape, dtype=dtype):
        kind = case.kind if dtype == case.dtype else 'ties'
        return draw_array(rng, shape, dtype, kind)

    makers = masked, masked, view, view, scatter
    at = APIS.index(api)
    shape = shape or draw_shape(rng, (0, 0, 1, 2, 1)[at])
    makers[at](rng, case, shape, array)
    both = tuple(n for n in case.wrt if n in case.arrays)
    case.wrt = pick(rng, (both, both, both[:1], both[-1:]))
    return case
