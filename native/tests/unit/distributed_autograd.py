"""In-place calls, backward passes, errors and costs of distributed Tensors.
test_distributed_ranks.py runs them on several ranks."""

import gc
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from distributed_utils import MESH, R, floats, gather, mask_of, shard

import paddle
import paddle.distributed as dist
from paddle.base import core
from paddle.distributed import Shard

ROWS = Shard(0)
X, MASK, VALUE = floats(4, 2), mask_of(4, 2), floats(8, seed=1)
IS_USED = np.arange(8) < MASK.sum()  # the elements of VALUE that are copied


def call(value_grad=True):
    """Return x, value and the result of masked_scatter."""
    x = shard(X, ROWS, grad=True)
    value = shard(VALUE, R, grad=value_grad)
    return x, value, paddle.masked_scatter(x, shard(MASK, ROWS), value)


def dense_result():
    return paddle.masked_scatter(*map(paddle.to_tensor, (X, MASK, VALUE)))


def assert_elements(tensor, array):
    np.testing.assert_array_equal(gather(tensor), array)


# ---- in-place calls; distributed_values.py compares them with dense ones


def test_inplace_without_gradient():
    x = shard(X, ROWS, grad=True)
    with paddle.no_grad():
        paddle.masked_scatter_(x, shard(MASK, R), shard(VALUE, R))
    assert not x.stop_gradient
    assert x.is_leaf
    assert_elements(x, dense_result().numpy())


def test_inplace_call_with_leaf_raises():
    x = shard(X, ROWS, grad=True)
    with pytest.raises(ValueError, match="can't use inplace"):
        paddle.masked_scatter_(x, shard(MASK, R), shard(VALUE, R))


# ---- backward


def test_hook_changes_the_gradient():
    x, _, out = call()
    calls = []
    out.register_hook(lambda grad: calls.append(grad) or grad * 3)
    out.sum().backward()
    assert len(calls) == 1
    assert_elements(x.grad, 3.0 * ~MASK)


def test_second_backward_needs_retain_graph():
    x, _, out = call()
    total = out.sum()
    total.backward(retain_graph=True)
    total.backward()
    assert_elements(x.grad, 2.0 * ~MASK)
    with pytest.raises(SystemError):
        total.backward()
    with pytest.raises(SystemError, match='retain_graph=True'):
        out.backward(paddle.ones_like(out))


def test_grad_of_one_input():
    x, value, out = call()
    total = out.sum()
    (value_grad,) = paddle.grad(total, [value], retain_graph=True)
    (x_grad,) = paddle.grad(total, [x])
    assert_elements(value_grad, IS_USED)
    assert_elements(x_grad, ~MASK)


def test_stop_gradient():
    _, value, out = call(value_grad=False)
    out.sum().backward()
    assert value.grad is None
    with paddle.no_grad():
        assert call()[2].stop_gradient


def test_mask_modified_in_place_raises():
    x, mask = shard(X, ROWS, grad=True), shard(MASK, ROWS)
    out = paddle.masked_scatter(x, mask, shard(VALUE, R))
    mask.fill_(True)
    with pytest.raises(RuntimeError, match='mask was modified in place'):
        out.sum().backward()


def test_graph_is_freed():
    from paddle._native_dist_plans import Plan

    def count_plans():
        gc.collect()
        return sum(isinstance(item, Plan) for item in gc.get_objects())

    before = count_plans()
    for _ in range(3):
        x, value, out = call()
        paddle.masked_scatter_(out, shard(MASK, ROWS), value)
        del x
        gc.collect()  # inputs may be freed before backward
        out.sum().backward()
    del value, out
    assert count_plans() == before


# ---- dense inputs


@pytest.mark.parametrize('dist_at', range(3))
def test_dense_inputs_become_replicated(dist_at):
    tensors = [paddle.to_tensor(array) for array in (X, MASK, VALUE)]
    tensors[dist_at] = shard(tensors[dist_at].numpy(), ROWS)
    out = paddle.masked_scatter(*tensors)
    assert all(t.is_dist() for t in tensors)
    assert_elements(out, dense_result().numpy())


def test_dense_value_with_gradient():
    value = paddle.to_tensor(VALUE, stop_gradient=False)
    x, mask = shard(X, ROWS), shard(MASK, ROWS)
    paddle.masked_scatter(x, mask, value * 2).sum().backward()
    assert_elements(value.grad, 2.0 * IS_USED)


# ---- errors. All ranks raise, so that none waits for the others.


@pytest.mark.parametrize('layout', [R, ROWS, Shard(1)])
@pytest.mark.parametrize('name', ['masked_scatter', 'masked_scatter_'])
def test_too_few_values(layout, name):
    x, mask, few = shard(X, layout), shard(MASK, layout), shard(VALUE[:2], R)
    message = f'mask, {MASK.sum()}, but received 2'
    with pytest.raises(AssertionError, match=message):
        getattr(paddle, name)(x, mask, few)


def test_shapes_and_indices():
    x = shard(X, ROWS)
    with pytest.raises(ValueError, match='broadcast'):
        paddle.masked_scatter(x, shard(MASK[:3], R), shard(VALUE, R))
    with pytest.raises(IndexError, match='index should be in'):
        paddle.select_scatter(x, shard(X[0], R), 0, 7)
    x, index = shard(X, Shard(1)), shard(np.array([9]), R)
    with pytest.raises(IndexError, match='values of index should be in'):
        paddle.scatter(x, index, shard(X[:1], R), False, 0, 'mul')


def test_different_meshes():
    other = dist.ProcessMesh(MESH.mesh[::-1], dim_names=MESH.dim_names)
    mask = shard(MASK, R, mesh=other)
    with pytest.raises(ValueError, match='reshard'):
        paddle.masked_scatter(shard(X, ROWS), mask, shard(VALUE, R))
    for function, args in (
        (paddle.select_scatter, (0, 0)),
        (paddle.diagonal_scatter, ()),
    ):
        with pytest.raises(ValueError, match='reshard'):
            function(shard(X, ROWS), shard(X[0], R, mesh=other), *args)


def test_rank_outside_the_mesh():
    first = dist.ProcessMesh([0], dim_names=['x'])
    tensors = [shard(a, R, mesh=first) for a in (X, MASK, VALUE)]
    if dist.get_rank() == 0:
        assert paddle.masked_scatter(*tensors).shape == [4, 2]
    else:
        with pytest.raises(NotImplementedError, match='rank [1-9]'):
            paddle.masked_scatter(*tensors)


# ---- traffic and allocations for a sharded x of 128 MiB

HEIGHT, WIDTH = 8192, 4096


def large_operands():
    """Return x, mask and a replicated value; every other element is True."""
    mask = (np.arange(WIDTH) % 2 == 0) & np.ones([HEIGHT, 1], 'bool')
    size = HEIGHT * WIDTH // 2
    return (
        shard(np.zeros([HEIGHT, WIDTH], 'float32'), ROWS),
        shard(mask, ROWS),
        shard(np.ones([size], 'float32'), R),
    )


@contextmanager
def assert_traffic(expected):
    """Check the bytes that this rank passes to dist.reshard."""
    with mock.patch.object(dist, 'reshard', wraps=dist.reshard) as reshard:
        yield
    sent = [args[0]._local_value() for args, _ in reshard.call_args_list]
    assert sum(t.size * t.element_size() for t in sent) == expected


def test_costs_of_masked_scatter():
    tensors = large_operands()
    paddle.masked_scatter(*tensors)  # warm-up
    core.host_memory_stat_reset_peak_value('Allocated', 0)
    before = core.host_memory_stat_current_value('Allocated', 0)
    with assert_traffic(8):
        out = paddle.masked_scatter(*tensors)
    peak = core.host_memory_stat_peak_value('Allocated', 0)
    out_bytes = out._local_value().size * out.element_size()
    assert peak - before - out_bytes < 2**20


def test_masked_fill_sends_nothing():
    x, mask, _ = large_operands()
    with assert_traffic(0):
        out = paddle.masked_fill(x, mask, 2.0)
    assert out.placements == x.placements


def test_traffic_of_backward():
    x, mask, value = large_operands()
    x.stop_gradient = value.stop_gradient = False
    out = paddle.masked_scatter(x, mask, value)
    # Only the gradient of value is summed over the ranks.
    with assert_traffic(value.size * value.element_size()):
        out.backward(paddle.ones_like(out))
