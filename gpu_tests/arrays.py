"""Calls of kernels with numpy arrays in the storage form of fuzz.arrays."""

from itertools import product

import numpy as np
import torch
from fuzz.arrays import assert_same_bits
from fuzz.run import guarded_copy

from gpu_tests import ops


def to_device(array):
    """Copy to the device; the emulated memory ends at an inaccessible page."""
    guarded = guarded_copy(np.asarray(array), 'end')
    if guarded.dtype == np.uint16:
        tensor = torch.from_numpy(guarded.view('int16')).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(guarded)
    return tensor if ops.is_emulated() else tensor.to('cuda')


def to_array(tensor):
    """Copy a tensor to an array."""
    tensor = tensor.cpu().resolve_conj()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()


def move_to_device(arguments):
    """Convert arrays to tensors on the device; keep other arguments."""
    return [
        to_device(a) if isinstance(a, (np.ndarray, np.generic)) else a
        for a in arguments
    ]


def run(kernel, *arguments):
    """Run a kernel on arrays; return a list of arrays."""
    return [*map(to_array, ops.run(kernel, *move_to_device(arguments)))]


def run_in_place(kernel, x, *arguments):
    """Run a kernel that overwrites x; return x."""
    x = to_device(x)
    ops.run(kernel, x, *move_to_device(arguments), out=[x])
    return to_array(x)


def gradient_arguments(call):
    """Return the arguments of the gradient kernel of a call."""
    inputs = [*call.arrays]
    if call.op == 'index_reduce':
        inputs += run(call.op, *inputs, *call.attributes)
    return *inputs, call.case.out_grad, *call.attributes


def gradients(kernel, *arguments):
    """Return both gradients. Check that they are bitwise identical if only one is
    computed, if x_grad overwrites out_grad where the entry allows it, and if the
    outputs have other dims before, as in legacy static graphs."""
    grads = run(kernel, *arguments)
    entry = ops.entries()[kernel]
    at = [tensor.name for tensor in entry.tensors].index('out_grad')
    has_inplace = entry.inplace and arguments[at].size
    for *needed, in_place in product((True, False), repeat=3):
        if not any(needed) or in_place and not (has_inplace and needed[0]):
            continue
        tensors = move_to_device(arguments)
        outs = [
            ops.poison((grad.size + 81,), tensors[0]) if is_needed else None
            for grad, is_needed in zip(grads, needed)
        ]
        if in_place:
            x_grad = tensors[at].view(-1)[: grads[0].size]
            outs[0] = x_grad.view(grads[0].shape)
        ops.run(kernel, *tensors, out=outs)
        for out, grad in zip(outs, grads):
            if out is not None:
                data, rest = np.split(to_array(out).reshape(-1), [grad.size])
                assert_same_bits(data, grad.reshape(-1), kernel)
                assert not rest.tobytes().strip(bytes([ops.POISON])), kernel
    return grads


def check_second_order(op, operands, *attributes, of_scatter=False):
    """Compare with the operator on the gradients, zeros for a missing one.

    If `of_scatter`, call the kernel of Paddle's own scatter.
    """
    x, *between, values = operands
    masks = between if op == 'masked_scatter' else []
    shape = np.broadcast_shapes(x.shape, *(mask.shape for mask in masks))
    kernel = ops.DOUBLE_GRAD if of_scatter else f'{op}_double_grad'
    first = *operands[of_scatter:], np.ones(shape, x.dtype)
    last = (True,) if of_scatter else attributes
    for grads in product((x, None), (values, None)):
        (grad,) = run(kernel, *first, *grads, *last)
        x_grad, values_grad = (
            np.zeros_like(a) if g is None else g
            for a, g in zip((x, values), grads)
        )
        (expected,) = run(op, x_grad, *between, values_grad, *attributes)
        assert_same_bits(grad, expected)
