"""Numeric gradients, and the error of an analytic gradient."""

import numpy as np


def numeric_gradient(function, array, delta):
    """Compute central differences of a function from an array to a scalar.

    For a complex array, differentiate the real part of the result; the derivative
    along the imaginary axis is the imaginary part, as in Paddle's backward for an
    output gradient of 1.
    """
    if array.dtype.kind not in 'fc':
        raise ValueError(f"Not supported data type {array.dtype}")
    is_complex = array.dtype.kind == 'c'
    shifted = array.copy()
    flat = shifted.reshape(-1)
    gradient = np.zeros(array.size, array.dtype)
    for i, middle in enumerate(array.reshape(-1)):
        for step in (1, 1j) if is_complex else (1,):
            flat[i] = middle + delta * step
            above = function(shifted)
            flat[i] = middle - delta * step
            below = function(shifted)
            gradient[i] += ((above - below) / delta / 2).real * step
        flat[i] = middle
    return gradient.reshape(array.shape)


def max_relative_error(analytic, expected):
    """Return the largest difference, relative unless the gradient is near 0."""
    if analytic.size == 0:
        return 0.0
    scale = np.abs(np.asarray(expected))
    if analytic.dtype == np.float64:
        # Relax the check of small gradients, as Paddle's OpTest does.
        steps = [scale < 1e-10, scale <= 1e-8, scale <= 1e-6]
        scale = np.select(steps, [1e-3, scale * 1e4, scale * 1e2], scale)
    else:
        scale = np.where(scale < 1e-3, 1, scale)
    return float(np.max(np.abs(analytic - expected) / scale))
