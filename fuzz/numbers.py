"""Draws shapes and arrays from a random generator."""

import numpy as np
from scatter_test_utils import (
    COMPLEX_DTYPES,
    INT_DTYPES,
    random_array,
    random_numbers,
    to_storage,
)


def pick(rng, options, weights=None):
    """One of the options, as it is: numpy would make it a numpy type."""
    if weights is not None:
        weights = np.array(weights) / sum(weights)
    return options[int(rng.choice(len(options), p=weights))]


def chance(rng, probability):
    return bool(rng.random() < probability)


def _border_shape(rng):
    """A number of elements next to a power of two, in one dim or two."""
    size = 2 ** int(rng.integers(3, 18)) + int(rng.integers(-1, 2))
    rows = pick(rng, (1, 1, 2, 3))
    return [size] if rows == 1 else [rows, max(1, size // rows)]


def shape(rng, low_rank=0):
    """Mostly tiny; now and then at a border of tiles, or about 1e5 elements."""
    kind = pick(rng, ('tiny', 'small', 'border', 'large'), (6, 3, 1.5, 0.5))
    if kind == 'border' and low_rank < 2:
        return _border_shape(rng)
    rank = int(rng.integers(low_rank, 5))
    if kind == 'tiny':
        return [pick(rng, (0, 1, 1, 2, 2, 3, 5)) for _ in range(rank)]
    most = 100_000 if kind == 'large' else 3000
    # dims whose product is about `most`, some of them far from the others
    shares = rng.dirichlet(np.full(max(rank, 1), 0.7))
    return [max(1, int(most**share)) for share in shares]


def broadcastable(rng, shape, probability):
    """The shape with some dims as 1 or, at the front, left out."""
    if not chance(rng, probability):
        return list(shape)
    dims = [1 if chance(rng, 0.4) else n for n in shape]
    start = int(rng.integers(0, len(dims) + 1)) if chance(rng, 0.4) else 0
    return dims[start:]


def _factors(rng, shape, dtype):
    """Numbers whose product stays in range, a few of them zero."""
    size = rng.uniform(0.8, 1.25, shape) * (rng.random(shape) < 0.97)
    if dtype in COMPLEX_DTYPES:
        return to_storage(size * np.exp(1j * rng.uniform(-3, 3, shape)), dtype)
    return to_storage(size * rng.choice([-1.0, 1.0], shape), dtype)


def _integers(rng, shape, dtype):
    """The whole range, its least and greatest number among them."""
    info = np.iinfo(dtype)
    limits = rng.choice(np.array([info.min, info.max], dtype), shape)
    numbers = random_array(rng, shape, dtype)
    return np.where(rng.random(shape) < 0.1, limits, numbers).astype(dtype)


def array(rng, shape, dtype, kind):
    """Elements of a kind: any, finite, factors, or few values with ties."""
    shape = tuple(shape)
    if kind == 'ties':
        return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)
    if dtype in INT_DTYPES:
        return _integers(rng, shape, dtype)
    if dtype == 'bool' or kind == 'any':
        return np.asarray(random_array(rng, shape, dtype))
    make = _factors if kind == 'factors' else random_numbers
    return np.asarray(make(rng, shape, dtype))


def constant_along_first(array):
    """What an array is whose first axis has a stride of zero."""
    if not array.ndim or not array.size:
        return array
    return np.array(np.broadcast_to(array[:1], array.shape))
