"""Tensors in memory that borders on inaccessible pages.

An access out of bounds crashes. A Tensor may be a strided view into a larger base.
"""

import ctypes
import dataclasses
import mmap
import os

import numpy as np
import torch

import paddle

_PROT_NONE = 0
_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)


def _protect(address):
    if _libc.mprotect(ctypes.c_void_p(address), _PAGE, _PROT_NONE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def guarded_copy(array, side):
    """Copy an array between two inaccessible pages, adjacent to that at `side`."""
    size = -(-max(array.nbytes, 1) // _PAGE) * _PAGE
    memory = np.frombuffer(mmap.mmap(-1, size + 2 * _PAGE), np.uint8)
    _protect(memory.ctypes.data)
    _protect(memory.ctypes.data + _PAGE + size)
    start = _PAGE if side == 'start' else _PAGE + size - array.nbytes
    copy = np.ndarray(array.shape, array.dtype, memory, start)
    copy[...] = array
    return copy


def _apply_layout(array, layout):
    """Return a base, and a function of it: the view of this layout, which equals
    the array."""
    if layout == 'offset':
        base = np.concatenate([np.ones(3, array.dtype), array.reshape(-1)])
        return base, lambda base: base[3:].reshape(array.shape)
    if not array.ndim or not array.size or not layout:
        return array, lambda base: base
    if layout == 'transposed':
        return array.T, lambda base: base.T
    if layout == 'stepped':
        base = np.repeat(array, 2, -1)[..., :-1]
        base[..., 1::2] = 1
        return base, lambda base: base[..., ::2]
    if layout == 'inner':
        inner = tuple(slice(1, 1 + n) for n in array.shape)
        base = np.pad(array, [(1, 2)] * array.ndim, constant_values=1)
        return base, lambda base: base[inner]
    return array[:1], lambda base: np.ndarray(
        array.shape, base.dtype, base, strides=(0, *base.strides[1:])
    )


def share(array):
    """Return a Tensor that shares the memory of an array in storage form."""
    if array.dtype == np.uint16:
        shared = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        shared = torch.from_numpy(array)
    return paddle.utils.dlpack.from_dlpack(shared)


@dataclasses.dataclass
class PlacedTensor:
    """A Tensor and its base; `outside` marks the elements that are not in the view."""

    tensor: paddle.Tensor
    base: np.ndarray
    outside: np.ndarray

    def __post_init__(self):
        self.before = self.base.copy()

    def is_changed(self, where=...):
        """Return whether elements of the base have been written."""
        return self.base[where].tobytes() != self.before[where].tobytes()


def place(array, layout, side):
    """Return a Tensor that equals the array, with this layout and guard."""
    base, view = _apply_layout(np.asarray(array), layout)
    base = guarded_copy(base, side)
    outside = np.ones(base.shape, bool)
    view(outside)[...] = False
    return PlacedTensor(share(view(base)), base, outside)
