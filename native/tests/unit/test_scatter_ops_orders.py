"""Derivatives of higher orders, compared with PyTorch."""

import functools

import numpy as np
import pytest
import torch

import paddle
from paddle.base import core

SIZE = 4
RNG = np.random.default_rng(3)
X = RNG.uniform(-1, 1, (SIZE, SIZE))
DIRECTION = RNG.uniform(-1, 1, (SIZE, SIZE))
MASK = RNG.random((SIZE, SIZE)) < 0.5
INDEX = np.array([2, 0, -1])
REPEATED = np.array([2, 0, 2, -1])


def tensor(library, array):
    return paddle.to_tensor(array) if library is paddle else torch.tensor(array)


def masked_scatter(library, x, value):
    return library.masked_scatter(x, tensor(library, MASK), value)


def scatter(library, x, index, overwrite=False, include_self=False):
    updates = x[: len(index)] * 2
    if library is paddle:
        index = paddle.to_tensor(index)
        options = {'include_self': True} if include_self else {}
        return paddle.scatter(x, index, updates, overwrite, **options)
    slices = torch.tensor(index) % SIZE
    if overwrite:
        return x.index_copy(0, slices, updates)
    start = x if include_self else x.index_fill(0, slices, 0)
    return start.index_add(0, slices, updates)


# {name: function of a library and x}
CALLS = {
    'masked_scatter': lambda lib, x: masked_scatter(lib, x, x * x),
    'masked_scatter, row of x': lambda lib, x: masked_scatter(lib, x[0], x * 2),
    'masked_scatter, constant x': lambda lib, x: masked_scatter(
        lib, lib.ones_like(x), x * 2
    ),
    'masked_scatter, constant value': lambda lib, x: masked_scatter(
        lib, x, lib.ones_like(x)
    ),
    'select_scatter': lambda lib, x: lib.select_scatter(x, x[0] * 2, 1, -1),
    'diagonal_scatter': lambda lib, x: lib.diagonal_scatter(x, x[0] * 2),
    'scatter, overwrite': lambda lib, x: scatter(lib, x, INDEX, overwrite=True),
    'scatter': lambda lib, x: scatter(lib, x, REPEATED),
    'scatter, sum': lambda lib, x: scatter(lib, x, REPEATED, include_self=True),
}


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


@pytest.fixture
def ours(call):
    return functools.partial(call, paddle)


@pytest.fixture
def theirs(call):
    return functools.partial(call, torch)


def loss(out):
    return (out * out * out * out * out).sum()


def directional_gradients(function, grad, x, direction, count):
    """Return gradients, each of the slope of the previous one."""
    results = [loss(function(x))]
    for _ in range(count):
        (slope,) = grad(results[-1].sum(), x, create_graph=True)
        results.append(slope * direction)
    return results


def norm_gradients(function, grad, x, direction, count):
    """Return gradients, each of a norm of the previous one. Every out_grad depends
    on x, so that each order is differentiated."""
    results = [function(x)]
    for _ in range(count):
        norm = (results[-1] * results[-1]).sum()
        results += grad(norm, x, create_graph=True)
    return results


@pytest.mark.parametrize('diff', [directional_gradients, norm_gradients])
def test_four_orders_are_differentiable(ours, theirs, diff):
    x = paddle.to_tensor(X, stop_gradient=False)
    y = torch.tensor(X, requires_grad=True)
    actual = diff(ours, paddle.grad, x, paddle.to_tensor(DIRECTION), 4)
    expected = diff(theirs, torch.autograd.grad, y, torch.tensor(DIRECTION), 4)
    for mine, reference in zip(actual, expected):
        reference = reference.detach().numpy()
        scale = np.abs(reference).max()
        assert scale > 0.1
        np.testing.assert_allclose(mine.numpy(), reference, 1e-9, 1e-9 * scale)


def test_sixth_order_raises(ours):
    x = paddle.to_tensor(X, stop_gradient=False)
    fourth = norm_gradients(ours, paddle.grad, x, None, 4)[-1]
    norm = (fourth * fourth).sum()
    (last,) = paddle.grad(norm, x, retain_graph=True)
    assert np.abs(last.numpy()).max() > 0.1
    with pytest.raises(RuntimeError, match="quintuple_grad doesn't have any"):
        paddle.grad(norm, x, create_graph=True)


def test_hessian(ours, theirs):
    flat = paddle.to_tensor(X.reshape(-1), stop_gradient=False)
    actual = paddle.autograd.hessian(
        loss(ours(flat.reshape([SIZE, SIZE]))), flat
    )
    expected = torch.autograd.functional.hessian(
        lambda x: loss(theirs(x.reshape(SIZE, SIZE))),
        torch.tensor(X.reshape(-1)),
    )
    np.testing.assert_allclose(actual[:].numpy(), expected, 1e-12, 1e-12)


def test_jvp(ours, theirs):
    x, direction = paddle.to_tensor(X), paddle.to_tensor(DIRECTION)
    out, actual = paddle.incubate.autograd.jvp(ours, x, direction)
    expected = torch.autograd.functional.jvp(
        theirs, torch.tensor(X), torch.tensor(DIRECTION)
    )
    for tensor, reference in zip((out, actual), expected):
        np.testing.assert_allclose(tensor.numpy(), reference, 1e-12, 1e-12)


def test_loss_of_second_derivatives(ours, theirs):
    """Train on u_xx, like a physics-informed network."""
    weights = RNG.uniform(-1, 1, (SIZE, SIZE))

    def weight_grad(call, grad, x, weight):
        u = call((x @ weight).tanh()).tanh()
        (u_x,) = grad(u.sum(), x, create_graph=True)
        (u_xx,) = grad(u_x.sum(), x, create_graph=True)
        ((u_xx + u) ** 2).sum().backward()
        return weight.grad.numpy()

    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in (X, weights)]
    actual = weight_grad(ours, paddle.grad, *tensors)
    tensors = [torch.tensor(a, requires_grad=True) for a in (X, weights)]
    expected = weight_grad(theirs, torch.autograd.grad, *tensors)
    np.testing.assert_allclose(actual, expected, 1e-12, 1e-12)
    assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize(
    'call',
    [
        lambda x: paddle.masked_scatter(x, x > 0, x * 2),
        lambda x: paddle.select_scatter(x, x[0] * 2, 0, 1),
        lambda x: paddle.diagonal_scatter(x, x[0] * 2),
        lambda x: paddle.scatter(x, paddle.to_tensor([1]), x[:1] * 2),
        lambda x: paddle.scatter(x, paddle.to_tensor([1]), x[:, :1], axis=1),
    ],
)
def test_graph_of_a_gradient_does_not_keep_out_grad(call):
    x = paddle.ones([512, 512])
    x.stop_gradient = False
    out = call(x)
    out_grad = paddle.ones_like(out)
    out_grad.stop_gradient = False
    (grad,) = paddle.grad([out], [x], [out_grad], create_graph=True)
    assert not grad.stop_gradient

    def allocated():
        return core.host_memory_stat_current_value('Allocated', 0)

    before = allocated()
    del out_grad
    assert before - allocated() >= 512 * 512 * 4
