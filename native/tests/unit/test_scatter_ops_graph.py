"""Random nets of scatter operators and Paddle's own: to_static against dygraph."""

import numpy as np
import pytest
from programs import flag, to_static

import paddle
from native.tests.test_native_autograd import CALLS, LINEAR, SIZE


def draw_net(seed, order):
    """Draw a function from a Tensor to a scalar, which includes a gradient if
    `order` is 2."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(-1, 1, [SIZE, SIZE])
    # masked_fill and amax are differentiable once in a program.
    twice = {n: c for n, c in LINEAR.items() if n != 'masked_fill'}
    calls = rng.permutation([*(twice if order == 2 else CALLS).values()])[:4]
    others = [
        lambda h: h * h,
        lambda h: h + h,
        lambda h: paddle.matmul(h, paddle.to_tensor(weight)),
        paddle.sin,
        lambda h: h.transpose([1, 0]) - h,
    ]
    steps = [*zip(calls, rng.permutation(others)[:4])]

    def first(x):
        for call, other in steps:
            x = other(call(x, x * 2))
        return paddle.sin(x).sum()

    def second(x):
        (grad,) = paddle.grad(first(x), [x], create_graph=True)
        return (grad * grad).sum()

    return first if order == 1 else second


@pytest.mark.parametrize('order', [1, 2])
def test_nets_in_to_static(order):
    # Paddle's in-place pass overwrites a gradient that is read twice, such as the
    # gradient of h * h.
    with flag('FLAGS_pir_apply_inplace_pass', order == 1):
        for seed in range(10):
            net, grads = draw_net(seed, order), []
            traced = [  # by AST and by SOT
                to_static(net, full_graph=full) for full in (True, False)
            ]
            for function in (net, *traced):
                array = np.random.default_rng(seed).random([SIZE, SIZE])
                x = paddle.to_tensor(array, stop_gradient=False)
                function(x).backward()
                grads.append(x.grad.numpy())
            assert np.isfinite(grads[0]).all()
            for grad in grads[1:]:
                np.testing.assert_allclose(grad, grads[0], 1e-9, 1e-12)
