"""What a result has to be: the same bits, or numbers within a bound."""

import dataclasses

import numpy as np
from scatter_test_utils import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    assert_same_bits,
    bfloat16_to_float,
    storage_dtype,
    to_numbers,
)


@dataclasses.dataclass
class Exact:
    """An array in storage form."""

    array: np.ndarray

    @property
    def shape(self):
        return self.array.shape

    def fault(self, actual, dtype):
        """What is wrong with an array in storage form, or ''."""
        try:
            assert_same_bits(actual, self.array)
        except AssertionError as error:
            return str(error).removeprefix(': ')
        return ''


@dataclasses.dataclass
class Near:
    """Numbers computed in float64, and how far the sum before rounding may be.

    `bound` is for the accumulator; rounding to the dtype comes on top of it. A
    complex bound has one for either part.
    """

    numbers: np.ndarray
    bound: np.ndarray

    @property
    def shape(self):
        return self.numbers.shape

    def fault(self, actual, dtype):
        numbers, stored = np.asarray(self.numbers), storage_dtype(dtype)
        if actual.shape != numbers.shape or actual.dtype != stored:
            return (
                f"expected {stored}{numbers.shape}, "
                f"got {actual.dtype}{actual.shape}"
            )
        wrong = self._wrong(to_numbers(actual, dtype), dtype)
        if not wrong.size:
            return ''
        at = wrong[0]
        got = to_numbers(actual, dtype).reshape(-1)[at]
        bound = np.broadcast_to(self.bound, numbers.shape).reshape(-1)[at]
        return (
            f"{wrong.size} of {numbers.size} elements differ, first at flat "
            f"position {at}: expected {numbers.reshape(-1)[at]} within "
            f"{bound:.3g}, got {got}"
        )

    def _wrong(self, actual, dtype):
        """Flat positions that are out of bounds."""
        numbers, bound = self.numbers, self.bound
        if dtype in COMPLEX_DTYPES:
            bound = bound if np.iscomplexobj(bound) else bound * (1 + 1j)
            real, imag = (
                _outside(
                    part(actual), part(numbers), part(bound), part_dtype(dtype)
                )
                for part in (np.real, np.imag)
            )
            return np.flatnonzero(real | imag)
        return np.flatnonzero(_outside(actual, numbers, bound, dtype))


def sizes(numbers):
    """Absolute values; of complex numbers, those of either part."""
    if not np.iscomplexobj(numbers):
        return np.abs(numbers)
    out = np.empty_like(numbers)
    out.real, out.imag = np.abs(numbers.real), np.abs(numbers.imag)
    return out


def scaled(numbers, factors):
    """The product with real factors, without the NaN of inf * (1 + 0j)."""
    if not np.iscomplexobj(numbers):
        return numbers * factors
    out = np.empty(np.broadcast(numbers, factors).shape, numbers.dtype)
    out.real, out.imag = numbers.real * factors, numbers.imag * factors
    return out


def part_dtype(dtype):
    return 'float32' if dtype == 'complex64' else 'float64'


def accumulator_epsilon(dtype):
    """The precision in which sums and products of the dtype are made."""
    if dtype in HALF_DTYPES or dtype in ('float32', 'complex64'):
        return 2.0**-23
    return 2.0**-52 if dtype in ('float64', 'complex128') else 0.0


def rounded(numbers, dtype):
    """float64 numbers after rounding to a dtype, as numbers again."""
    with np.errstate(over='ignore', invalid='ignore'):
        if dtype != 'bfloat16':
            return np.asarray(numbers).astype(dtype).astype('float64')
        return bfloat16_to_float(to_bfloat16(numbers))


def to_bfloat16(numbers):
    """Bits of the nearest bfloat16, ties to even."""
    with np.errstate(over='ignore', invalid='ignore'):
        floats = np.ascontiguousarray(numbers, 'float32')
    wide = floats.view('uint32').astype('uint64')
    nearest = (wide + 0x7FFF + ((wide >> 16) & 1)) >> 16
    # the NaN that Paddle makes of other NaN
    bits = np.where(np.isnan(floats), 0x7FFF, nearest).astype('uint16')
    return bits.reshape(np.shape(numbers))


def _outside(actual, numbers, bound, dtype):
    if np.asarray(numbers).dtype.kind in 'biu':
        return actual != numbers
    numbers = np.asarray(numbers, 'float64')
    finite = np.isfinite(numbers) & np.isfinite(bound)
    bound = np.where(finite, bound, 0.0)
    low, high = (rounded(numbers + s * bound, dtype) for s in (-1, 1))
    wide = np.asarray(actual).astype('float64')
    inside = (low <= wide) & (wide <= high)
    return ~(inside | (np.isnan(wide) & np.isnan(numbers)))
