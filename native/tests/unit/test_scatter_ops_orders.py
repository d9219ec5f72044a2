"""Derivatives of higher orders, compared with PyTorch.

bench/tests/test_bench_sides.py compares results and gradients of every operator.
"""

import numpy as np
import pytest
import torch

import paddle

SIZE = 4
RNG = np.random.default_rng(3)
X, DIRECTION = RNG.uniform(-1, 1, (2, SIZE, SIZE))
MASK = RNG.random((SIZE, SIZE)) < 0.5


def tensor(library, array):
    return paddle.to_tensor(array) if library is paddle else torch.tensor(array)


def scatter(library, x, slices, overwrite):
    index, updates = tensor(library, slices), x[: len(slices)] * 2
    if library is paddle:
        return paddle.scatter(x, index, updates, overwrite)
    if overwrite:
        return x.index_copy(0, index, updates)
    return x.index_fill(0, index, 0).index_add(0, index, updates)


def function_of(library, name):
    """Return a function of a square Tensor that is not linear."""
    call = {
        'masked_scatter': lambda x: library.masked_scatter(
            x, tensor(library, MASK), x * x
        ),
        'masked_fill': lambda x: library.masked_fill(
            x, tensor(library, MASK), x[0, 0] * 2
        ),
        'select_scatter': lambda x: library.select_scatter(x, x[0] * 2, 1, -1),
        'diagonal_scatter': lambda x: library.diagonal_scatter(x, x[0] * 2),
        'scatter': lambda x: scatter(library, x, [2, 0, 3], True),
        'scatter, sum': lambda x: scatter(library, x, [2, 0, 2, 3], False),
    }[name]
    return lambda x: call(x * x)


@pytest.mark.parametrize('order', [2, 4])
@pytest.mark.parametrize(
    'name',
    [
        *('masked_scatter', 'masked_fill', 'select_scatter'),
        *('diagonal_scatter', 'scatter', 'scatter, sum'),
    ],
)
def test_loss_of_derivatives(name, order):
    """Train on u_xx or u_xxxx, like a physics-informed network."""

    def weight_grad(call, grad, x, weight):
        u = call(x * weight)
        u = u * u * u * u * u
        derivative = u
        for _ in range(order):
            (derivative,) = grad(derivative.sum(), x, create_graph=True)
        ((derivative + u) ** 2).sum().backward()
        return weight.grad.numpy()

    arrays = X, DIRECTION
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    actual = weight_grad(function_of(paddle, name), paddle.grad, *tensors)
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    expected = weight_grad(
        function_of(torch, name), torch.autograd.grad, *tensors
    )
    scale = np.abs(expected).max()
    assert scale > 0.1
    np.testing.assert_allclose(actual, expected, 1e-9, 1e-9 * scale)
