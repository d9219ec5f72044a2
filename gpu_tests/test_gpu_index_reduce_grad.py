"""Gradients of index_reduce and index_scatter on the GPU, against PyTorch's."""

from itertools import product

import numpy as np
import pytest
from index_reduce_cases import LINEAR_REDUCES, REDUCES, cases, defined, operands
from scatter_test_utils import GRAD_DTYPES, random_numbers, to_numbers
from test_index_reduce_grad import few_values, torch_index_reduce

from gpu_tests.arrays import (
    assert_close,
    check_gradients,
    check_second_order,
    largest,
)
from gpu_tests.device import torch
from gpu_tests.ops import index_op

RTOL = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(25)


def expected_gradients(x, index, updates, attrs, out_grad):
    """In double precision."""
    if x.size == 0:
        return [np.zeros(a.shape) for a in (x, updates)]
    wide = np.complex128 if np.iscomplexobj(x) else np.float64
    leaves = [
        torch.tensor(a.astype(wide), requires_grad=True) for a in (x, updates)
    ]
    out = torch_index_reduce(leaves[0], index, leaves[1], *attrs)
    grads = torch.autograd.grad(
        out, leaves, torch.tensor(out_grad.astype(wide)), allow_unused=True
    )
    return [
        np.zeros(a.shape, wide) if g is None else g.numpy()
        for g, a in zip(grads, (x, updates))
    ]


def check(x, index, updates, attrs, out_grad, dtype, message=''):
    numbers = [to_numbers(a, dtype) for a in (x, updates, out_grad)]
    expected = expected_gradients(
        *(numbers[0], index, numbers[1], attrs, numbers[2])
    )
    rtol = RTOL.get(dtype, 1e-5)
    op = index_op(attrs[1])
    check_gradients(
        *(f'{op}_grad', x, index, updates, out_grad, *attrs),
        out_grad=3,
        expected=expected,
        check=lambda grad, right: assert_close(
            *(grad, right, dtype, rtol, f'{message}, {attrs}'),
            scale=max(1, largest(right)),
        ),
        over=op == 'index_scatter',
    )


@pytest.mark.parametrize('make', (few_values, random_numbers))
@pytest.mark.parametrize('reduce', REDUCES)
def test_every_case_with_ties_and_zeros(rng, reduce, make):
    for name, x_shape, axis, index, updates_shape in cases():
        x, updates = make(rng, x_shape), make(rng, updates_shape)
        out_grad = random_numbers(rng, x_shape)
        for include_self in (True, False):
            attrs = axis, reduce, include_self
            check(x, index, updates, attrs, out_grad, 'float64', name)


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_every_dtype(rng, dtype):
    index = np.array([3, 3, 0, -1, 3, 8])
    for make, reduce, (axis, shape), include_self in product(
        *((few_values, random_numbers), REDUCES),
        *(((0, (6, 9)), (1, (9, 6))), (True, False)),
    ):
        if defined(reduce, dtype):
            arrays = make(rng, (9, 9), dtype), index, make(rng, shape, dtype)
            out_grad = make(rng, (9, 9), dtype)
            check(*arrays, (axis, reduce, include_self), out_grad, dtype)


@pytest.mark.parametrize('reduce', REDUCES)
def test_long_skewed_indexes(rng, reduce):
    for shape, axis in (((5, 40), 1), ((40, 5), 0), ((3, 9, 2), 1)):
        updates_shape = list(shape)
        updates_shape[axis] = 700
        x, updates = few_values(rng, shape), few_values(rng, updates_shape)
        if reduce == 'mul':
            x, updates = (operands(rng, a.shape, 'mul') for a in (x, updates))
            updates[rng.random(updates.shape) < 0.003] = 0
        out_grad = random_numbers(rng, shape)
        index = np.minimum(rng.geometric(0.3, 700), shape[axis]) - 1
        for include_self in (True, False):
            attrs = axis, reduce, include_self
            check(x, index, updates, attrs, out_grad, 'float64', f'{shape}')


@pytest.mark.parametrize('reduce', LINEAR_REDUCES)
def test_second_order_with_and_without_each_gradient(rng, reduce):
    for name, x_shape, axis, index, updates_shape in cases():
        x, updates = (random_numbers(rng, s) for s in (x_shape, updates_shape))
        for include_self in (True, False):
            check_second_order(
                *('index_scatter', (x, index, updates)),
                *(axis, reduce, include_self),
                check=lambda grad, expected, name=name: assert_close(
                    grad, expected, 'float64', 1e-12, name
                ),
            )
