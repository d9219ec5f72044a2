"""Tensors over memory that ends, or begins, at a page that can't be touched.

One element read or written too many is then a crash. A Tensor may be a view with
strides into a larger base.
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


def _forbid(address):
    if _libc.mprotect(ctypes.c_void_p(address), _PAGE, _PROT_NONE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def guarded_copy(array, side):
    """A copy between two forbidden pages, touching the one at `side`."""
    size = -(-max(array.nbytes, 1) // _PAGE) * _PAGE
    memory = np.frombuffer(mmap.mmap(-1, size + 2 * _PAGE), np.uint8)
    _forbid(memory.ctypes.data)
    _forbid(memory.ctypes.data + _PAGE + size)
    start = _PAGE if side == 'start' else _PAGE + size - array.nbytes
    copy = np.ndarray(array.shape, array.dtype, memory, start)
    copy[...] = array
    return copy


def _laid_out(array, layout):
    """(base, a view of it equal to the array), not contiguous if it can be."""
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


def _over_base(base, like, like_base):
    """The view of `base` that `like` is of `like_base`."""
    skipped = like.ctypes.data - like_base.ctypes.data
    return np.ndarray(like.shape, base.dtype, base, skipped, like.strides)


def _elements_outside(base, view):
    """A mask of the elements of base outside the view."""
    marks = np.ones(base.shape, base.dtype)
    _over_base(marks, view, base)[...] = 0
    return marks.astype(bool)


def _shared_tensor(view):
    """A Tensor over the memory of a numpy array."""
    if view.dtype == np.uint16:
        shared = torch.from_numpy(view.view(np.int16)).view(torch.bfloat16)
    else:
        shared = torch.from_numpy(view)
    return paddle.utils.dlpack.from_dlpack(shared)


@dataclasses.dataclass
class Placed:
    """A Tensor and the memory it is a view of."""

    tensor: paddle.Tensor
    base: np.ndarray
    before: np.ndarray
    outside: np.ndarray

    def changed(self):
        """Whether any bit of the base is another one than before."""
        return self.base.tobytes() != self.before.tobytes()

    def changed_outside(self):
        """Whether an element that is not part of the view is another one."""
        now, before = self.base[self.outside], self.before[self.outside]
        return now.tobytes() != before.tobytes()


def place(array, layout, side, stop_gradient=True):
    """A Tensor equal to the array, with this layout and guard."""
    base, view = _laid_out(np.asarray(array), layout)
    guarded = guarded_copy(base, side)
    tensor = _shared_tensor(_over_base(guarded, view, base))
    tensor.stop_gradient = stop_gradient
    return Placed(tensor, guarded, base.copy(), _elements_outside(base, view))
