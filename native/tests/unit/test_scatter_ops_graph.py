"""Random nets of scatter operators and Paddle's own: to_static against dygraph."""

import unittest

import numpy as np
from programs import flag

import paddle

SIZE = 4


def make_steps(rng):
    """Return functions of a square Tensor, with and without a second order. They
    create their constants anew in each program."""

    def uniform(*shape):
        array = rng.uniform(-1, 1, shape)
        return lambda: paddle.to_tensor(array)

    mask_array, index = (
        rng.random([SIZE, SIZE]) < 0.5,
        rng.integers(-SIZE, SIZE, 3),
    )
    axis = int(rng.integers(2))
    weight, three, one = uniform(SIZE, SIZE), uniform(3, SIZE), uniform(1, SIZE)

    def mask():
        return paddle.to_tensor(mask_array)

    def row(h):
        return paddle.matmul(one(), h).reshape([SIZE])

    def plain(h, overwrite):
        updates = paddle.matmul(three(), h)
        return paddle.scatter(h, paddle.to_tensor(index), updates, overwrite)

    def reduced(h, reduce):
        updates = paddle.matmul(three(), h)
        return paddle.scatter(
            h,
            paddle.to_tensor(index),
            updates.transpose([1, 0]) if axis else updates,
            overwrite=False,
            axis=axis,
            reduce=reduce,
            include_self=True,
        )

    twice = [
        lambda h: paddle.masked_scatter(h, mask(), h * 2),
        lambda h: paddle.masked_scatter(h, mask(), h),
        lambda h: paddle.select_scatter(h, row(h), axis, -1),
        lambda h: paddle.diagonal_scatter(h, row(h)),
        lambda h: plain(h, True),
        lambda h: plain(h, False),
        lambda h: reduced(h, 'sum'),
        lambda h: reduced(h, 'mean'),
        lambda h: h * h,
        lambda h: h + h,
        lambda h: h * weight(),
        lambda h: paddle.matmul(h, weight()),
        lambda h: paddle.sin(h),
        lambda h: h.transpose([1, 0]) - h,
    ]
    once = [
        lambda h: paddle.masked_fill(h, mask(), h.mean()),
        lambda h: reduced(h, 'mul'),
        lambda h: reduced(h, 'amax'),
    ]
    return twice, once


def draw_net(seed, order):
    """Draw a function from a Tensor to a scalar, which includes a gradient if
    `order` is 2."""
    rng = np.random.default_rng(seed)
    twice, once = make_steps(rng)
    steps = rng.permutation(twice if order == 2 else twice + once)[:6]

    def first(x):
        for step in steps:
            x = step(x)
        return paddle.sin(x).sum()

    def second(x):
        (grad,) = paddle.grad(first(x), [x], create_graph=True)
        return (grad * grad).sum()

    return first if order == 1 else second


class TestNetsInToStatic(unittest.TestCase):
    def check(self, order):
        for seed in range(10):
            net = draw_net(seed, order)
            grads = []
            for function in (net, paddle.jit.to_static(net, full_graph=True)):
                array = np.random.default_rng(seed).random([SIZE, SIZE])
                x = paddle.to_tensor(array, stop_gradient=False)
                function(x).backward()
                grads.append(x.grad.numpy())
            with self.subTest(seed=seed):
                self.assertTrue(np.isfinite(grads[0]).all())
                np.testing.assert_allclose(*grads, rtol=1e-9, atol=1e-12)

    def test_first_order(self):
        self.check(1)

    def test_second_order(self):
        # Paddle's in-place pass overwrites a gradient that is read twice, such as
        # the gradient of h * h.
        with flag('FLAGS_pir_apply_inplace_pass', False):
            self.check(2)


if __name__ == '__main__':
    unittest.main()
