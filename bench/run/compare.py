"""Whether two sides computed the same."""

import hashlib

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
EXACT = 'the same bits'  # in place of a dtype
SAMPLE = 1 << 16


def summary(array):
    """What is needed to compare an output without sending it."""
    if array.dtype.kind in 'fc':
        array = array + 0.0  # -0.0 counts as 0.0
    array = np.ascontiguousarray(array)
    flat = array.reshape(-1)
    # odd, so that it does not walk down one column
    step = max(1, flat.size // SAMPLE) | 1
    digest = hashlib.blake2b(flat.view(np.uint8), digest_size=16)
    return {
        'shape': array.shape,
        'digest': digest.hexdigest(),
        'sample': flat[::step].copy(),
    }


def same_output(one, other, dtype):
    """'' if two summaries agree, else what differs."""
    if one['shape'] != other['shape']:
        return f'shape {one["shape"]} against {other["shape"]}'
    if one['digest'] == other['digest']:
        return ''
    if dtype not in TOLERANCE:
        return 'values differ'
    a, b = one['sample'], other['sample']
    rtol, atol = TOLERANCE[dtype]
    if np.allclose(a, b, rtol, atol, equal_nan=True):
        return ''
    return f'values differ by up to {np.nanmax(np.abs(a - b)):.3g}'


def same_outputs(ones, others, dtype):
    """The first difference among the outputs, or ''."""
    if len(ones) != len(others):
        return f'{len(ones)} outputs against {len(others)}'
    for place, (one, other) in enumerate(zip(ones, others)):
        if different := same_output(one, other, dtype):
            return f'output {place}: {different}'
    return ''
