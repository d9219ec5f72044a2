"""Inputs of a case, the same bytes on every side and in every run.

Values are small multiples of 1/8, exact in every dtype; so sums do not depend
on their order, and the sides can be compared closely.
"""

import math

import numpy as np

from bench.run.cases import BACKWARD, FLOATS, OPS

# Big arrays repeat a block of random data: no multiple of any vector or tile,
# and far too long for a branch predictor to learn.
BLOCK = 1_000_003
RUN_LENGTH = 256
# What keeps its dtype; the others get that of the case once loaded.
OWN_DTYPE = ('mask', 'index')
# The gradient that is given, or what the result is multiplied by.
GIVEN = {'grad': 'out_grad', 'above': 'weight'}


def values(rng, shape, dtype, powers=False):
    """Random data. `powers`: mostly 1 and -1, for long products."""
    block = min(math.prod(shape), BLOCK)
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
    return np.resize(data, shape)


def mask(rng, shape, density, layout):
    """A boolean mask with the given share of True."""
    block = min(math.prod(shape), BLOCK)
    length = RUN_LENGTH if layout == 'runs' else 1
    runs = rng.random(block // length + (length > 1)) < density
    return np.resize(np.repeat(runs, length)[:block], shape)


def part_shape(shape, kind):
    """The shape of an operand that is broadcast to `shape`."""
    return {
        'full': tuple(shape),
        'row': (*shape[:-1], 1),  # one element for each row
        # one of the last two axes for all before them
        'plane': (*[1] * (len(shape) - 2), *shape[-2:]),
        'one': (),
    }[kind]


def _masked(case, rng):
    shape = part_shape(case.shape, case['mask'])
    flags = mask(rng, shape, case['density'], case['layout'])
    made = {'x': values(rng, case.shape, case.dtype), 'mask': flags}
    if case.op == 'masked_scatter':
        trues = int(np.count_nonzero(flags)) * (case.numel // flags.size)
        # one even if none is used: a release crashes on an empty value
        made['value'] = values(rng, (max(1, trues),), case.dtype)
    elif case['value'] != 'number':
        shape = part_shape(case.shape, case['value'])
        made['value'] = values(rng, shape, case.dtype)
    return made


def _view(case, rng):
    x = values(rng, case.shape, case.dtype)
    if case.op == 'select_scatter':
        shape = np.delete(case.shape, case['axis'])
    else:
        shape = np.diagonal(x, 0, case['axis1'], case['axis2']).shape
    return {'x': x, 'value': values(rng, tuple(shape), case.dtype)}


def index(rng, size, pattern, count):
    """`count` indices into `size` slots; permutation: none of them twice."""
    if pattern == 'permutation':
        return rng.permutation(size)[:count]
    if pattern == 'one':
        return np.full(count, rng.integers(size))
    if pattern == 'skewed':  # a few slots get most of it
        return (rng.random(count) ** 8 * size).astype(np.int64)
    drawn = rng.integers(0, size, count)
    return np.sort(drawn) if pattern == 'sorted' else drawn


def _scatter(case, rng):
    powers = case['reduce'] == 'mul'
    axis, count = case['axis'], case.slices
    shape = (*case.shape[:axis], count, *case.shape[axis + 1 :])
    x = values(rng, case.shape, case.dtype, powers)
    updates = values(rng, shape, case.dtype, powers)
    if case.mode in BACKWARD and case['reduce'] in ('amax', 'amin'):
        # No element of x ties with one of updates: among equal ones PyTorch
        # 2.13 counts x's even where include_self is False.
        x += x.dtype.type(1 / 16)
    spots = index(rng, case.shape[axis], case['index'], count)
    return {'x': x, 'updates': updates, 'index': spots.astype(np.int64)}


def build(case):
    """{name: array}"""
    rng = np.random.default_rng(0)
    masked = 'mask' in OPS[case.op]
    make = _masked if masked else _scatter if case.op == 'scatter' else _view
    made = make(case, rng)
    if more := GIVEN.get(case.mode):
        made[more] = values(rng, case.shape, case.dtype)
    return made


def leaves(case, names):
    """Those of the inputs whose gradients are asked for."""
    if case.mode not in ('tape', *BACKWARD):
        return []
    return [n for n in names if n not in (*OWN_DTYPE, *GIVEN.values())]


def operands(case, t):
    """What both libraries take after x, but for a scatter's options."""
    if case.op == 'scatter':
        return t['index'], t['updates']
    if case.op == 'select_scatter':
        axis = case['axis']
        return t['value'], axis, case.shape[axis] // 2
    if case.op == 'diagonal_scatter':
        return t['value'], 0, case['axis1'], case['axis2']
    number = True if case.dtype == 'bool' else 3
    return t['mask'], t.get('value', number)
