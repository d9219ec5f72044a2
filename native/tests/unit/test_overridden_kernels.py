"""Every call of Paddle's operators scatter and masked_fill runs the new kernels.

Paddle 3.3.1 has no CPU kernel of scatter for float16, bool or complex dtypes, and
its gradient of a value that masked_fill broadcasts is wrong: 0 for one element, and
0 for the first of a row. A correct result implies the new kernels. test_fuzz and
test_calls_in_programs check results, programs and gradients in every dtype.
"""

import numpy as np
import pytest
from fuzz.arrays import ALL_DTYPES, assert_same_bits, to_paddle, to_storage
from programs import flag, save

import paddle
import paddle.distributed as dist
from native.tests.graph_programs import predict
from paddle import _C_ops
from paddle.base import core

INDEX = np.array([3, 1, 3, -4])
# 6 of 12 elements are True.
MASK = np.array([[True, False, True, False]] * 3)
OUT_GRAD = np.arange(12, dtype='float32').reshape(3, 4)
X_GRAD = np.where(MASK, 0, OUT_GRAD).tolist()
# (shape of value, its gradient)
VALUE_GRADS = (
    ((), 30.0),
    ((1,), [30.0]),
    ((4,), [12.0, 0.0, 18.0, 0.0]),
    ((3, 1), [[2.0], [10.0], [18.0]]),
)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_masked_fill_does_not_expand_the_mask(dtype):
    """Paddle's kernel allocates an expanded mask."""
    x, mask = paddle.zeros([64, 64], dtype), paddle.zeros([64], 'bool')
    value = paddle.ones([], dtype)
    before = core.host_memory_stat_current_value('Allocated', 0)
    core.host_memory_stat_reset_peak_value('Allocated', 0)
    out = _C_ops.masked_fill(x, mask, value)
    peak = core.host_memory_stat_peak_value('Allocated', 0)
    assert peak - before == out.size * out.element_size()


def sum_case(dtype):
    """Return operands of scatter whose sums are exact, and the result."""
    rng = np.random.default_rng(5)
    x, updates = rng.integers(0, 3, (2, 4, 3))
    expected = x.copy()
    expected[INDEX] = 0
    np.add.at(expected, INDEX, updates)
    x, updates, expected = (
        to_storage(array, dtype) for array in (x, updates, expected)
    )
    return {'x': x, 'index': INDEX, 'updates': updates}, expected


def check_scatter(function, dtype):
    arrays, expected = sum_case(dtype)
    out = function(*map(to_paddle, arrays.values()), False)
    assert_same_bits(out, expected)


def check_gradients(function, dtype='float32'):
    for shape, expected in VALUE_GRADS:
        x, value = paddle.ones([3, 4], dtype), paddle.ones(shape, dtype)
        x.stop_gradient = value.stop_gradient = False
        out = function(x, paddle.to_tensor(MASK), value)
        out.backward(paddle.to_tensor(OUT_GRAD).astype(out.dtype))
        assert out.dtype == x.dtype
        assert value.grad.astype('float32').tolist() == expected
        assert x.grad.astype('float32').tolist() == X_GRAD


@pytest.mark.parametrize('module', [paddle, _C_ops, paddle.Tensor])
def test_functions_and_methods_run_the_new_kernels(module):
    check_gradients(module.masked_fill)
    check_gradients(lambda x, *rest: module.masked_fill_(x * 1, *rest))
    for dtype in ALL_DTYPES:
        check_scatter(module.scatter, dtype)
        check_scatter(module.scatter_, dtype)


@pytest.mark.parametrize('level', ['O1', 'O2'])
@pytest.mark.parametrize('half', ['float16', 'bfloat16'])
def test_auto_cast_keeps_the_dtype(level, half):
    with paddle.amp.auto_cast(level=level, dtype=half):
        for dtype in ('float32', half):
            check_gradients(paddle.masked_fill, dtype)
            check_scatter(paddle.scatter, dtype)


@flag('FLAGS_check_nan_inf', True)
def test_nan_check_names_the_operator():
    x, mask, number = paddle.ones([3, 4]), paddle.to_tensor(MASK), 2.0
    assert paddle.masked_fill(x, mask, number).sum() == 18
    check_scatter(paddle.scatter, 'float16')
    bad = np.full((3, 4), np.inf)
    for wrong in ('inf', 'nan'):
        with pytest.raises(RuntimeError, match='INF'):
            paddle.masked_fill(x, mask, float(wrong))
    with pytest.raises(RuntimeError, match='op=masked_fill'):
        paddle.masked_fill(to_paddle(bad), mask, number)
    for dtype in ('float32', 'float16'):
        rows, index = to_paddle(bad.astype(dtype)), to_paddle(INDEX[:3] % 3)
        with pytest.raises(RuntimeError, match='op=scatter'):
            paddle.scatter(x.astype(dtype), index, rows)


@pytest.mark.parametrize(
    'dtype', ['float16', 'bfloat16', 'float32', 'float64', 'complex64']
)
def test_sum_of_negative_zeros_is_zero(dtype):
    zero = complex(-0.0, -0.0) if dtype == 'complex64' else -0.0
    x = to_paddle(to_storage(np.full((4, 3), zero), dtype))
    out = paddle.scatter(x, paddle.to_tensor([1, 2, 1]), x, False)
    expected = x.numpy().copy()
    expected[1:3] = 0
    assert_same_bits(out, expected)


def add(tensors):
    return paddle.scatter(*tensors, overwrite=False)


@pytest.mark.parametrize('dtype', ['float16', 'bool'])
def test_predictors_run_the_new_kernels(dtype):
    arrays, expected = sum_case(dtype)
    with save(add, arrays, known_dims=True) as path:
        for ir_optim in (True, False):
            actual = predict(path, arrays, ir_optim)
            assert_same_bits(actual, expected)


@pytest.mark.parametrize('name', ['masked_fill', 'masked_fill_'])
def test_distributed_call_does_not_cache_its_scalar(name):
    mesh = dist.ProcessMesh([0], dim_names=['x'])
    function = getattr(paddle, name)
    dense = paddle.ones([3]), paddle.to_tensor([True, False, True])
    parts = [dist.shard_tensor(t, mesh, [dist.Replicate()]) for t in dense]
    for part in parts:
        part.stop_gradient = True
    assert function(*parts, 2.5).is_dist()
    assert not function(*dense, 2.5).is_dist()
    assert not any(tensor.is_dist() for tensor in dense)
