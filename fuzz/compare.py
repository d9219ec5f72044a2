"""Comparison with an expected result: bitwise, or within an error bound."""

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
class Approximation:
    """Numbers computed in float64, and a bound of the accumulator's error.

    `bound` excludes the rounding to the dtype. It applies to either part of a
    complex number.
    """

    numbers: np.ndarray
    bound: np.ndarray


def accumulator_epsilon(dtype):
    """Return the epsilon of the accumulation type of a dtype, 0 for integers."""
    if dtype in HALF_DTYPES or dtype in ('float32', 'complex64'):
        return 2.0**-23
    return 2.0**-52 if dtype in ('float64', 'complex128') else 0.0


def _round_to(numbers, dtype):
    """Round float64 numbers to a dtype, and convert them back to float64."""
    rounded = torch.tensor(numbers).to(getattr(torch, dtype))
    return rounded.double().numpy()


def _is_outside(actual, numbers, bound, dtype):
    """Return a mask of the elements whose error exceeds the bound."""
    if numbers.dtype.kind in 'biu':
        return actual != numbers
    # A bound is NaN where the other part of a complex number is NaN.
    bound = np.where(np.isfinite(numbers), np.nan_to_num(bound, nan=np.inf), 0)
    low, high = (_round_to(numbers + s * bound, dtype) for s in (-1, 1))
    inside = (low <= actual) & (actual <= high)
    return ~(inside | (np.isnan(actual) & np.isnan(numbers)))


def _exceeds_bound(actual, expected, dtype):
    numbers, bound = expected.numbers, expected.bound
    if dtype not in COMPLEX_DTYPES:
        return _is_outside(actual, numbers, bound, dtype)
    part = 'float32' if dtype == 'complex64' else 'float64'
    real = _is_outside(actual.real, numbers.real, bound, part)
    return real | _is_outside(actual.imag, numbers.imag, bound, part)


def _bits_differ(actual, expected):
    bits = f'V{expected.dtype.itemsize}'
    return np.array(actual).view(bits) != np.array(expected).view(bits)


def find_mismatch(actual, expected, dtype):
    """Return a message if an array in storage form is wrong, else ''.

    `expected` is an Approximation, or an array to compare with bit by bit.
    """
    near = isinstance(expected, Approximation)
    numbers = expected.numbers if near else expected
    stored = storage_dtype(dtype)
    if actual.shape != numbers.shape or actual.dtype != stored:
        return (
            f"expected {stored}{numbers.shape}, "
            f"got {actual.dtype}{actual.shape}"
        )
    if near:
        actual = to_numbers(actual, dtype)
        wrong = np.argwhere(_exceeds_bound(actual, expected, dtype))
    else:
        wrong = np.argwhere(_bits_differ(actual, expected))
    if not len(wrong):
        return ''
    at = tuple(wrong[0].tolist())
    return (
        f"{len(wrong)} of {numbers.size} elements differ, first at {at}: "
        f"expected {numbers[at]}, got {actual[at]}"
    )
