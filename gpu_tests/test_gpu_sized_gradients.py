"""Gradients whose outputs come with the dims of something else, as programs of
the old IR have them: the kernels size them."""

import numpy as np
import pytest

from gpu_tests import ops
from gpu_tests.arrays import arguments_on_device, to_array

X, BIG = (5, 3), (9, 9)
MASK = np.array([[True], [False], [True], [False], [True]])
INDEX = np.array([1, 4, 1])
NO_INDEX = INDEX[:0]
# kernel -> operands, of which a shape stands for any numbers, and attributes
CALLS = {
    'masked_scatter': [
        ((X, MASK, (17,)), ()),
        (((1, 3), MASK, (17,)), ()),
        (((0, 3), MASK[:1], (4,)), ()),
    ],
    'select_scatter': [((X, (5,)), (1, -1)), (((0, 3), (0,)), (1, -1))],
    'diagonal_scatter': [((X, (2,)), (1, 0, 1))],
    'index_scatter': [
        ((X, index, (4, 3)), (0, reduce, include_self))
        for index in (INDEX, NO_INDEX)
        for reduce in ('assign', 'sum', 'mean')
        for include_self in (True, False)
    ],
    'index_reduce': [
        ((X, index, (4, 3)), (0, reduce, True))
        for index in (INDEX, NO_INDEX)
        for reduce in ('mul', 'amax')
    ],
}


def numbers(rng, operand):
    """Whole ones: their sums do not depend on the order."""
    if isinstance(operand, tuple):
        return rng.integers(-9, 10, operand).astype('float32')
    return operand


def result_shape(operands):
    masks = [a for a in operands[1:] if a.dtype == bool]
    return np.broadcast_shapes(operands[0].shape, *(a.shape for a in masks))


def check(name, arguments):
    tensors = arguments_on_device(arguments)
    want = [to_array(out) for out in ops.run(name, *tensors)]
    like = tensors[0]
    given = [ops.poisoned(BIG, like) for _ in want]
    untouched = to_array(given[0]).reshape(-1).copy()
    ops.run(name, *tensors, out=given)
    for out, right in zip(given, want):
        found = to_array(out).reshape(-1)
        size = right.size
        np.testing.assert_array_equal(found[:size], right.reshape(-1), name)
        np.testing.assert_array_equal(found[size:], untouched[size:], name)


@pytest.mark.parametrize('op', CALLS)
def test_first_order(rng, op):
    for operands, attrs in CALLS[op]:
        arrays = [numbers(rng, operand) for operand in operands]
        grad = numbers(rng, result_shape(arrays))
        check(f'{op}_grad', [*arrays, grad, *attrs])


@pytest.mark.parametrize('op', [op for op in CALLS if op != 'index_reduce'])
def test_second_order(rng, op):
    for operands, attrs in CALLS[op]:
        arrays = [numbers(rng, operand) for operand in operands]
        grad = numbers(rng, result_shape(arrays))
        grads = arrays[0], arrays[-1]
        check(f'{op}_double_grad', [*arrays, grad, *grads, *attrs])
