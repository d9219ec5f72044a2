"""Inputs of a case, identical for every side and in every run."""

import math

import numpy as np

from bench.run.cases import BACKWARD

# Large arrays repeat a block of random values. Its length is not a multiple of
# any vector or tile, and exceeds the history of branch predictors.
BLOCK = 1_000_003


def draw_values(rng, shape):
    """Draw multiples of 1/8: exact in bfloat16, and so are sums in float32."""
    block = min(math.prod(shape), BLOCK)
    data = rng.integers(-100, 101, block) / 8
    return np.resize(data.astype('float32'), shape)


def draw_mask(rng, case):
    """Draw a mask of the case's density, broadcastable to its shape."""
    shape = {
        'full': case.shape,
        'row': (*case.shape[:-1], 1),
        'plane': (*[1] * (len(case.shape) - 2), *case.shape[-2:]),
    }[case.mask]
    length = case.run_length
    block = min(math.prod(shape), BLOCK)
    runs = rng.random(math.ceil(block / length)) < case.density
    return np.resize(np.repeat(runs, length)[:block], shape)


def build_arrays(case):
    """Return {name: array}; values are float32."""
    rng = np.random.default_rng(0)
    x = draw_values(rng, case.shape)
    arrays = {'x': x}
    if case.op.startswith('masked'):
        arrays['mask'] = flags = draw_mask(rng, case)
        if case.op == 'masked_scatter':
            repeats = x.size // flags.size
            selected = int(np.count_nonzero(flags)) * repeats
            # Released Paddle crashes on an empty value.
            arrays['value'] = draw_values(rng, (max(1, selected),))
    elif case.op == 'scatter':
        size = case.shape[case.axis]
        count = case.updates or size
        arrays['index'] = (
            rng.permutation(size)[:count]
            if case.index == 'permutation'
            else rng.integers(0, size, count)
        )
        shape = list(case.shape)
        shape[case.axis] = count
        arrays['updates'] = draw_values(rng, shape)
        if case.mode == BACKWARD and case.reduce == 'amax':
            # No element of x ties with one of updates: PyTorch 2.13 counts x
            # among the ties even where include_self is False.
            x += np.float32(1 / 16)
    elif case.op == 'select_scatter':
        arrays['value'] = draw_values(rng, x.take(0, case.axis).shape)
    else:
        diagonal = x.diagonal(0, case.axis, case.axis2)
        arrays['value'] = draw_values(rng, diagonal.shape)
    if case.mode == BACKWARD:
        arrays['out_grad'] = draw_values(rng, case.shape)
    return arrays


def list_arguments(case, tensors):
    """Return the arguments after x, which both libraries share."""
    if case.op == 'scatter':
        return tensors['index'], tensors['updates']
    if case.op == 'select_scatter':
        middle = case.shape[case.axis] // 2
        return tensors['value'], case.axis, middle
    if case.op == 'diagonal_scatter':
        return tensors['value'], 0, case.axis, case.axis2
    return tensors['mask'], tensors.get('value', 3)
