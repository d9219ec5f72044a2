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
    """Return a base and a view of it that has the layout and equals the array."""
    if layout == 'offset':
        base = np.concatenate([np.ones(3, array.dtype), array.reshape(-1)])
        return base, base[3:].reshape(array.shape)
    if not array.ndim or not array.size or not layout:
        base = np.array(array, order='C')
        return base, base
    if layout == 'transposed':
        base = np.array(array.T, order='C')
        return base, base.T
    if layout == 'stepped':
        base = np.repeat(array, 2, -1)[..., :-1].copy()
        base[..., 1::2] = 1
        return base, base[..., ::2]
    if layout == 'inner':
        base = np.pad(array, [(1, 2)] * array.ndim, constant_values=1)
        return base, base[tuple(slice(1, 1 + n) for n in array.shape)]
    base = array[:1].copy()
    return base, np.broadcast_to(base, array.shape)


def _rebase_view(base, like, like_base):
    """Return the view of `base` with the offset and strides of `like`."""
    skipped = like.ctypes.data - like_base.ctypes.data
    return np.ndarray(like.shape, base.dtype, base, skipped, like.strides)


def _mask_outside(base, view):
    """Return a mask of the elements of base outside the view."""
    marks = np.ones(base.shape, base.dtype)
    _rebase_view(marks, view, base)[...] = 0
    return marks.astype(bool)


def _shared_tensor(view):
    """Return a Tensor that shares the memory of a numpy array."""
    if view.dtype == np.uint16:
        shared = torch.from_numpy(view.view(np.int16)).view(torch.bfloat16)
    else:
        shared = torch.from_numpy(view)
    return paddle.utils.dlpack.from_dlpack(shared)


@dataclasses.dataclass
class PlacedTensor:
    """A Tensor, its base and a copy of the base."""

    tensor: paddle.Tensor
    base: np.ndarray
    before: np.ndarray
    outside: np.ndarray

    def is_changed(self):
        """Return whether the base has been written."""
        return self.base.tobytes() != self.before.tobytes()

    def is_changed_outside(self):
        """Return whether an element outside the view has been written."""
        now, before = self.base[self.outside], self.before[self.outside]
        return now.tobytes() != before.tobytes()


def place(array, layout, side, stop_gradient=True):
    """Return a Tensor that equals the array, with this layout and guard."""
    base, view = _apply_layout(np.asarray(array), layout)
    guarded = guarded_copy(base, side)
    tensor = _shared_tensor(_rebase_view(guarded, view, base))
    tensor.stop_gradient = stop_gradient
    return PlacedTensor(tensor, guarded, base.copy(), _mask_outside(base, view))
