"""Kernels on arrays that end where memory ends; run in the emulation.

A read of one element too many ends the process, though its value may never
be used.
"""

import ctypes
import mmap

import numpy as np
import torch

from gpu_tests import ops


def at_the_end_of_memory(array):
    """A tensor of the same elements, behind which nothing can be read."""
    data = np.ascontiguousarray(array)
    room = -(-max(data.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, room + mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(start + room), mmap.PAGESIZE, 0):
        raise OSError(ctypes.get_errno(), 'mprotect')
    copy = np.frombuffer(memory, data.dtype, data.size, room - data.nbytes)
    copy[:] = data.reshape(-1)
    return torch.from_numpy(copy.reshape(data.shape))


def masked_scatter(length):
    """As many values as there are Trues, the last element False."""
    mask = np.arange(length) % 3 == 0
    mask[-1] = False
    x = np.arange(length, dtype='float32')
    value = -np.arange(mask.sum(), dtype='float32')
    tensors = [at_the_end_of_memory(array) for array in (x, mask, value)]
    (out,) = ops.run('masked_scatter', *tensors)
    expected = x.copy()
    expected[mask] = value
    np.testing.assert_array_equal(out.numpy(), expected)


def index_scatter(length):
    """Rows of one element, so that the last update is the last element."""
    x = np.zeros((length, 1), 'float32')
    index = np.arange(length)[::-1]
    updates = np.arange(length, dtype='float32').reshape(-1, 1)
    tensors = [at_the_end_of_memory(array) for array in (x, index, updates)]
    (out,) = ops.run('index_scatter', *tensors, 0, 'sum', False)
    np.testing.assert_array_equal(out.numpy(), updates[::-1])
