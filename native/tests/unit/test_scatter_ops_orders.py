"""Derivatives of higher orders, and reductions, compared with PyTorch.

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


@pytest.fixture(
    params=[
        *('masked_scatter', 'masked_fill', 'select_scatter'),
        *('diagonal_scatter', 'scatter', 'scatter, sum'),
    ]
)
def functions(request):
    return [function_of(library, request.param) for library in (paddle, torch)]


def test_hessian(functions):
    ours, theirs = functions
    x = paddle.to_tensor(X.reshape(-1), stop_gradient=False)
    out = ours(x.reshape([SIZE, SIZE]))
    actual = paddle.autograd.hessian((out * out * out).sum(), x)
    expected = torch.autograd.functional.hessian(
        lambda x: (theirs(x.reshape(SIZE, SIZE)) ** 3).sum(),
        torch.tensor(X.reshape(-1)),
    )
    np.testing.assert_allclose(actual[:].numpy(), expected, 1e-12, 1e-12)


def test_jvp(functions):
    ours, theirs = functions
    actual = paddle.incubate.autograd.jvp(
        ours, paddle.to_tensor(X), paddle.to_tensor(DIRECTION)
    )
    expected = torch.autograd.functional.jvp(
        theirs, torch.tensor(X), torch.tensor(DIRECTION)
    )
    for one, other in zip(actual, expected):
        np.testing.assert_allclose(one.numpy(), other, 1e-12, 1e-12)


@pytest.mark.parametrize('order', [2, 4])
def test_loss_of_derivatives(functions, order):
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
    actual = weight_grad(functions[0], paddle.grad, *tensors)
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    expected = weight_grad(functions[1], torch.autograd.grad, *tensors)
    scale = np.abs(expected).max()
    assert scale > 0.1
    np.testing.assert_allclose(actual, expected, 1e-9, 1e-9 * scale)


@pytest.mark.parametrize('include_self', [False, True])
@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('reduce', ['mean', 'mul', 'amax', 'amin'])
def test_reductions(reduce, axis, include_self):
    index, options = [2, 0, 2], {'include_self': include_self}
    # Without include_self, PyTorch still counts an element of x in a tie.
    arrays = X, np.flip(X, axis).take(range(3), axis)
    x, updates = (paddle.to_tensor(a, stop_gradient=False) for a in arrays)
    out = paddle.scatter(
        *(x, paddle.to_tensor(index), updates, False, axis, reduce), **options
    )
    grads = paddle.grad(out, [x, updates], paddle.to_tensor(DIRECTION))
    x, updates = (torch.tensor(a, requires_grad=True) for a in arrays)
    name = 'prod' if reduce == 'mul' else reduce
    expected = x.index_reduce(
        axis, torch.tensor(index), updates, name, **options
    )
    others = torch.autograd.grad(
        expected, [x, updates], torch.tensor(DIRECTION)
    )
    for one, other in zip((out, *grads), (expected, *others)):
        np.testing.assert_allclose(one.numpy(), other.detach(), 1e-12, 1e-12)
