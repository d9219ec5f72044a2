"""Dtypes, random arrays and shapes, and a bitwise comparison.

Arrays are in storage form: bfloat16 is stored as numpy.uint16 bits.
"""

import numpy as np

import paddle

INT_DTYPES = ('uint8', 'int8', 'int16', 'int32', 'int64')
HALF_DTYPES = ('float16', 'bfloat16')
FLOAT_DTYPES = ('float32', 'float64')
COMPLEX_DTYPES = ('complex64', 'complex128')
GRAD_DTYPES = HALF_DTYPES + FLOAT_DTYPES + COMPLEX_DTYPES
ALL_DTYPES = ('bool',) + INT_DTYPES + GRAD_DTYPES


def storage_dtype(dtype):
    """Return the numpy dtype that stores elements of a Paddle dtype."""
    return np.dtype('uint16' if dtype == 'bfloat16' else dtype)


def dtype_name(array):
    """Return the Paddle dtype of an array in storage form."""
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


def to_storage(array, dtype):
    """Convert numbers to an array in storage form; bfloat16 rounds toward zero."""
    if dtype != 'bfloat16':
        return np.asarray(array).astype(storage_dtype(dtype))
    return np.asarray(np.float32(array).view(np.uint32) >> 16, np.uint16)


def to_numbers(array, dtype):
    """Convert an array in storage form to numbers that numpy computes with."""
    if dtype != 'bfloat16':
        return array
    return (np.asarray(array, np.uint32) << 16).view(np.float32)


def to_double(array):
    """Convert floats to float64 or complex128; return other arrays unchanged."""
    array = to_numbers(array, dtype_name(array))
    if array.dtype.kind not in 'fc':
        return array
    return array.astype(np.result_type(array, np.float64))


def to_paddle(array, dtype=None, stop_gradient=True):
    array = np.asarray(array)
    dtype = dtype or ('bfloat16' if array.dtype == np.uint16 else None)
    return paddle.to_tensor(array, dtype=dtype, stop_gradient=stop_gradient)


def _bits_differ(actual, expected):
    if actual.tobytes() == expected.tobytes():
        return False
    bits = f'V{expected.dtype.itemsize}'
    return np.array(actual).view(bits) != np.array(expected).view(bits)


def find_difference(actual, expected, dtype=None, differ=_bits_differ):
    """Return a message if the shape, the dtype or an element is wrong, else ''.

    Compares the bits of NaN and -0.0, too, without another function `differ`.
    """
    dtype = dtype or expected.dtype
    if actual.shape != expected.shape or actual.dtype != dtype:
        form = f'{actual.dtype}{actual.shape}'
        return f'expected {dtype}{expected.shape}, got {form}'
    wrong = np.argwhere(differ(actual, expected))
    if not len(wrong):
        return ''
    at = tuple(wrong[0].tolist())
    got, right = (to_numbers(a[at], dtype_name(a)) for a in (actual, expected))
    return (
        f'{len(wrong)} of {actual.size} elements differ, first at {at}: '
        f'expected {right}, got {got}'
    )


def assert_same_bits(actual, expected, message=''):
    """Compare shape, dtype and bits of a Tensor or an array."""
    difference = find_difference(np.asarray(actual), np.asarray(expected))
    assert not difference, f'{message}: {difference}'


def random_array(rng, shape, dtype):
    """Draw integers of the whole range, floats with NaN, infinity and -0.0."""
    shape = tuple(shape)
    if dtype == 'bool':
        return rng.random(shape) < 0.5
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype in COMPLEX_DTYPES:
        part = 'float32' if dtype == 'complex64' else 'float64'
        pair = random_array(rng, (*shape, 2), part)
        return np.ascontiguousarray(pair).view(dtype).reshape(shape)
    numbers = rng.standard_normal(shape)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0])
    special = rng.choice(special, shape)
    numbers = np.where(rng.random(shape) < 0.1, special, numbers)
    return to_storage(numbers, dtype)


def random_numbers(rng, shape, dtype='float64'):
    """Draw finite values."""
    numbers = rng.standard_normal(tuple(shape))
    if dtype in COMPLEX_DTYPES:
        numbers = numbers + 1j * rng.standard_normal(tuple(shape))
    return to_storage(numbers, dtype)


def random_mask(rng, shape, density=0.5, runs=False):
    """Draw a mask of independent elements, or of runs of up to 200."""
    size = int(np.prod(shape))
    if not runs:
        return rng.random(tuple(shape)) < density
    lengths = rng.integers(1, 200, size // 20 + 2)
    states = rng.random(lengths.size) < density
    flat = np.repeat(states, lengths)
    return np.resize(flat, size).reshape(tuple(shape))


def _factors(rng, shape, dtype):
    """Draw numbers whose product neither overflows nor vanishes, and zeros."""
    size = rng.uniform(0.8, 1.25, shape) * (rng.random(shape) < 0.97)
    if dtype in COMPLEX_DTYPES:
        return to_storage(size * np.exp(1j * rng.uniform(-3, 3, shape)), dtype)
    return to_storage(size * rng.choice([-1.0, 1.0], shape), dtype)


def _integers(rng, shape, dtype):
    """Draw integers of the whole range, both limits included."""
    info = np.iinfo(dtype)
    limits = rng.choice(np.array([info.min, info.max], dtype), shape)
    numbers = random_array(rng, shape, dtype)
    return np.where(rng.random(shape) < 0.1, limits, numbers).astype(dtype)


def draw_array(rng, shape, dtype, kind):
    """Draw elements of a kind: any, finite, factors, or few values with ties."""
    shape = tuple(shape)
    if kind == 'ties':
        return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)
    if dtype in INT_DTYPES:
        return _integers(rng, shape, dtype)
    if dtype == 'bool' or kind == 'any':
        return np.asarray(random_array(rng, shape, dtype))
    make = _factors if kind == 'factors' else random_numbers
    return np.asarray(make(rng, shape, dtype))
