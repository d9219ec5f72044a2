"""Whether two sides computed the same."""

import math

import numpy as np

# Relative and absolute error allowed where a digest differs. Half types: the
# sides may round after each step or only once.
TOLERANCE = {
    'float32': (1e-5, 1e-5),
    'float64': (1e-12, 1e-12),
    'complex128': (1e-12, 1e-12),
    'float16': (1e-2, 0.5),
    'bfloat16': (4e-2, 4.0),
}


def same_output(one, other, dtype):
    """'' if two summaries agree, else what differs."""
    if tuple(one['shape']) != tuple(other['shape']):
        return f'shape {one["shape"]} against {other["shape"]}'
    if one['digest'] == other['digest']:
        return ''
    if dtype not in TOLERANCE:
        return 'values differ'
    a, b = one['sample'], other['sample']
    rtol, atol = TOLERANCE[dtype]
    if a.shape != b.shape or not np.allclose(a, b, rtol, atol, equal_nan=True):
        worst = np.nanmax(np.abs(a - b)) if a.shape == b.shape else math.inf
        return f'values differ by up to {worst:.3g}'
    return ''


def same_outputs(ones, others, dtype):
    """The first difference among the outputs, or ''."""
    if len(ones) != len(others):
        return f'{len(ones)} outputs against {len(others)}'
    for place, (one, other) in enumerate(zip(ones, others)):
        different = same_output(one, other, dtype)
        if different:
            return f'output {place}: {different}'
    return ''
