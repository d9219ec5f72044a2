"""Derivatives of higher orders, compared with PyTorch."""

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


def scatter(index, overwrite, **options):
    def ours(x):
        updates = x[: len(index)] * 2
        index_of = paddle.to_tensor(index)
        return paddle.scatter(x, index_of, updates, overwrite, **options)

    return ours


def torch_scatter(index, overwrite, own=False):
    def theirs(x):
        slices, updates = torch.tensor(index) % SIZE, x[: len(index)] * 2
        if overwrite:
            return x.index_copy(0, slices, updates)
        start = x if own else x.index_fill(0, slices, 0)
        return start.index_add(0, slices, updates)

    return theirs


# {name: (function of x in Paddle, function of x in PyTorch)}
CALLS = {
    'masked_scatter': (
        lambda x: paddle.masked_scatter(x, paddle.to_tensor(MASK), x * x),
        lambda x: x.masked_scatter(torch.tensor(MASK), x * x),
    ),
    'masked_scatter, row of x': (
        lambda x: paddle.masked_scatter(x[0], paddle.to_tensor(MASK), x * 2),
        lambda x: (
            x[0].expand(SIZE, SIZE).masked_scatter(torch.tensor(MASK), x * 2)
        ),
    ),
    'masked_scatter, constant x': (
        lambda x: paddle.masked_scatter(
            paddle.ones_like(x), paddle.to_tensor(MASK), x * 2
        ),
        lambda x: torch.ones_like(x).masked_scatter(torch.tensor(MASK), x * 2),
    ),
    'masked_scatter, constant value': (
        lambda x: paddle.masked_scatter(
            x, paddle.to_tensor(MASK), paddle.ones_like(x)
        ),
        lambda x: x.masked_scatter(torch.tensor(MASK), torch.ones_like(x)),
    ),
    'select_scatter': (
        lambda x: paddle.select_scatter(x, x[0] * 2, 1, -1),
        lambda x: torch.select_scatter(x, x[0] * 2, 1, -1),
    ),
    'diagonal_scatter': (
        lambda x: paddle.diagonal_scatter(x, x[0] * 2),
        lambda x: torch.diagonal_scatter(x, x[0] * 2),
    ),
    'scatter, overwrite': (
        scatter(INDEX, True),
        torch_scatter(INDEX, True),
    ),
    'scatter': (scatter(REPEATED, False), torch_scatter(REPEATED, False)),
    'scatter, sum': (
        scatter(REPEATED, False, reduce='sum', include_self=True),
        torch_scatter(REPEATED, False, own=True),
    ),
}
EACH = pytest.mark.parametrize('name', CALLS)


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


@EACH
@pytest.mark.parametrize('diff', [directional_gradients, norm_gradients])
def test_four_orders_are_differentiable(name, diff):
    ours, theirs = CALLS[name]
    x = paddle.to_tensor(X, stop_gradient=False)
    y = torch.tensor(X, requires_grad=True)
    actual = diff(ours, paddle.grad, x, paddle.to_tensor(DIRECTION), 4)
    expected = diff(theirs, torch.autograd.grad, y, torch.tensor(DIRECTION), 4)
    for mine, reference in zip(actual, expected):
        reference = reference.detach().numpy()
        scale = np.abs(reference).max()
        assert scale > 0.1
        np.testing.assert_allclose(mine.numpy(), reference, 1e-9, 1e-9 * scale)


@EACH
def test_sixth_order_raises(name):
    x = paddle.to_tensor(X, stop_gradient=False)
    fourth = norm_gradients(CALLS[name][0], paddle.grad, x, None, 4)[-1]
    norm = (fourth * fourth).sum()
    (last,) = paddle.grad(norm, x, retain_graph=True)
    assert np.abs(last.numpy()).max() > 0.1
    with pytest.raises(RuntimeError, match="quintuple_grad doesn't have any"):
        paddle.grad(norm, x, create_graph=True)


@EACH
def test_hessian(name):
    ours, theirs = CALLS[name]
    flat = paddle.to_tensor(X.reshape(-1), stop_gradient=False)
    actual = paddle.autograd.hessian(
        loss(ours(flat.reshape([SIZE, SIZE]))), flat
    )
    expected = torch.autograd.functional.hessian(
        lambda x: loss(theirs(x.reshape(SIZE, SIZE))),
        torch.tensor(X.reshape(-1)),
    )
    np.testing.assert_allclose(actual[:].numpy(), expected, 1e-12, 1e-12)


@EACH
def test_jvp(name):
    ours, theirs = CALLS[name]
    x, direction = paddle.to_tensor(X), paddle.to_tensor(DIRECTION)
    out, actual = paddle.incubate.autograd.jvp(ours, x, direction)
    expected = torch.autograd.functional.jvp(
        theirs, torch.tensor(X), torch.tensor(DIRECTION)
    )
    for tensor, reference in zip((out, actual), expected):
        np.testing.assert_allclose(tensor.numpy(), reference, 1e-12, 1e-12)


@EACH
def test_loss_of_second_derivatives(name):
    """Train on u_xx, like a physics-informed network."""
    ours, theirs = CALLS[name]
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
