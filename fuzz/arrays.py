"""Dtypes, random arrays, and comparisons.

Arrays are in storage form: bfloat16 is stored as numpy.uint16 bits.
"""

import numpy as np

import paddle

INT_DTYPES = ('uint8', 'int8', 'int16', 'int32', 'int64')
HALF_DTYPES = ('float16', 'bfloat16')
COMPLEX_DTYPES = ('complex64', 'complex128')
GRAD_DTYPES = (*HALF_DTYPES, 'float32', 'float64', *COMPLEX_DTYPES)
ALL_DTYPES = ('bool', *INT_DTYPES, *GRAD_DTYPES)


def dtype_name(array):
    """Return the Paddle dtype of an array in storage form."""
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


def to_storage(array, dtype):
    """Convert numbers to an array in storage form, rounding to nearest."""
    if dtype != 'bfloat16':
        return np.asarray(array).astype(dtype)
    bits = np.asarray(array, np.float32).view(np.uint32)
    even = bits + 0x7FFF + (bits >> 16 & 1)
    return np.where(np.isnan(array), 0x7FFF, even >> 16).astype(np.uint16)


def to_numbers(array, dtype):
    """Convert an array in storage form to numbers that numpy computes with."""
    if dtype != 'bfloat16':
        return array
    return (np.asarray(array, np.uint32) << 16).view(np.float32)


def to_paddle(array, stop_gradient=True):
    array = np.asarray(array)
    return paddle.to_tensor(array, dtype_name(array), None, stop_gradient)


def find_difference(actual, expected, rtol=None):
    """Return a message if the shape, the dtype or a bit is wrong, else ''. With
    `rtol`, all NaNs are equal, as are numbers within that relative error."""
    form = f'{actual.dtype}{actual.shape}'
    if form != (right := f'{expected.dtype}{expected.shape}'):
        return f'expected {right}, got {form}'
    dtype = dtype_name(actual)
    got, right = (to_numbers(a, dtype) for a in (actual, expected))
    if rtol is None:
        bits = f'V{actual.itemsize}'
        wrong = np.array(actual).view(bits) != np.array(expected).view(bits)
    elif dtype in GRAD_DTYPES:
        parts = [(got.real, right.real), (got.imag, right.imag)]
        wrong = ~np.all(
            [np.isclose(a, b, rtol, rtol, equal_nan=True) for a, b in parts], 0
        )
    else:
        wrong = got != right
    if not (at := np.argwhere(wrong)).size:
        return ''
    at = tuple(at[0].tolist())
    return (
        f'{wrong.sum()} of {wrong.size} elements differ, first at {at}: '
        f'expected {right[at]}, got {got[at]}'
    )


def assert_same_bits(actual, expected, message=''):
    """Compare shape, dtype and bits of a Tensor or an array."""
    difference = find_difference(np.asarray(actual), np.asarray(expected))
    assert not difference, f'{message}: {difference}'


def draw_array(rng, shape, dtype, kind='any'):
    """Draw integers of the whole range, and floats of a kind: any (NaN, infinity
    and -0.0, too), finite, factors (whose product neither overflows nor vanishes),
    or few values with ties."""
    shape = tuple(shape)
    if dtype in COMPLEX_DTYPES and kind != 'ties':
        part = 'float32' if dtype == 'complex64' else 'float64'
        pair = draw_array(rng, (*shape, 2), part, kind)
        if kind == 'factors':  # absolute values near 1
            pair = pair * np.array(0.5**0.5, part)
        return np.ascontiguousarray(pair).view(dtype).reshape(shape)
    if dtype == 'bool':
        return np.asarray(rng.random(shape) < 0.5)
    if dtype in INT_DTYPES and kind != 'ties':
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        numbers = rng.integers(low, high, shape, dtype, endpoint=True)
        limits = rng.choice(np.array([low, high], dtype), shape)
        return np.where(rng.random(shape) < 0.1, limits, numbers)
    some = rng.random(shape) < 0.1
    if kind == 'ties':
        numbers = rng.choice([0.0, 0.5, 1.0, 2.0], shape)
    elif kind == 'factors':
        numbers = rng.uniform(0.8, 1.25, shape) * rng.choice([-1, 1], shape)
        numbers = np.where(some & (rng.random(shape) < 0.3), 0, numbers)
    else:
        numbers = rng.standard_normal(shape)
    if kind == 'any':
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0]
        numbers = np.where(some, rng.choice(special, shape), numbers)
    return to_storage(numbers, dtype)


def draw_mask(rng, shape, density=0.5, runs=False):
    """Draw a mask of independent elements, or of runs of up to 200."""
    size = int(np.prod(shape))
    lengths = rng.integers(1, 200 if runs else 2, size + 2)
    flat = np.repeat(rng.random(lengths.size) < density, lengths)
    return flat[:size].reshape(tuple(shape))
