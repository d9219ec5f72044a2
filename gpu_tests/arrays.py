"""Kernels on numpy arrays in the storage form of unittests/."""

from itertools import product

import numpy as np
from scatter_test_utils import to_numbers

from gpu_tests import ops
from native.tests.unit.torch_arrays import from_torch, to_torch

# One dtype for each element size.
DTYPE_OF_SIZE = ('int8', 'int16', 'float32', 'float64', 'complex128')


def on_device(array):
    """A tensor of its own memory."""
    tensor = to_torch(array).to(ops.device())
    return tensor.clone() if ops.emulated() else tensor


def resized(shape, axis, length):
    """The shape with another length of one axis."""
    return (*shape[:axis], length, *shape[axis + 1 :])


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


def check_gradients(kernel, *arguments, out_grad, expected, check, over=True):
    """Both gradients, each of them alone, and over the memory of out_grad.

    `check(gradient, expected)` compares; `out_grad` is its place among the
    arguments. Where the operator is not allowed to write over it, not `over`.
    """
    for wanted in ((True, True), (True, False), (False, True)):
        grads = run(kernel, *arguments, wanted=wanted)
        assert [grad is not None for grad in grads] == list(wanted)
        for grad, right in zip(grads, expected):
            if grad is not None:
                check(grad, right)
    if not over or arguments[out_grad].size == 0:
        return
    dtype = arguments[out_grad].dtype
    for second in (True, False):
        tensors = arguments_on_device(arguments)
        x_grad = tensors[out_grad].view(-1)[: expected[0].size]
        other = np.zeros(expected[1].shape, dtype)
        out = [x_grad.view(expected[0].shape), on_device(other)]
        ops.run(kernel, *tensors, out=out if second else [out[0], None])
        check(to_array(out[0]), expected[0])
        if second:
            check(to_array(out[1]), expected[1])


def check_second_order(op, operands, *attributes, check):
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
        check(grad, expected)


def assert_close(actual, expected, dtype, rtol, message='', scale=1):
    """Numbers in storage form that differ by rtol, at 0 times `scale`."""
    np.testing.assert_allclose(
        *(to_numbers(actual, dtype), expected, rtol, rtol * scale),
        err_msg=message,
    )
