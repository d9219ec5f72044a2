"""The nodes of the wheel's runtime in Paddle's backward graph."""

import gc
import weakref

import numpy as np
import pytest
from processes import run_python

import paddle
from paddle.base import core

SIZE = 6


def leaf(shape=(SIZE, SIZE)):
    x = paddle.rand(shape, 'float64')
    x.stop_gradient = False
    return x


def mask(shape=(SIZE, SIZE)):
    return paddle.arange(int(np.prod(shape))).reshape(shape) % 3 == 0


def index():
    return paddle.to_tensor([4, 1, 1])


def scatter(**options):
    return lambda x, part: paddle.scatter(x, index(), part[:3], **options)


def reduced(reduce):
    return scatter(overwrite=False, axis=0, reduce=reduce)


LINEAR = {
    'masked_scatter': lambda x, part: paddle.masked_scatter(x, mask(), part),
    'masked_fill': lambda x, part: paddle.masked_fill(x, mask(), part[0, 0]),
    'select_scatter': lambda x, part: paddle.select_scatter(x, part[0], 0, 1),
    'diagonal_scatter': lambda x, part: paddle.diagonal_scatter(x, part[0]),
    'scatter': scatter(),
    'scatter, mean': reduced('mean'),
}
CALLS = {**LINEAR, 'scatter, amax': reduced('amax')}
ALL = pytest.mark.parametrize('call', CALLS.values(), ids=CALLS)
ALL_LINEAR = pytest.mark.parametrize('call', LINEAR.values(), ids=LINEAR)


def gradients(call, x, part, out_grad, **options):
    return paddle.grad([call(x, part)], [x, part], [out_grad], **options)


@ALL
def test_retained_graph_runs_again(call):
    x, part = leaf(), leaf()
    out = call(x, part)
    first = paddle.grad(out.sum(), [x, part], retain_graph=True)
    again = paddle.grad(out.sum(), [x, part], retain_graph=True)
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), first[0].numpy())
    # The error of Paddle's own nodes.
    with pytest.raises(SystemError, match='TensorWrappers of .*GradNode'):
        out.backward()


@ALL
def test_hooks_receive_and_replace_gradients(call):
    x, part = leaf(), leaf()
    plain = gradients(call, x, part, paddle.ones([SIZE, SIZE], 'float64'))
    out = call(x, part)
    seen = []
    out.register_hook(lambda grad: (seen.append(grad.numpy()), grad * 2)[1])
    x.register_hook(lambda grad: grad + 1)
    out.sum().backward()
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], np.ones((SIZE, SIZE)))
    np.testing.assert_array_equal(x.grad.numpy(), plain[0].numpy() * 2 + 1)
    np.testing.assert_array_equal(part.grad.numpy(), plain[1].numpy() * 2)


@ALL
def test_referenced_gradients_are_not_overwritten(call):
    x, part, grad_output = leaf(), leaf(), paddle.rand([SIZE, SIZE], 'float64')
    before = grad_output.numpy()
    gradients(call, x, part, grad_output)
    np.testing.assert_array_equal(grad_output.numpy(), before)
    hooked_grads = []
    out = call(x * 1, part * 1)
    out.register_hook(lambda grad: hooked_grads.append(grad))
    out.retain_grads()
    (out * 3).sum().backward()
    for grad in (*hooked_grads, out.grad):
        np.testing.assert_array_equal(grad.numpy(), np.full((SIZE, SIZE), 3.0))


@ALL
def test_shared_out_grad_is_not_overwritten(call):
    x, part = leaf(), leaf()
    one = gradients(call, x, part, paddle.ones([SIZE, SIZE], 'float64'))
    # Both branches of the sum share one gradient.
    both = paddle.grad((call(x, part) + call(x, part)).sum(), [x, part])
    for a, b in zip(one, both):
        np.testing.assert_array_equal(a.numpy() * 2, b.numpy())


@ALL
def test_backward_accepts_strided_out_grad(call):
    x, part = leaf(), leaf()
    weights = paddle.rand([SIZE, SIZE], 'float64')
    expected = gradients(call, x, part, weights)
    # The gradients of reshape and transpose are views.
    out = call(x.reshape([-1]).reshape([SIZE, SIZE]), part)
    (out.t().reshape([-1]) * weights.t().reshape([-1])).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), expected[0].numpy())
    np.testing.assert_array_equal(part.grad.numpy(), expected[1].numpy())


@ALL_LINEAR
def test_x_grad_reuses_buffer_of_out_grad(call):
    pointers = []
    y = leaf() * 1
    out = call(y, leaf())
    out.register_hook(lambda grad: pointers.append(grad.data_ptr()))
    y.register_hook(lambda grad: pointers.append(grad.data_ptr()))
    out.sum().backward()
    assert pointers[0] == pointers[1]


def test_saved_tensors_hooks_are_called():
    seen = []

    def pack(tensor):
        seen.append(tensor.shape)
        return tensor.numpy()

    x, part = leaf(), leaf()
    with paddle.autograd.saved_tensors_hooks(pack, paddle.to_tensor):
        out = CALLS['masked_scatter'](x, part)
    out.sum().backward()
    # x and value are saved without data.
    assert seen == [[SIZE, SIZE]]
    np.testing.assert_array_equal(
        x.grad.numpy(), (~mask().numpy()).astype('float64')
    )


@pytest.mark.parametrize(
    'name', ['masked_scatter', 'masked_fill', 'scatter, amax']
)
def test_error_of_a_saved_tensors_hook_is_raised(name):
    def reject(tensor):
        raise KeyError('not to be saved')

    x, part = leaf(), leaf()
    hooks = paddle.autograd.saved_tensors_hooks(reject, paddle.to_tensor)
    try:
        with pytest.raises(OSError, match='not to be saved'), hooks:
            CALLS[name](x, part)
    finally:
        # Paddle disables gradients for a hook, also after an error in it.
        paddle.set_grad_enabled(True)


def test_tensors_of_nine_dims_have_gradients():
    shape = [1, 2, 1, 2, 1, 2, 1, 2, 2]
    x, value = leaf(shape), leaf([32])
    paddle.masked_scatter(x, mask(shape), value).sum().backward()
    np.testing.assert_array_equal(
        x.grad.numpy(), (~mask(shape).numpy()).astype('float64')
    )


@ALL
def test_dropped_graph_is_freed(call):
    x, part = leaf(), leaf()
    out = call(x * 1, part * 1)
    alive = weakref.ref(out)
    linear = call in LINEAR.values()
    second = gradients(call, x, part, out, create_graph=linear)
    del out, second
    gc.collect()
    assert alive() is None


def resident_pages():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1])


@ALL
def test_recording_does_not_leak(call):
    x, part = leaf((SIZE, SIZE)), leaf((SIZE, SIZE))

    def run():
        for _ in range(2000):
            call(x, part).sum()
        call(x, part).sum().backward()

    run()
    before = resident_pages()
    for _ in range(3):
        run()
    # A leaked node with its Tensors would be more than a page of 4 KiB.
    assert resident_pages() - before < 1000


def test_process_exits_with_a_graph_alive():
    run_python("""
import paddle
x = paddle.ones([3, 3])
x.stop_gradient = False
kept = paddle.masked_fill(x, x > 0, 2.0)
class Keep: out = kept * 2
""")


def test_create_graph_raises_without_second_order():
    x = leaf()
    total = CALLS['scatter, amax'](x, leaf()).sum()
    with pytest.raises(RuntimeError, match="index_reduce_grad doesn't have"):
        paddle.grad(total, [x], retain_graph=True, create_graph=True)
    with paddle.no_grad():  # nothing is recorded, as by Paddle's nodes
        paddle.grad(total, [x], create_graph=True)


# masked_fill is differentiable to any order.
FIVE_ORDERS = pytest.mark.parametrize(
    'call', [c for name, c in LINEAR.items() if name != 'masked_fill']
)


@FIVE_ORDERS
def test_sixth_order_raises(call):
    x = leaf()
    result = call(x, x * 2)
    for _ in range(4):
        norm = (result * result).sum()
        (result,) = paddle.grad(norm, [x], create_graph=True)
    norm = (result * result).sum()
    (last,) = paddle.grad(norm, [x], retain_graph=True)
    assert last.abs().max() > 0
    with pytest.raises(RuntimeError, match="quintuple_grad doesn't have any"):
        paddle.grad(norm, [x], create_graph=True)


def test_names_of_nodes():
    x = leaf()
    result = CALLS['scatter, mean'](x, leaf())
    (grad,) = paddle.grad([result], [x], create_graph=True)
    assert result.grad_fn.name() == 'IndexScatterGradNode'
    assert grad.grad_fn.name() == 'IndexScatterDoubleGradNode'


@FIVE_ORDERS
def test_graph_of_a_gradient_does_not_keep_out_grad(call):
    x, out_grad = leaf(), leaf()
    out = call(x, x * 2)
    (grad,) = paddle.grad([out], [x], [out_grad], create_graph=True)
    before = core.host_memory_stat_current_value('Allocated', 0)
    del out_grad
    after = core.host_memory_stat_current_value('Allocated', 0)
    assert not grad.stop_gradient and after < before
