"""Gradients of index_reduce and index_scatter on the GPU, against PyTorch's."""

import numpy as np
import pytest
from index_reduce_cases import LINEAR_REDUCES, REDUCES, cases, defined, operands
from scatter_test_utils import (
    GRAD_DTYPES,
    assert_same_bits,
    random_numbers,
    to_numbers,
)
from test_index_reduce_grad import few_values, torch_index_reduce

from gpu_tests.arrays import run, run_over_out_grad
from gpu_tests.ops import index_op

RTOL = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(25)


def expected_gradients(x, index, updates, attrs, out_grad):
    """In double precision."""
    import torch

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
    for wanted in ((True, True), (True, False), (False, True)):
        grads = run(
            f'{index_op(attrs[1])}_grad',
            *(x, index, updates, out_grad, *attrs),
            wanted=wanted,
        )
        for grad, right, is_wanted in zip(grads, expected, wanted):
            assert (grad is not None) == is_wanted, message
            if is_wanted:
                scale = max(1.0, np.abs(right).max(initial=0))
                np.testing.assert_allclose(
                    to_numbers(grad, dtype),
                    right,
                    rtol,
                    rtol * scale,
                    err_msg=f'{message}, {attrs}',
                )


@pytest.mark.parametrize('make', (few_values, random_numbers))
@pytest.mark.parametrize('reduce', REDUCES)
def test_every_case_with_ties_and_zeros(rng, reduce, make):
    for name, x_shape, axis, index, updates_shape in cases():
        if 0 in x_shape:
            continue
        x, updates = make(rng, x_shape), make(rng, updates_shape)
        out_grad = random_numbers(rng, x_shape)
        for include_self in (True, False):
            attrs = axis, reduce, include_self
            check(x, index, updates, attrs, out_grad, 'float64', name)


@pytest.mark.parametrize('reduce', REDUCES)
def test_gradients_without_elements(rng, reduce):
    for name, x_shape, axis, index, updates_shape in cases():
        if 0 not in x_shape:
            continue
        x, updates = np.zeros(x_shape), np.zeros(updates_shape)
        grads = run(
            f'{index_op(reduce)}_grad',
            *(x, index, updates, x, axis, reduce, True),
        )
        shapes = [grad.shape for grad in grads]
        assert shapes == [x_shape, updates_shape], name
        assert not grads[1].any(), name


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_every_dtype(rng, dtype):
    index = np.array([3, 3, 0, -1, 3, 8])
    for reduce in REDUCES:
        if not defined(reduce, dtype):
            continue
        for axis, shape in ((0, (6, 9)), (1, (9, 6))):
            x = few_values(rng, (9, 9), dtype)
            updates = few_values(rng, shape, dtype)
            out_grad = few_values(rng, (9, 9), dtype)
            check(x, index, updates, (axis, reduce, True), out_grad, dtype)


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
def test_over_out_grad(rng, reduce):
    for name, x_shape, axis, index, updates_shape in cases():
        if 0 in x_shape:
            continue
        x, updates = np.zeros(x_shape), np.zeros(updates_shape)
        out_grad = random_numbers(rng, x_shape)
        for include_self in (True, False):
            arguments = x, index, updates, out_grad, axis, reduce, include_self
            apart = run('index_scatter_grad', *arguments)
            over = run_over_out_grad(
                *('index_scatter_grad', *arguments),
                out_grad=3,
                wanted=[x, updates],
            )
            for grad, expected in zip(over, apart):
                assert_same_bits(grad, expected, name)


def test_complex_factors_are_conjugated(rng):
    x = operands(rng, (5, 4), 'mul', 'complex128')
    updates = operands(rng, (7, 4), 'mul', 'complex128')
    out_grad = random_numbers(rng, (5, 4), 'complex128')
    index = np.array([1, 1, 1, 0, 4, 4, 1])
    for include_self in (True, False):
        attrs = 0, 'mul', include_self
        check(x, index, updates, attrs, out_grad, 'complex128')


@pytest.mark.parametrize('reduce', LINEAR_REDUCES)
def test_second_order_is_the_operator_itself(rng, reduce):
    for name, x_shape, axis, index, updates_shape in cases():
        x = random_numbers(rng, x_shape)
        updates = random_numbers(rng, updates_shape)
        for include_self in (True, False):
            attrs = axis, reduce, include_self
            for has_x, has_updates in ((1, 1), (1, 0), (0, 1), (0, 0)):
                (grad,) = run(
                    'index_scatter_double_grad',
                    *(x, index, updates, x),
                    x if has_x else None,
                    updates if has_updates else None,
                    *attrs,
                )
                (expected,) = run(
                    'index_scatter',
                    x if has_x else np.zeros_like(x),
                    index,
                    updates if has_updates else np.zeros_like(updates),
                    *attrs,
                )
                np.testing.assert_allclose(
                    grad, expected, 1e-12, 1e-12, err_msg=name
                )
