"""Backward passes, errors and costs of distributed Tensors.
test_distributed_ranks.py runs them on several ranks."""

import gc
import re
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from distributed_utils import MESH, RANKS, R, floats, gather, mask_of, shard

import paddle
import paddle.distributed as dist
from paddle.base import core
from paddle.distributed import Shard

ROWS = Shard(0)
X, MASK, VALUE = floats(4, 2), mask_of(4, 2), floats(8, seed=1)
IS_USED = np.arange(8) < MASK.sum()  # the elements of VALUE that are copied


def call():
    """Return x, value and the result of masked_scatter."""
    x, value = shard(X, ROWS, grad=True), shard(VALUE, R, grad=True)
    return x, value, paddle.masked_scatter(x, shard(MASK, ROWS), value)


def dense_result():
    return paddle.masked_scatter(*map(paddle.to_tensor, (X, MASK, VALUE)))


def assert_elements(tensor, array):
    np.testing.assert_array_equal(gather(tensor), array)


# ---- backward


def test_inplace_call_of_a_leaf():
    x = shard(X, ROWS, grad=True)
    arguments = x, shard(MASK, R), shard(VALUE, R)
    with pytest.raises(ValueError, match="can't use inplace"):
        paddle.masked_scatter_(*arguments)
    with paddle.no_grad():
        paddle.masked_scatter_(*arguments)
    assert x.is_leaf and not x.stop_gradient
    assert_elements(x, dense_result().numpy())


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


def test_dense_value_with_gradient():
    value = paddle.to_tensor(VALUE, stop_gradient=False)
    x, mask = shard(X, ROWS), shard(MASK, ROWS)
    paddle.masked_scatter(x, mask, value * 2).sum().backward()
    assert_elements(value.grad, 2.0 * IS_USED)
    assert x.grad is None


def test_mask_modified_in_place_raises():
    x, mask = shard(X, ROWS, grad=True), shard(MASK, ROWS)
    out = paddle.masked_scatter(x, mask, shard(VALUE, R))
    mask.logical_not_()
    with pytest.raises(RuntimeError, match='modified by an inplace operation'):
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


# ---- errors. All ranks raise, so that none waits for the others.

OTHER_MESH = dist.ProcessMesh(MESH.mesh[::-1], dim_names=MESH.dim_names)
TOO_FEW = f'mask, {MASK.sum()}, but received 2'
# (arguments after x: arrays, and others; error; its text)
ERRORS = [
    ('masked_scatter', (MASK, VALUE[:2]), AssertionError, TOO_FEW),
    ('masked_scatter_', (MASK, VALUE[:2]), AssertionError, TOO_FEW),
    ('masked_scatter', (MASK[:3], VALUE), ValueError, 'broadcast'),
    # the number of values differs
    (
        'masked_scatter',
        (MASK, VALUE[dist.get_rank() :]),
        RuntimeError,
        'all ranks',
    ),
    ('select_scatter', (X[0], 0, 7), IndexError, 'index should be in'),
    (
        'scatter',
        (np.array([9]), X[:1], False, 0, 'mul'),
        IndexError,
        'of index',
    ),
]


@pytest.mark.parametrize(('name', 'args', 'error', 'text'), ERRORS)
@pytest.mark.parametrize('layout', [ROWS, Shard(1)])
def test_error(name, args, error, text, layout):
    args = [shard(a, R) if isinstance(a, np.ndarray) else a for a in args]
    with pytest.raises(error, match=text):
        getattr(paddle, name)(shard(X, layout), *args)


@pytest.mark.parametrize(
    ('name', 'args'),
    [('masked_scatter', (MASK, VALUE)), ('diagonal_scatter', (X[0],))],
)
def test_different_meshes(name, args):
    args = [shard(array, R, mesh=OTHER_MESH) for array in args]
    with pytest.raises(ValueError, match='different mesh'):
        getattr(paddle, name)(shard(X, ROWS), *args)


def test_rank_outside_the_mesh():
    first = dist.ProcessMesh([0], dim_names=['x'])
    tensors = [shard(a, R, mesh=first) for a in (X, MASK, VALUE)]
    if dist.get_rank() == 0:
        assert paddle.masked_scatter(*tensors).shape == [4, 2]
    else:
        with pytest.raises(NotImplementedError, match='rank [1-9]'):
            paddle.masked_scatter(*tensors)


# ---- costs for a sharded x of 128 MiB


@contextmanager
def assert_traffic(expected):
    """Check the bytes that this rank passes to dist.reshard."""
    with mock.patch.object(dist, 'reshard', wraps=dist.reshard) as reshard:
        yield
    sent = [args[0]._local_value() for args, _ in reshard.call_args_list]
    assert sum(t.size * t.element_size() for t in sent) == expected


def test_traffic_and_allocations():
    height, width = 8192, 4096
    mask = (np.arange(width) % 2 == 0) & np.ones([height, 1], 'bool')
    x = shard(np.zeros([height, width], 'float32'), ROWS)
    mask = shard(mask, ROWS)
    value = shard(np.ones([height * width // 2], 'float32'), R)
    with assert_traffic(0):
        out = paddle.masked_fill(x, mask, 2.0)
    assert out.placements == x.placements
    paddle.masked_scatter(x, mask, value)  # warm-up
    core.host_memory_stat_reset_peak_value('Allocated', 0)
    before = core.host_memory_stat_current_value('Allocated', 0)
    with assert_traffic(8):
        out = paddle.masked_scatter(x, mask, value)
    peak = core.host_memory_stat_peak_value('Allocated', 0)
    out_bytes = out._local_value().size * out.element_size()
    assert peak - before - out_bytes < 2**20
    x.stop_gradient = value.stop_gradient = False
    out = paddle.masked_scatter(x, mask, value)
    # Only the gradient of value is summed over the ranks.
    with assert_traffic(value.size * value.element_size()):
        out.backward(paddle.ones_like(out))


@pytest.mark.skipif(RANKS != 2, reason='The example has two ranks.')
def test_example_in_docs_prints_documented_output():
    page = Path(__file__).resolve().parents[3] / 'docs/distributed.md'
    blocks = re.findall(
        r'^```(?:python)?\n(.*?)^```$', page.read_text('utf-8'), re.M | re.S
    )
    example, *outputs = blocks
    with redirect_stdout(StringIO()) as printed:
        exec(example, {})
    assert printed.getvalue() == outputs[dist.get_rank()]
