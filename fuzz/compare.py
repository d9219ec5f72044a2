"""What a result has to be: the same bits, or numbers within a bound."""

import dataclasses

import numpy as np
import torch

from fuzz.arrays import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    storage_dtype,
    to_numbers,
)


@dataclasses.dataclass
class Near:
    """Numbers computed in float64, and how far the sum before rounding may be.

    `bound` is for the accumulator, and for either part of a complex number;
    rounding to the dtype comes on top of it.
    """

    numbers: np.ndarray
    bound: np.ndarray


def accumulator_epsilon(dtype):
    """The precision in which sums and products of the dtype are made."""
    if dtype in HALF_DTYPES or dtype in ('float32', 'complex64'):
        return 2.0**-23
    return 2.0**-52 if dtype in ('float64', 'complex128') else 0.0


def _rounded(numbers, dtype):
    """float64 numbers after rounding to a dtype, as float64 again."""
    rounded = torch.tensor(numbers).to(getattr(torch, dtype))
    return rounded.double().numpy()


def _outside(actual, numbers, bound, dtype):
    """Where an element is out of bounds."""
    if numbers.dtype.kind in 'biu':
        return actual != numbers
    # a bound is NaN where the other part of a complex number is
    bound = np.where(np.isfinite(numbers), np.nan_to_num(bound, nan=np.inf), 0)
    low, high = (_rounded(numbers + s * bound, dtype) for s in (-1, 1))
    inside = (low <= actual) & (actual <= high)
    return ~(inside | (np.isnan(actual) & np.isnan(numbers)))


def _out_of_bounds(actual, expected, dtype):
    numbers, bound = expected.numbers, expected.bound
    if dtype not in COMPLEX_DTYPES:
        return _outside(actual, numbers, bound, dtype)
    part = 'float32' if dtype == 'complex64' else 'float64'
    real = _outside(actual.real, numbers.real, bound, part)
    return real | _outside(actual.imag, numbers.imag, bound, part)


def _other_bits(actual, expected):
    bits = f'V{expected.dtype.itemsize}'
    return np.array(actual).view(bits) != np.array(expected).view(bits)


def fault(actual, expected, dtype):
    """What is wrong with an array in storage form, or ''.

    What is expected is Near, or an array with the same bits.
    """
    near = isinstance(expected, Near)
    numbers = expected.numbers if near else expected
    stored = storage_dtype(dtype)
    if actual.shape != numbers.shape or actual.dtype != stored:
        return (
            f"expected {stored}{numbers.shape}, "
            f"got {actual.dtype}{actual.shape}"
        )
    if near:
        actual = to_numbers(actual, dtype)
        wrong = np.argwhere(_out_of_bounds(actual, expected, dtype))
    else:
        wrong = np.argwhere(_other_bits(actual, expected))
    if not len(wrong):
        return ''
    at = tuple(wrong[0].tolist())
    return (
        f"{len(wrong)} of {numbers.size} elements differ, first at {at}: "
        f"expected {numbers[at]}, got {actual[at]}"
    )
