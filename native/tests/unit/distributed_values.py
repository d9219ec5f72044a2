"""Random calls with random placements: results, and gradients of two orders, equal
those of dense calls. test_distributed_ranks.py runs them on several ranks."""

from itertools import count

import numpy as np
import pytest
from distributed_utils import MESH, R, assert_layout, floats, shard
from fuzz.arrays import to_paddle
from fuzz.draw import APIS, draw
from fuzz.run import compute

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Shard

DTYPES = 'int32', 'int64', 'float32', 'float64'


def is_supported(case):
    """Paddle cannot cast or slice empty local parts, and crashes in some gradients of
    one Tensor and of a reshaped one. Its own scatter has another sharding rule."""
    arrays = case.arrays
    sizes = [array.size for array in arrays.values()]
    if case.dtype not in DTYPES or case.source_dtype != case.dtype:
        return False
    if case.api == 'masked_scatter' and arrays['source'].ndim != 1:
        return False
    if case.api == 'masked_fill' and arrays['mask'].dtype != bool:
        return False
    if case.api == 'scatter':
        axis = case.options['axis']
        length = arrays['source'].shape[axis:][:1]
        if axis in (0, -arrays['x'].ndim) or arrays['index'].shape != length:
            return False
    if 0 in sizes:
        return not case.wrt and case.api not in ('masked_fill', 'scatter')
    return max(sizes) < 2000 and len(case.wrt) != 1


def draw_placements(rng, rank):
    """Draw placements that shard each dim at most once."""
    dims, placements = [*range(rank)], []
    for _ in MESH.shape:
        at = int(rng.integers(-1, len(dims)))
        placements.append(R if at < 0 else Shard(dims.pop(at)))
    return placements


def assert_keeps_sharding(case, x_place, place):
    """Check that dims of x other than the axes of the call stay sharded."""
    shape, rank = case.arrays['x'].shape, case.out_grad.ndim
    axes = {'axis', 'axis1', 'axis2'} & case.options.keys()
    axes = {case.options[name] % rank for name in axes}
    for before, after in zip(x_place, place):
        if before.is_shard() and shape[before.get_dim()] > 1:
            dim = before.get_dim() + rank - len(shape)
            assert dim in axes or after == Shard(dim)


@pytest.mark.parametrize('number', range(80))
@pytest.mark.parametrize('api', APIS)
def test_equals_dense_call(api, number):
    drawn = (draw(2026, n, api) for n in count(1000 * number))
    case = next(filter(is_supported, drawn))
    arrays = {**case.arrays, 'out_grad': case.out_grad}
    rng = np.random.default_rng(number)
    places = {n: draw_placements(rng, a.ndim) for n, a in arrays.items()}
    places['index'] = [R for _ in MESH.shape]
    tensors = {name: shard(arrays[name], *places[name]) for name in arrays}
    # Dense inputs become replicated. Paddle crashes in the gradient of dense leaves.
    name = str(rng.choice([*case.arrays]))
    if number % 4 == 0 and name not in case.wrt:
        tensors[name] = to_paddle(arrays[name])
        places[name] = [R for _ in MESH.shape]
    results = compute(case, tensors)
    dense = compute(case, {n: to_paddle(a) for n, a in arrays.items()})
    for name in {'result', 'second order'} & results.keys():
        places[name] = list(results[name].placements)
    if case.inplace:
        assert places['result'] == places['x']
    else:
        assert_keeps_sharding(case, places['x'], places['result'])
    for name, tensor in results.items():
        assert_layout(tensor, dense[name].numpy(), *places[name])


@pytest.mark.parametrize('place', [R, Shard(1)])
@pytest.mark.parametrize('overwrite', [True, False])
def test_plain_scatter_keeps_columns_sharded(place, overwrite):
    """Paddle's operator, with its own rule and overridden kernels."""
    arrays = floats(8, 8), np.array([4, 1]), floats(2, 8, seed=1)
    x, index, updates = map(to_paddle, arrays)
    dense = paddle.scatter(x, index, updates, overwrite)
    x, index, updates = map(shard, arrays, (place, R, place))
    x.stop_gradient = updates.stop_gradient = False
    out = paddle.scatter(x, index, updates, overwrite)
    assert_layout(out, dense.numpy(), place)
    out.backward(shard(arrays[0], place))
    x_grad = arrays[0].copy()
    x_grad[arrays[1]] = 0
    assert_layout(x.grad, x_grad, place)
    assert_layout(updates.grad, arrays[0][arrays[1]], place)


def test_partial_value():
    x, mask, value = floats(6, 4), np.ones([6, 4], bool), floats(24)
    rows = Shard(0)
    out = paddle.masked_scatter(
        shard(x, rows), shard(mask, rows), shard(value, Partial())
    )
    assert_layout(out, value.reshape([6, 4]) * MESH.shape[0], rows)


@pytest.mark.parametrize('dtype', ['bool', 'int8', 'bfloat16', 'complex64'])
def test_dtype_that_dist_reshard_does_not_support(dtype):
    # Several mesh dims shard one dim: the first shards the result.
    mask = shard(np.ones([8, 3], bool), *[Shard(0)] * MESH.ndim)
    value = dist.shard_tensor(paddle.arange(24), MESH, [R] * MESH.ndim)
    value = value.astype(dtype)
    out = paddle.masked_scatter(value.reshape([8, 3]), mask, value)
    expected = value.astype('float32')._local_value().numpy().reshape([8, 3])
    assert_layout(out.astype('float32'), expected, Shard(0))
