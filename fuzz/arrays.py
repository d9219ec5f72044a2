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


def to_numbers(array):
    """Convert an array in storage form to numbers that numpy computes with."""
    if array.dtype != np.uint16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)


def to_paddle(array):
    return paddle.to_tensor(array, dtype_name(array))


def assert_same_bits(actual, expected, message='', rtol=None):
    """Compare shape, dtype and bits of Tensors or arrays. With `rtol`, all NaNs
    are equal, as are numbers within that relative error."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    forms = [f'{a.dtype}{a.shape}' for a in (actual, expected)]
    assert forms[0] == forms[1], f'{message}: {" is not ".join(forms)}'
    if actual.tobytes() != expected.tobytes():
        numbers = to_numbers(actual), to_numbers(expected)
        parts = [np.array([a.real, a.imag]) for a in numbers]
        if rtol:
            np.testing.assert_allclose(*parts, rtol, rtol, err_msg=message)
        else:
            np.testing.assert_array_equal(*parts, message)
        assert rtol is not None, f'{message}: wrong sign of 0 or kind of NaN'


def draw_array(rng, shape, dtype, kind='any'):
    """Draw any numbers (NaN, infinity and -0.0, too), finite ones, whose product
    neither overflows nor vanishes, or few values with ties."""
    if kind == 'ties' or dtype == 'bool':
        return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)
    if dtype in COMPLEX_DTYPES:
        part = 'float32' if dtype == 'complex64' else 'float64'
        pairs = draw_array(rng, (*shape, 2), part, kind)
        if kind == 'finite':
            pairs *= 0.7  # absolute values are near 1
        return pairs.view(dtype)[..., 0]
    if dtype in INT_DTYPES:
        special = [np.iinfo(dtype).min, np.iinfo(dtype).max]
        numbers = rng.integers(*special, shape, dtype, endpoint=True)
    else:
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0] if kind == 'any' else [0]
        numbers = rng.choice([-1, 1], shape) * rng.uniform(0.8, 1.25, shape)
    special = rng.choice(np.array(special, numbers.dtype), shape)
    is_special = rng.random(shape) < (0.03 if kind == 'finite' else 0.1)
    return to_storage(np.where(is_special, special, numbers), dtype)
