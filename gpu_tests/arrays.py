"""Kernels on numpy arrays in the storage form of unittests/."""

import numpy as np
from scatter_test_utils import storage_dtype, to_torch, torch_to_numpy

from gpu_tests import device, ops

# Of a block of the kernels that go over packs of 16 bytes.
THREADS, ROUNDS, PACK_BYTES = 256, 4, 16
# One dtype for each element size.
DTYPE_OF_SIZE = ('int8', 'int16', 'float32', 'float64', 'complex128')


def on_device(array):
    """A tensor of its own memory."""
    tensor = to_torch(array).to(device.name())
    return tensor.clone() if device.emulated() else tensor


def to_array(tensor):
    """What is in a tensor; None for None."""
    return None if tensor is None else torch_to_numpy(tensor.cpu())


def arguments_on_device(arguments):
    """Arrays as tensors, everything else as it is."""
    return [
        on_device(a) if isinstance(a, (np.ndarray, np.generic)) else a
        for a in arguments
    ]


def run(kernel, *arguments, wanted=None):
    """ops.run for arrays; a list of arrays."""
    outputs = ops.run(kernel, *arguments_on_device(arguments), wanted=wanted)
    return [to_array(tensor) for tensor in outputs]


def run_in_place(kernel, x, *arguments):
    """The same into x, whose shape the output has."""
    x = on_device(x)
    ops.run(kernel, x, *arguments_on_device(arguments), out=[x])
    return to_array(x)


def run_over_out_grad(kernel, *arguments, out_grad, wanted):
    """The same for a gradient whose x_grad comes as out_grad itself, resized.

    `wanted` are arrays like the gradients; None for one that is not wanted.
    """
    arguments = arguments_on_device(arguments)
    tensor = arguments[out_grad]
    x_grad = tensor.view(-1)[: wanted[0].size].view(wanted[0].shape)
    others = [None if a is None else on_device(a) for a in wanted[1:]]
    ops.run(kernel, *arguments, out=[x_grad, *others])
    return [to_array(tensor) for tensor in (x_grad, *others)]


def tile_edges(dtype):
    """Lengths at which a kernel's last pack, round, tile or window changes."""
    pack = PACK_BYTES // storage_dtype(dtype).itemsize
    tile = THREADS * ROUNDS * pack
    sizes = {1, 2, 31, 33, 255, 257, 1023, 1024, 1025}
    for base in (pack, THREADS * pack, tile, 2 * tile, 33 * tile):
        sizes |= {base - 1, base, base + 1}
    return sorted(sizes - {0})


def shifted(array, start):
    """A tensor that is dense but begins `start` elements into its memory."""
    padding = np.zeros(start, array.dtype)
    flat = on_device(np.concatenate([padding, array.reshape(-1)]))
    return flat[start:].view(array.shape)
