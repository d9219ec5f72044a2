"""Numeric gradients, and how far an analytic one is from them."""

import numpy as np


def numeric_gradient(function, array, delta):
    """Central differences of a function from an array to a number.

    For a complex array it is the gradient of the result's real part, with the
    change along the imaginary axis as imaginary part: what Paddle's backward
    gives for an output gradient of 1.
    """
    if array.dtype.kind not in 'fc':
        raise ValueError(f"Not supported data type {array.dtype}")
    is_complex = array.dtype.kind == 'c'
    changed = array.copy()
    flat = changed.reshape(-1)
    gradient = np.zeros(array.size, np.complex128 if is_complex else np.float64)
    for i, middle in enumerate(array.reshape(-1)):
        for step in (1, 1j) if is_complex else (1,):
            flat[i] = middle + delta * step
            above, high = function(changed), flat[i]
            flat[i] = middle - delta * step
            below, low = function(changed), flat[i]
            # the step really taken, after rounding to the array's dtype
            taken = ((high.item() - low.item()) / step).real
            gradient[i] += ((above - below) / taken).real * step
        flat[i] = middle
    return gradient.reshape(array.shape)


def max_relative_error(analytic, expected):
    """The largest difference, relative where the gradient is not near 0."""
    if analytic.size == 0:
        return 0.0
    scale = np.abs(np.asarray(expected))
    if analytic.dtype == np.float64:
        scale = _float64_scale(scale)
    else:
        scale = np.where(scale < 1e-3, 1, scale)
    return float(np.max(np.abs(analytic - expected) / scale))


def _float64_scale(scale):
    """Steps in which Paddle's OpTest loosens the check of small gradients."""
    steps = [scale < 1e-10, scale <= 1e-8, scale <= 1e-6]
    return np.select(steps, [1e-3, scale * 1e4, scale * 1e2], scale)
