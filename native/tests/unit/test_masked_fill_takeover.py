"""Paddle's operator masked_fill runs our kernels, with all that belongs to it.

The kernels of Paddle 3.3.1 gave a wrong gradient of a value that is broadcast: 0
for one element, and 0 for the first of a row. That of programs and of what is
saved is in unittests/test_masked_fill_values.py.
"""

import numpy as np
import pytest
from op_table_graph import static_mode
from scatter_test_utils import ALL_DTYPES

import paddle
import paddle.distributed as dist
from paddle import _native_lib

# True on 6 of 12 elements
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


@pytest.fixture
def nan_check():
    paddle.set_flags({'FLAGS_check_nan_inf': 1})
    yield
    paddle.set_flags({'FLAGS_check_nan_inf': 0})


def test_every_dtype_is_taken_over():
    taken = _native_lib.taken_kernels()
    for op in ('masked_fill', 'masked_fill_grad'):
        assert sorted(taken[op]) == sorted(ALL_DTYPES)


def test_kernels_fit_their_own_operator_only():
    for op in ('masked_fill', 'masked_fill_grad'):
        assert _native_lib.kernel_misfit(op, op) == ''
        for other in ('scale', 'where', 'no_such_operator'):
            assert _native_lib.kernel_misfit(other, op)
    assert _native_lib.kernel_misfit('masked_fill', 'masked_fill_grad')


@pytest.mark.parametrize('shape', [[-1, 4], [-1, 1], [3, -1]])
def test_an_unknown_dim_of_the_mask_is_no_fault(shape):
    program = paddle.static.Program()
    with static_mode(), paddle.static.program_guard(program):
        x = paddle.static.data('x', [3, 4])
        mask = paddle.static.data('mask', shape, 'bool')
        assert list(paddle.masked_fill(x, mask, 0.0).shape) == [3, 4]


def check(function, dtype='float32'):
    for shape, expected in VALUE_GRADS:
        x, value = paddle.ones([3, 4], dtype), paddle.ones(shape, dtype)
        x.stop_gradient = value.stop_gradient = False
        out = function(x, paddle.to_tensor(MASK), value)
        out.backward(paddle.to_tensor(OUT_GRAD).astype(out.dtype))
        assert out.dtype == x.dtype
        assert value.grad.astype('float32').tolist() == expected
        assert x.grad.astype('float32').tolist() == X_GRAD


@pytest.mark.parametrize('module', [paddle, paddle._C_ops, paddle.Tensor])
def test_gradients_of_every_way_to_call(module):
    check(module.masked_fill)
    check(lambda x, *rest: module.masked_fill_(x * 1, *rest))


@pytest.mark.parametrize('level', ['O1', 'O2'])
@pytest.mark.parametrize('half', ['float16', 'bfloat16'])
def test_automatic_mixed_precision_keeps_the_dtype(level, half):
    with paddle.amp.auto_cast(level=level, dtype=half):
        check(paddle.masked_fill)
        check(paddle.masked_fill, half)


def test_check_of_every_result(nan_check):
    x, mask = paddle.ones([3, 4]), paddle.to_tensor(MASK)
    for bad in ('inf', 'nan'):
        with pytest.raises(RuntimeError, match='INF'):
            paddle.masked_fill(x, mask, float(bad))
    infinite = paddle.to_tensor(np.full((3, 4), np.inf))
    with pytest.raises(RuntimeError, match='op=masked_fill'):
        paddle.masked_fill(infinite, mask, 2.0)
    assert paddle.masked_fill(x, mask, 2.0).sum() == 18


def shard(tensor, placement, stop_gradient=True):
    """On a mesh of one process."""
    mesh = dist.ProcessMesh([0], dim_names=['x'])
    tensor = dist.shard_tensor(tensor, mesh, [placement])
    tensor.stop_gradient = stop_gradient
    return tensor


@pytest.mark.parametrize('name', ['masked_fill', 'masked_fill_'])
def test_number_of_a_distributed_call_is_not_for_dense_ones(name):
    function = getattr(paddle, name)
    x, mask = paddle.ones([3]), paddle.to_tensor([True, False, True])
    whole = dist.Replicate()
    assert function(shard(x, whole), shard(mask, whole), 2.5).is_dist()
    assert not function(x, mask, 2.5).is_dist()
    assert not (x.is_dist() or mask.is_dist())
