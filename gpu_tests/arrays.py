"""Kernels on numpy arrays in the storage form of unittests/."""

from itertools import product

import numpy as np
from scatter_test_utils import assert_same_bits, to_numbers

from gpu_tests import ops
from native.tests.unit.torch_arrays import from_torch, to_torch

# One dtype for each element size.
DTYPE_OF_SIZE = ('int8', 'int16', 'float32', 'float64', 'complex128')


def on_device(array):
    """A tensor of its own memory."""
    tensor = to_torch(array).to(ops.device())
    return tensor.clone() if ops.emulated() else tensor


def to_array(tensor):
    """What is in a tensor; None for None."""
    return None if tensor is None else from_torch(tensor.cpu())


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


def gradient_arguments(op, arrays, out_grad, attributes):
    """What the gradient of an operator is called with; that of index_reduce reads
    the result."""
    out = run(op, *arrays, *attributes) if op == 'index_reduce' else ()
    return *arrays, *out, out_grad, *attributes


def gradients(kernel, *arguments):
    """Both gradients: the same bits together, each alone, and over the memory of
    out_grad where the entry allows it."""
    found = run(kernel, *arguments)
    for wanted in ((True, False), (False, True)):
        alone = run(kernel, *arguments, wanted=wanted)
        assert [grad is not None for grad in alone] == list(wanted)
        at = wanted.index(True)
        assert_same_bits(alone[at], found[at], kernel)
    entry = ops.entries()[kernel]
    at = [tensor.name for tensor in entry.tensors].index('out_grad')
    for second in (True, False) if entry.inplace and arguments[at].size else ():
        tensors = arguments_on_device(arguments)
        x_grad = tensors[at].view(-1)[: found[0].size].view(found[0].shape)
        other = on_device(np.zeros_like(found[1])) if second else None
        ops.run(kernel, *tensors, out=[x_grad, other])
        assert_same_bits(to_array(x_grad), found[0], kernel)
        if second:
            assert_same_bits(to_array(other), found[1], kernel)
    return found


def check_second_order(op, operands, *attributes):
    """It is the operator itself, with zeros for a gradient that is not there."""
    x, *between, values = operands
    masks = between if op == 'masked_scatter' else []
    shape = np.broadcast_shapes(x.shape, *(mask.shape for mask in masks))
    for given in product((True, False), repeat=2):
        grads = [a if g else None for a, g in zip((x, values), given)]
        zeros = [
            np.zeros_like(a) if g is None else a
            for a, g in zip((x, values), grads)
        ]
        (grad,) = run(
            *(f'{op}_double_grad', *operands, np.ones(shape, x.dtype)),
            *(*grads, *attributes),
        )
        (expected,) = run(op, zeros[0], *between, zeros[1], *attributes)
        assert_same_bits(grad, expected)


def assert_close(actual, expected, dtype, rtol, message='', scale=1):
    """Numbers in storage form that differ by rtol, at 0 times `scale`."""
    np.testing.assert_allclose(
        *(to_numbers(actual, dtype), expected, rtol, rtol * scale),
        err_msg=message,
    )
