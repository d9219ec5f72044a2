"""The other side of call.h: arrays for it, random ones, and comparisons."""

import ctypes
import hashlib
import sys

import numpy as np

# Of the bits of all that expect_same has seen.
FOUND = hashlib.sha256()


class Array(ctypes.Structure):
    """An array as call.h has it."""

    _fields_ = [
        ('data', ctypes.c_void_p),
        ('rank', ctypes.c_int64),
        ('dims', ctypes.c_int64 * 4),
    ]


class GradCall(ctypes.Structure):
    """The arguments of a gradient by an index."""

    _fields_ = [
        *((name, Array) for name in ('x', 'updates', 'out_grad', 'slots',
                                     'x_grad', 'updates_grad')),
        ('include_self', ctypes.c_bool),
    ]  # fmt: skip


def given(array, wanted=True):
    dims = (ctypes.c_int64 * 4)(*array.shape)
    return Array(array.ctypes.data if wanted else None, array.ndim, dims)


def expect_same(what, found, expected):
    """Ends the program unless all bits, or all numbers, are the same."""
    FOUND.update(found.tobytes())
    same_bits = found.tobytes() == expected.tobytes()
    if not same_bits and not np.array_equal(found, expected):
        wrong = np.flatnonzero(found != expected)
        sys.exit(f'{what}: element {wrong[:1]} of {found.shape} is wrong')


class Random:
    """Random shapes and values."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def below(self, n):
        return int(self.rng.integers(n))

    def one_in(self, n):
        return self.below(n) == 0

    def bits(self, dtype, shape):
        """Arbitrary ones."""
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return self.rng.integers(0, 256, count, 'u1').view(dtype).reshape(shape)

    def digits(self, dtype, shape, lowest=-9):
        """Whole numbers with which sums are exact."""
        return self.rng.integers(lowest, 10, shape).astype(dtype)

    def shape(self):
        """Some have elements enough for several threads."""
        large = self.one_in(5)
        numel = 150000 + self.below(20000) if large else 1 + self.below(300)
        dims = []
        for _ in range(self.below(4)):
            dims.append(1 + self.below(5 if self.one_in(2) else numel))
            numel = max(1, numel // dims[-1])
        return tuple(self.rng.permutation([*dims, numel]).tolist())

    def broadcasting(self, shape):
        """A shape that broadcasts to another."""
        if self.one_in(2):
            return shape
        kept = self.below(len(shape)) if self.one_in(4) else 0
        return tuple(1 if self.one_in(3) else n for n in shape[kept:])
