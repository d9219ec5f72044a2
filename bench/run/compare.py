"""Whether two sides computed the same."""

import numpy as np

# Relative and absolute error allowed. Half types: the sides may round after each
# step or only once.
TOLERANCE = {
    'float32': (1e-5, 1e-5),
    'float64': (1e-12, 1e-12),
    'complex128': (1e-12, 1e-12),
    'float16': (1e-2, 0.5),
    'bfloat16': (4e-2, 4.0),
}
EXACT = 'the same values'  # in place of a dtype


def difference(ones, others, dtype):
    """The first difference among two lists of outputs, or ''."""
    if len(ones) != len(others):
        return f'{len(ones)} outputs against {len(others)}'
    tolerance = TOLERANCE.get(dtype, (0, 0))
    for place, (a, b) in enumerate(zip(ones, others)):
        if a.shape != b.shape:
            return f'output {place}: shape {a.shape} against {b.shape}'
        same = np.array_equal(a, b)
        if not same and not np.allclose(a, b, *tolerance, equal_nan=True):
            most = np.nanmax(np.abs(a * 1.0 - b))
            return f'output {place}: values differ by up to {most:.3g}'
    return ''
