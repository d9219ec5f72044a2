"""Inputs of a case, made from a seed: the same bytes on every side.

Values are small multiples of 1/8, exact in every dtype; so sums do not depend
on their order, and the sides can be compared closely.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from bench.run.cases import BACKWARD, FLOATS

# Big arrays repeat a block of random data: no multiple of any vector or tile,
# and far too long for a branch predictor to learn.
BLOCK = 1_000_003
RUN_LENGTH = 256


@dataclass
class Inputs:
    """`data` has the case's dtype once loaded; `masks` and `index` do not.

    `grads` names those whose gradients are asked for.
    """

    data: dict
    masks: dict = field(default_factory=dict)
    index: dict = field(default_factory=dict)
    attrs: dict = field(default_factory=dict)
    grads: tuple = ()


def values(rng, shape, dtype, powers=False):
    """Random data. `powers`: mostly 1 and -1, for long products."""
    count = math.prod(shape)
    block = min(count, BLOCK)
    if dtype == 'bool':
        data = rng.integers(0, 2, block)
    elif powers:
        data = rng.choice([1, -1, 2, 0.5], block, p=[0.45, 0.45, 0.05, 0.05])
    else:
        data = rng.integers(-100, 101, block)
        if dtype in FLOATS:
            data = data / 8
        if dtype == 'complex128':
            data = data + 1j * rng.integers(-8, 9, block)
    # numpy has no bfloat16
    data = data.astype('float32' if dtype == 'bfloat16' else dtype)
    return np.resize(data, count).reshape(shape)


def mask(rng, shape, density, layout):
    """A boolean mask with the given share of True."""
    count = math.prod(shape)
    block = min(count, BLOCK)
    if density in (0, 1):
        data = np.full(block, bool(density))
    elif layout == 'runs':
        runs = rng.random(block // RUN_LENGTH + 1) < density
        data = np.repeat(runs, RUN_LENGTH)[:block]
    else:
        data = rng.random(block) < density
    return np.resize(data, count).reshape(shape)


def part_shape(shape, kind):
    """The shape of an operand that is broadcast to `shape`."""
    if kind == 'row':  # one element for each row
        return (*shape[:-1], 1)
    if kind == 'column':  # one for each column
        return (*(1 for _ in shape[:-1]), shape[-1])
    if kind == 'plane':  # one of the last two axes for all before them
        return (*(1 for _ in shape[:-2]), *shape[-2:])
    return {'full': tuple(shape), 'scalar': (1,)}[kind]


def _masked(case, rng):
    shape = part_shape(case.shape, case['mask'])
    flags = mask(rng, shape, case['density'], case['layout'])
    if case['mask'] == 'scalar':
        flags[...] = True
    x = values(rng, part_shape(case.shape, case['x']), case.dtype)
    made = Inputs({'x': x}, {'mask': flags})
    if case.op == 'masked_scatter':
        repeats = case.numel // flags.size
        # one even if none is used: a release crashes on an empty value
        shape = (max(1, int(np.count_nonzero(flags)) * repeats),)
    elif case['value'] == 'number':
        made.attrs['value'] = True if case.dtype == 'bool' else 3
        return made
    else:
        one = case['value'] == 'one'
        shape = () if one else part_shape(case.shape, case['value'])
    made.data['value'] = values(rng, shape, case.dtype)
    return made


def _select(case, rng):
    axis = case['axis']
    rest = case.shape[:axis] + case.shape[axis + 1 :]
    data = {
        'x': values(rng, case.shape, case.dtype),
        'values': values(rng, rest, case.dtype),
    }
    return Inputs(data, attrs={'axis': axis, 'index': case.shape[axis] // 2})


def _diagonal(case, rng):
    attrs = {key: case[key] for key in ('offset', 'axis1', 'axis2')}
    x = values(rng, case.shape, case.dtype)
    shape = np.diagonal(x, **attrs).shape
    data = {'x': x, 'y': values(rng, shape, case.dtype)}
    return Inputs(data, attrs=attrs)


def index(rng, size, pattern, count):
    """`count` indices into `size` slots; permutation: none of them twice."""
    if pattern == 'permutation':
        return rng.permutation(size)[:count]
    if pattern == 'one':
        return np.full(count, size // 2)
    if pattern == 'two':
        return rng.integers(0, 2, count) * (size // 2)
    if pattern == 'skewed':  # a few slots get most of it
        return (rng.random(count) ** 8 * size).astype(np.int64)
    drawn = rng.integers(0, size, count)
    return np.sort(drawn) if pattern == 'sorted' else drawn


def _scatter(case, rng):
    powers = case['reduce'] == 'mul'
    axis, count = case['axis'], case.slices
    shape = (*case.shape[:axis], count, *case.shape[axis + 1 :])
    data = {
        'x': values(rng, case.shape, case.dtype, powers),
        'updates': values(rng, shape, case.dtype, powers),
    }
    attrs = {key: case[key] for key in ('axis', 'reduce', 'include_self')}
    if case.mode in BACKWARD and case['reduce'] in ('amax', 'amin'):
        # No element of x ties with one of updates: among equal ones PyTorch
        # 2.13 counts x's even where include_self is False.
        data['x'] += data['x'].dtype.type(1 / 16)
    spots = index(rng, case.shape[axis], case['index'], count)
    return Inputs(data, {}, {'index': spots.astype(np.int64)}, attrs)


def _where(case, rng):
    data = {
        'x': values(rng, case.shape, case.dtype),
        'y': values(rng, case.shape, case.dtype),
    }
    return Inputs(data, {'mask': mask(rng, case.shape, 0.5, 'random')})


def _clone(case, rng):
    return Inputs({'x': values(rng, case.shape, case.dtype)})


BUILDERS = {
    'masked_scatter': _masked,
    'masked_fill': _masked,
    'select_scatter': _select,
    'diagonal_scatter': _diagonal,
    'scatter': _scatter,
    'where': _where,
    'clone': _clone,
}


def same_call(library, op, t, attrs):
    """The function of x of an operator that paddle and torch call alike."""
    if op == 'select_scatter':
        values, axis, index = t['values'], attrs['axis'], attrs['index']
        return lambda x: library.select_scatter(x, values, axis, index)
    if op == 'diagonal_scatter':
        y, options = t['y'], (attrs['offset'], attrs['axis1'], attrs['axis2'])
        return lambda x: library.diagonal_scatter(x, y, *options)
    if op == 'clone':
        return lambda x: x.clone()
    mask, y = t['mask'], t['y']
    return lambda x: library.where(mask, x, y)


def build(case, seed=0):
    """The Inputs of a case."""
    rng = np.random.default_rng(seed)
    made = BUILDERS[case.op](case, rng)
    if case.mode in ('tape', *BACKWARD):
        made.grads = tuple(made.data)
    # the gradient that is given, or what the result is multiplied by
    more = {'grad': 'out_grad', 'above': 'weight'}.get(case.mode)
    if more:
        made.data[more] = values(rng, case.shape, case.dtype)
    return made
