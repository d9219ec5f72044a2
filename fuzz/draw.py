"""Draw random cases: a call with its arrays and options."""

import itertools
from dataclasses import dataclass

import numpy as np

from fuzz.arrays import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
    draw_array,
    to_storage,
)
from fuzz.reference import LINEAR_REDUCES, REDUCES, is_defined, overwritten

INPLACE_APIS = ('masked_scatter', 'masked_fill', 'scatter')
CASTING_APIS = ('masked_fill', 'select_scatter', 'diagonal_scatter')
CASTS_FROM = ('int8', 'float32', 'bfloat16', 'bool')


@dataclass
class Case:
    """One call; `arrays` are in storage form and in the order of the API.

    The source, which is written into x, is the last Tensor, except if masked_fill
    has a scalar. `wrt` names the Tensors to differentiate with respect to: those of
    linear operators in every dtype, as in Paddle. Linear operators with both in
    `wrt` are differentiated twice.
    """

    api: str
    seed: tuple
    dtype: str
    source_dtype: str
    inplace: bool
    wrt: tuple
    arrays: dict = None
    options: dict = None
    out_grad: np.ndarray = None

    @property
    def reduce(self):
        """The reduction of scatter, 'assign' if it overwrites."""
        return self.options.get('reduce', 'assign')

    @property
    def second_order(self):
        linear = self.api != 'masked_fill' and self.reduce in LINEAR_REDUCES
        return linear and len(self.wrt) == 2 and not self.inplace


def pick(rng, sequence):
    return sequence[rng.integers(len(sequence))]


def draw_shape(rng, min_rank):
    """Draw a shape, mostly tiny; some at a tile border, some of 1e5 elements."""
    rank = pick(rng, range(min_rank, 5))
    if rng.random() < 0.6:
        return [
            pick(rng, (0, 1, 1, 1, 2, 2, 2, 3, 3, 5, 6)) for _ in range(rank)
        ]
    if min_rank < 2 and rng.random() < 0.3:
        return [2 ** pick(rng, range(3, 18)) + pick(rng, (-1, 0, 1))]
    # Dims of different magnitudes whose product is about `size`.
    size = pick(rng, (3000,) * 7 + (100_000,))
    return [max(1, int(size**share)) for share in rng.dirichlet([0.7] * rank)]


def shrink_dims(rng, shape, probability):
    """Set some dims to 1 and drop leading ones; the result is broadcastable."""
    if rng.random() > probability:
        return shape
    dims = [pick(rng, (1, 1, n, n, n)) for n in shape]
    return dims[pick(rng, (0, 0, 0, pick(rng, range(len(dims) + 1)))) :]


def draw_scalar(rng, dtype):
    """Draw a scalar that masked_fill accepts."""
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return pick(rng, (0, 1, 2.7, True, 100, int(info.min), int(info.max)))
    real = (0, -0.0, True, -2.5, 3, float('inf'), float('-inf'))
    if dtype != 'bfloat16':
        real += (0.1, 1e9, -1e39, 65520, float('nan'))
    if dtype in COMPLEX_DTYPES and rng.random() < 0.5:
        return complex(pick(rng, real[:5]), pick(rng, real))
    return pick(rng, real)


# These functions return the shape of x, {name: array between x and the source}, the
# shape of the source and the options.


def draw_masked(rng, case, shape):
    x_shape = shape if case.inplace else shrink_dims(rng, shape, 0.3)
    mask_shape = shrink_dims(rng, shape, 0.4)
    density = pick(rng, (0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0))
    size = int(np.prod(mask_shape))
    run = pick(rng, (1, 1, rng.integers(1, 200)))
    mask = (rng.random(size // run + 1) < density).repeat(run)
    mask = mask[:size].reshape(mask_shape)
    out_shape, options = np.broadcast_shapes(x_shape, mask.shape), {}
    if case.api == 'masked_scatter':
        size = np.count_nonzero(np.broadcast_to(mask, out_shape))
        size += pick(rng, (0, 0, 1, 7))
        shapes = [(size,), (1, size), (size, 1)] + [()] * int(size == 1)
        value_shape = pick(rng, shapes)
    elif rng.random() < 0.4:
        value_shape, options = None, {'value': draw_scalar(rng, case.dtype)}
    else:
        dtypes = ('bool',) * 5 + ('int32', 'float32', 'uint8')
        mask = mask.astype(pick(rng, dtypes))
        value_shape = shrink_dims(rng, out_shape, 0.7)
    return x_shape, {'mask': mask}, value_shape, options


def draw_view(rng, case, shape):
    rank = len(shape)
    if case.api == 'select_scatter':
        axis = pick(rng, range(-rank, rank))
        shape[axis] = max(1, shape[axis])
        index = pick(rng, range(-shape[axis], shape[axis]))
        options = {'axis': axis, 'index': index}
    else:
        axes = pick(rng, [*itertools.permutations(range(rank), 2)])
        offset = pick(rng, range(-shape[axes[0]] - 2, shape[axes[1]] + 3))
        offset = pick(rng, (offset, offset // 4))
        axis1, axis2 = (pick(rng, (axis, axis, axis - rank)) for axis in axes)
        options = {'offset': offset, 'axis1': axis1, 'axis2': axis2}
    return shape, {}, overwritten(np.empty(shape), options).shape, options


def draw_scatter(rng, case, shape):
    plain = rng.random() < 0.3  # served by Paddle's own operator
    axis = 0 if plain else pick(rng, range(-len(shape), len(shape)))
    linear = case.wrt and case.dtype not in GRAD_DTYPES
    reduces = REDUCES[:2] if plain else LINEAR_REDUCES if linear else REDUCES
    reduce = pick(rng, [r for r in reduces if is_defined(r, case.dtype)])
    options = {'axis': axis}
    if reduce != 'assign':
        own = not plain and rng.random() < 0.5
        options |= {'overwrite': False, 'reduce': reduce, 'include_self': own}
    index, updates_shape = draw_index(rng, shape, axis), list(shape)
    del updates_shape[axis]
    if index.ndim:
        length = len(index) + pick(rng, (0, 0, 0, 1, 3))
        updates_shape.insert(axis % len(shape), length)
    return shape, {'index': index}, updates_shape, options


def draw_index(rng, shape, axis):
    """Draw an index of one dim, a column or a 0-D index."""
    size = shape[axis]
    n = pick(rng, (0, 1, 2, 3, size // 2, size, size, 2 * size + 1))
    n = min(n if size else 0, max(4, 200_000 * size // max(1, np.prod(shape))))
    # Independent, or most in a few slices; sorted, in one slice, or distinct.
    index = (rng.random(n) ** pick(rng, (1, 1, 1, 8)) * size).astype(int)
    kinds = index, index, np.sort(index), index[:1].repeat(n)
    index = pick(rng, (*kinds, rng.permutation(size)[:n]))
    n = len(index)
    index = index - size * (rng.random(n) < pick(rng, (0, 0, 0.5)))
    if n and rng.random() < 0.1:
        index = index[:1].reshape(())
    elif rng.random() < 0.1:
        index = index.reshape(-1, 1)
    return index.astype(pick(rng, ('int32', 'int64')))


# {API: (function, least rank)}
_DRAW = {
    'masked_scatter': (draw_masked, 0),
    'masked_fill': (draw_masked, 0),
    'select_scatter': (draw_view, 1),
    'diagonal_scatter': (draw_view, 2),
    'scatter': (draw_scatter, 1),
}
APIS = tuple(_DRAW)


def draw(seed, number, api=None, shape=None):
    """Draw a case, determined by seed, number and API. By default, every third
    number is a call of scatter, which has the most kernels."""
    api = api or (*APIS, 'scatter')[number % 6]
    rng = np.random.default_rng([seed, number])
    function, min_rank = _DRAW[api]
    dtype, has_gradients = pick(rng, ALL_DTYPES), rng.random() < 0.4
    casts = not has_gradients and api in CASTING_APIS and rng.random() < 0.1
    source_dtype = pick(rng, CASTS_FROM) if casts else dtype
    inplace = api in INPLACE_APIS and rng.random() < 0.35
    wrt = ('x', 'source') if has_gradients else ()
    case = Case(api, (seed, number), dtype, source_dtype, inplace, wrt)
    shape = shape or draw_shape(rng, min_rank)
    x_shape, between, source_shape, case.options = function(rng, case, shape)
    kind = pick(rng, ('finite', 'ties') + ('any',) * 2 * (not has_gradients))
    if kind == 'any' and case.reduce == 'mul':
        kind = 'finite'
    case.arrays = {'x': draw_array(rng, x_shape, dtype, kind), **between}
    if source_shape is not None:
        kind = 'ties' if casts else kind
        source = draw_array(rng, source_shape, source_dtype, kind)
        case.arrays['source'] = source
    both = tuple(name for name in wrt if name in case.arrays)
    case.wrt = pick(rng, (both, both, both[:1], both[-1:]))
    out_shape = np.broadcast_shapes(x_shape, np.shape(between.get('mask', 0)))
    case.out_grad = draw_array(rng, out_shape, dtype)
    if dtype in GRAD_DTYPES:  # numbers whose sums are exact
        case.out_grad = to_storage(rng.integers(0, 4, out_shape), dtype)
    return case
