"""Comparison with an expected result: bitwise, or within an error bound."""

import dataclasses
from functools import partial

import numpy as np
import torch

from fuzz.arrays import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    find_difference,
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


def _exceeds_bound(actual, numbers, bound, dtype):
    actual = to_numbers(actual, dtype)
    if dtype not in COMPLEX_DTYPES:
        return _is_outside(actual, numbers, bound, dtype)
    part = 'float32' if dtype == 'complex64' else 'float64'
    real = _is_outside(actual.real, numbers.real, bound, part)
    return real | _is_outside(actual.imag, numbers.imag, bound, part)


def find_mismatch(actual, expected, dtype):
    """Return a message if an array in storage form is wrong, else ''.

    `expected` is an Approximation, or an array to compare with bit by bit.
    """
    stored = storage_dtype(dtype)
    if not isinstance(expected, Approximation):
        return find_difference(actual, expected, stored)
    exceeds = partial(_exceeds_bound, bound=expected.bound, dtype=dtype)
    return find_difference(actual, expected.numbers, stored, exceeds)
