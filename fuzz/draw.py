"""Draw random cases: a call with its arrays and options."""

import random
from dataclasses import dataclass, field

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
CASTS_FROM = ('int8', 'float32', 'bfloat16', 'bool')
LAYOUTS = ('transposed', 'stepped', 'inner', 'offset')


@dataclass
class Case:
    """One call; `arrays` are in storage form and in the order of the API.

    `layouts` maps Tensors that are views into a larger base to their layout,
    `wrt` names the Tensors to differentiate with respect to: those of linear
    operators in every dtype, as in Paddle. Linear operators with both in `wrt`
    are differentiated twice.
    """

    api: str
    dtype: str
    seed: tuple
    kind: str = 'finite'
    layouts: dict = field(default_factory=dict)
    inplace: bool = False
    wrt: tuple = ()
    source_dtype: str = None
    arrays: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)

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


def draw_shape(rng, min_rank):
    """Draw a shape, mostly tiny; some at a tile border, some of 1e5 elements."""
    size = rng.choices((0, 3000, 100_000), (12, 7, 1))[0]
    rank = rng.randint(min_rank, 4)
    if not size:
        return rng.choices((0, 1, 1, 2, 2, 3, 5), k=rank)
    if min_rank < 2 and rng.random() < 0.3:
        return [2 ** rng.randint(3, 17) + rng.randint(-1, 1)]
    # Dims of different magnitudes whose product is about `size`.
    shares = [rng.gammavariate(0.7, 1) for _ in range(rank)]
    return [max(1, int(size ** (share / sum(shares)))) for share in shares]


def shrink_dims(rng, shape, probability):
    """Set some dims to 1 and drop leading ones; the result is broadcastable."""
    if rng.random() > probability:
        return list(shape)
    dims = [rng.choice((1, 1, n, n, n)) for n in shape]
    return dims[rng.choice((0, 0, 0, rng.randint(0, len(dims)))) :]


def fill_value(rng, dtype):
    """Draw a scalar that masked_fill accepts."""
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return rng.choice((0, 1, 2.7, True, 100, int(info.min), int(info.max)))
    real = (0, -0.0, True, -2.5, 3, float('inf'), float('-inf'))
    if dtype != 'bfloat16':
        real += (0.1, 1e9, -1e39, 65520, float('nan'))
    if dtype in COMPLEX_DTYPES and rng.random() < 0.5:
        return complex(rng.choice(real[:5]), rng.choice(real))
    return rng.choice(real)


def masked(rng, numbers, case, out, array):
    x = array(out if case.inplace else shrink_dims(rng, out, 0.3))
    density = rng.choice((0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0))
    shape = shrink_dims(rng, out, 0.4)
    mask = draw_mask(numbers, shape, density, runs=rng.random() < 0.3)
    case.arrays = {'x': x, 'mask': mask}
    if case.api == 'masked_scatter':
        size = np.count_nonzero(np.broadcast_to(mask, case.out_shape))
        size += rng.choice((0, 0, 1, 7))
        shapes = [(size,), (1, size), (size, 1)] + [()] * int(size == 1)
        case.arrays['value'] = array(rng.choice(shapes))
    elif rng.random() < 0.4:
        case.options['value'] = fill_value(rng, case.dtype)
    else:
        mask_dtype = rng.choice(('bool',) * 5 + ('int32', 'float32', 'uint8'))
        case.arrays['mask'] = mask.astype(mask_dtype)
        shape = shrink_dims(rng, case.out_shape, 0.7)
        case.arrays['value'] = array(shape, case.source_dtype)


def view(rng, _, case, shape, array):
    rank = len(shape)
    if case.api == 'select_scatter':
        axis = rng.randrange(-rank, rank)
        shape[axis] = max(1, shape[axis])
        index = rng.randrange(-shape[axis], shape[axis])
        case.options, get = {'axis': axis, 'index': index}, select
    else:
        axis1, axis2 = rng.sample(range(rank), 2)
        offset = rng.randint(-shape[axis1] - 2, shape[axis2] + 2)
        axes = [rng.choice((n, n, n - rank)) for n in (axis1, axis2)]
        names, get = ('offset', 'axis1', 'axis2'), diagonal
        case.options = dict(
            zip(names, (rng.choice((offset, offset // 4)), *axes))
        )
    x = array(shape)
    source = array(get(x, **case.options).shape, case.source_dtype)
    case.arrays = {'x': x, case.source: source}


def draw_index(rng, numbers, shape, axis):
    """Draw an index of one dim, a column or a 0-D index."""
    size, dtype = shape[axis], rng.choice(('int32', 'int64'))
    n = rng.choice((0, 1, 2, 3, size // 2, size, size, 2 * size + 1))
    n = min(n if size else 0, max(4, 200_000 * size // max(1, np.prod(shape))))
    # Independent, sorted, one slice, or most of them in a few slices.
    power = rng.choice((1, 1, 1, 8))
    index = (numbers.random(n) ** power * size).astype(dtype)
    index = rng.choice((index, np.sort(index), index[:1].repeat(n)))
    if size >= n and rng.random() < 0.2:
        index = numbers.permutation(size)[:n].astype(dtype)
    if rng.random() < 0.4:
        index -= ((numbers.random(n) < 0.5) * size).astype(dtype)
    if n and rng.random() < 0.1:
        return index[:1].reshape(())
    return rng.choice((index,) * 6 + (index.reshape(-1, 1),))


def scatter(rng, numbers, case, shape, array):
    plain = rng.random() < 0.3  # served by Paddle's own operator
    axis = 0 if plain else rng.randrange(-len(shape), len(shape))
    linear = case.wrt and case.dtype not in GRAD_DTYPES
    reduces = REDUCES[:2] if plain else LINEAR_REDUCES if linear else REDUCES
    reduce = rng.choice([r for r in reduces if is_defined(r, case.dtype)])
    case.options = {'axis': axis}
    if reduce != 'assign':
        own = not plain and rng.random() < 0.5
        options = {'overwrite': False, 'reduce': reduce, 'include_self': own}
        case.options |= options
    if reduce == 'mul' and case.kind != 'ties':
        case.kind = 'factors'
    index = draw_index(rng, numbers, shape, axis)
    x, updates = array(shape), list(shape)
    updates[axis : axis % len(shape) + 1] = (
        [len(index) + rng.choice((0, 0, 0, 1, 3))] if index.ndim else []
    )
    case.arrays = {'x': x, 'index': index, 'updates': array(updates)}


def draw(seed, number, api, shape=None):
    """Draw a case, determined by seed, number and API."""
    rng = random.Random(f'{seed} {number}')
    numbers = np.random.default_rng([seed, number])
    gradients = rng.random() < 0.4
    dtype = rng.choice(ALL_DTYPES)
    casts = not gradients and api in CASTING_APIS and rng.random() < 0.1
    names = TENSORS[api]
    case = Case(
        api=api,
        dtype=dtype,
        seed=(seed, number),
        kind=rng.choice(('any',) * (not gradients) + ('finite', 'ties')),
        source_dtype=rng.choice(CASTS_FROM) if casts else dtype,
        layouts={
            name: rng.choice(LAYOUTS)
            for name in (*names, 'out_grad')
            if rng.random() < 0.25
        },
        inplace=api in INPLACE_APIS and rng.random() < 0.35,
        wrt=(names[0], names[-1]) if gradients else (),
    )

    def array(shape, dtype=dtype):
        kind = case.kind if dtype == case.dtype else 'ties'
        return draw_array(numbers, shape, dtype, kind)

    makers = masked, masked, view, view, scatter
    at = APIS.index(api)
    shape = shape or draw_shape(rng, (0, 0, 1, 2, 1)[at])
    makers[at](rng, numbers, case, shape, array)
    both = tuple(n for n in case.wrt if n in case.arrays)
    case.wrt = rng.choice((both, both, both[:1], both[-1:]))
    return case
