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


def float_to_bfloat16(array):
    """Convert floats to bfloat16 bits, rounding toward zero."""
    floats = np.ascontiguousarray(array, np.float32)
    bits = (floats.view(np.uint32) >> 16).astype(np.uint16)
    return bits.reshape(np.shape(array))


def bfloat16_to_float(bits):
    wide = np.ascontiguousarray(bits, np.uint16).astype(np.uint32) << 16
    return wide.view(np.float32).reshape(np.shape(bits))


def to_storage(array, dtype):
    """Convert numbers to an array in storage form."""
    if dtype == 'bfloat16':
        return float_to_bfloat16(array)
    return np.asarray(array).astype(storage_dtype(dtype))


def to_numbers(array, dtype):
    """Convert an array in storage form to numbers that numpy computes with."""
    return bfloat16_to_float(array) if dtype == 'bfloat16' else array


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


def assert_same_bits(actual, expected, message=''):
    """Compare shape, dtype and bytes of a Tensor or an array, NaN and -0.0 too."""
    if isinstance(actual, paddle.Tensor):
        actual = actual.numpy()
    expected = np.asarray(expected)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise AssertionError(
            f"{message}: expected {expected.dtype}{expected.shape}, "
            f"got {actual.dtype}{actual.shape}"
        )
    if actual.tobytes() == expected.tobytes():
        return
    width = f'V{actual.dtype.itemsize}'
    actual_bytes = np.ascontiguousarray(actual).reshape(-1).view(width)
    expected_bytes = np.ascontiguousarray(expected).reshape(-1).view(width)
    where = np.flatnonzero(actual_bytes != expected_bytes)
    raise AssertionError(
        f"{message}: {where.size} of {actual.size} elements differ, first at "
        f"flat position {where[0]}: expected {expected.reshape(-1)[where[0]]},"
        f" got {actual.reshape(-1)[where[0]]}"
    )


def sum_to_shape(array, shape):
    """Sum over the axes along which `shape` is broadcast to the array's shape."""
    lead = array.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + i
        for i, size in enumerate(shape)
        if size == 1 and array.shape[lead + i] != 1
    )
    return array.sum(axis=axes, keepdims=True).reshape(shape)


def pick(rng, options, weights=None):
    """Pick one of the options; numpy's choice would convert it to a numpy type."""
    if weights is not None:
        weights = np.array(weights) / sum(weights)
    return options[int(rng.choice(len(options), p=weights))]


def chance(rng, probability):
    return bool(rng.random() < probability)


def _border_shape(rng):
    """Draw a size next to a power of two, in one dim or two."""
    size = 2 ** int(rng.integers(3, 18)) + int(rng.integers(-1, 2))
    rows = pick(rng, (1, 1, 2, 3))
    return [size] if rows == 1 else [rows, max(1, size // rows)]


def draw_shape(rng, min_rank=0):
    """Draw a shape, mostly tiny; some at a tile border, some of 1e5 elements."""
    kind = pick(rng, ('tiny', 'small', 'border', 'large'), (6, 3, 1.5, 0.5))
    if kind == 'border' and min_rank < 2:
        return _border_shape(rng)
    rank = int(rng.integers(min_rank, 5))
    if kind == 'tiny':
        return [pick(rng, (0, 1, 1, 2, 2, 3, 5)) for _ in range(rank)]
    size = 100_000 if kind == 'large' else 3000
    # Dims of different magnitudes whose product is about `size`.
    shares = rng.dirichlet(np.full(max(rank, 1), 0.7))
    return [max(1, int(size**share)) for share in shares]


def shrink_dims(rng, shape, probability):
    """Set some dims to 1 and drop leading ones; the result is broadcastable."""
    if not chance(rng, probability):
        return list(shape)
    dims = [1 if chance(rng, 0.4) else n for n in shape]
    start = int(rng.integers(0, len(dims) + 1)) if chance(rng, 0.4) else 0
    return dims[start:]


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


def repeat_first_slice(array):
    """Copy the first slice over the others, as with a stride of zero."""
    if not array.ndim or not array.size:
        return array
    return np.array(np.broadcast_to(array[:1], array.shape))
