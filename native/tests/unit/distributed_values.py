"""Results, gradients of two orders and layouts of distributed Tensors, compared
with dense ones. test_distributed_ranks.py runs them on several ranks."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from distributed_utils import (
    MESH,
    R,
    assert_layout,
    floats,
    local_part,
    mask_of,
    shard,
)

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Shard

# Larger meshes have more layouts: test a sample.
STEP = 1 if MESH.ndim == 1 else 2 * MESH.size - 3


@dataclass
class Input:
    """`dims` maps each dim to a dim of the result, or to None if it must be
    replicated."""

    array: np.ndarray
    dims: tuple
    grad: bool = True


@dataclass(eq=False)
class Case:
    name: str
    function: callable
    inputs: list
    second: bool = True
    inplace: bool = False


def broadcast(array, shape, grad=True):
    """Return an input that is broadcast to `shape`. Dims of size 1 are replicated."""
    before = len(shape) - array.ndim
    dims = [None if n == 1 else i + before for i, n in enumerate(array.shape)]
    return Input(array, dims, grad)


def in_place(name, function, inputs):
    """Return a case that calls `function` on a copy of x."""

    def call(x, *others):
        y = x.clone()
        out = function(y, *others)
        assert out is y
        return out

    return Case(name, call, inputs, second=False, inplace=True)


def masked_scatter_cases():
    # 9 rows on two ranks are split into 5 and 4, 5 rows on four into 2, 2, 1, 0.
    for x, mask in (
        ([9, 4], [9, 4]),
        ([5, 4], [4]),
        ([4], [5, 4]),
        ([9, 4], [9, 1]),
        ([4, 3, 5], [4, 3, 5]),
        ([4, 3, 6], [3, 1]),
        ([4, 1, 6], [4, 3, 1]),
        ([1, 6], [2, 1, 6]),
        ([], []),
    ):
        shape = np.broadcast_shapes(x, mask)
        array = mask_of(*mask)
        num_selected = np.broadcast_to(array, shape).sum()
        name = f'masked_scatter {x} by {mask}'
        inputs = [
            broadcast(floats(*x), shape),
            broadcast(array, shape, grad=False),
            Input(floats(num_selected + 3, seed=1), [None]),
        ]
        yield Case(name, paddle.masked_scatter, inputs)
        if shape == tuple(x):
            yield in_place(f'{name}, in place', paddle.masked_scatter_, inputs)


def masked_fill_cases():
    for x, mask, value in (
        ([9, 4], [9, 4], []),
        ([5, 4], [4], [5, 1]),
        ([4], [5, 4], [5, 4]),
        ([1, 6], [1, 6], [6]),
        ([4, 3, 5], [4, 1, 5], [1, 1, 1, 1]),
        ([4, 1, 6], [3, 1], [3, 6]),
    ):
        shape = np.broadcast_shapes(x, mask)
        inputs = [
            broadcast(floats(*x), shape),
            broadcast(mask_of(*mask), shape, grad=False),
            broadcast(floats(*value, seed=1), shape),
        ]
        name = f'masked_fill {x} by {mask}'
        yield Case(f'{name}, {value}', paddle.masked_fill, inputs)
        yield Case(
            f'{name}, number',
            lambda x, mask: paddle.masked_fill(x, mask, 2.0),
            inputs[:2],
            second=False,
        )
        if value == []:
            yield in_place(f'{name}, in place', paddle.masked_fill_, inputs)


def view_cases():
    for d0 in (1, 5, 8):
        yield Case(
            f'select_scatter {d0}',
            lambda x, values: paddle.select_scatter(x, values, 1, 2),
            [
                Input(floats(d0, 4, 6), (0, None, 2)),
                Input(floats(d0, 6, seed=1), (0, 2)),
            ],
        )
        yield Case(
            f'diagonal_scatter {d0}',
            lambda x, y: paddle.diagonal_scatter(x, y, 1, 0, 2),
            [
                Input(floats(5, d0, 6), (None, 1, None)),
                Input(floats(d0, 5, seed=1), (1, None)),
            ],
        )


def scatter_cases():
    for axis, reduce in product((0, 1), ('add', 'mean', 'mul', 'amax', 'amin')):
        dims = [None if dim == axis else dim for dim in (0, 1)]
        x, updates = floats(9, 5), floats(3, 5, seed=1)
        inputs = [
            Input(x if axis == 0 else x.T, dims),
            Input(np.array([4, 1, 4]), [None], grad=False),
            Input(updates if axis == 0 else updates.T, dims),
        ]
        options = {'axis': axis, 'reduce': reduce, 'include_self': True}
        scatter, scatter_ = (
            partial(function, overwrite=False, **options)
            for function in (paddle.scatter, paddle.scatter_)
        )
        name = f'scatter along {axis}, {reduce}'
        yield Case(name, scatter, inputs, second=reduce in ('add', 'mean'))
        if axis == 0:
            yield in_place(f'{name}, in place', scatter_, inputs)


def layouts(one):
    """Yield all placements of an input."""
    rank = 0 if one.array.dtype == 'int64' else one.array.ndim
    for place in product([R, *map(Shard, range(rank))], repeat=MESH.ndim):
        dims = [p.get_dim() for p in place if p.is_shard()]
        if len(dims) == len(set(dims)):
            yield list(place)


def layout_of_result(case, places):
    """Return the placements of the result. The first input that shards has
    priority; each mesh dim shards one dim, each dim is sharded once."""
    if case.inplace:
        return places[0]
    placements = [R for _ in MESH.shape]
    for one, place in zip(case.inputs, places):
        for mesh_dim, p in enumerate(place):
            dim = one.dims[p.get_dim()] if p.is_shard() else None
            if (
                dim is not None
                and placements[mesh_dim] == R
                and Shard(dim) not in placements
            ):
                placements[mesh_dim] = Shard(dim)
    return placements


def run(case, places, out_place):
    """Return the result, its gradients for out_grad, and the gradient of out_grad.
    Tensors are dense without placements."""
    inputs = [
        shard(one.array, *place, grad=one.grad)
        for one, place in zip(case.inputs, places)
    ]
    out = case.function(*inputs)
    leaves = [t for t in inputs if not t.stop_gradient]
    out_grad = shard(floats(*out.shape, seed=2), *out_place, grad=case.second)
    if not case.second:
        out.backward(out_grad)
        return [out, *(t.grad for t in leaves)]
    grads = paddle.grad(
        [out], leaves, grad_outputs=[out_grad], create_graph=True
    )
    tangents = [
        shard(floats(*t.shape, seed=3 + i), *[R for _ in out_place])
        for i, t in enumerate(leaves)
    ]
    paddle.autograd.backward(grads, tangents)
    return [out, *grads, out_grad.grad]


@cache
def run_dense(case):
    return run(case, [()] * len(case.inputs), ())


def check(case, places):
    out_place = layout_of_result(case, places)
    results = run(case, places, out_place)
    again = run(case, places, out_place)
    of_inputs = [p for p, one in zip(places, case.inputs) if one.grad]
    where = [out_place, *of_inputs, out_place]
    for one, other, dense, place in zip(results, again, run_dense(case), where):
        assert_layout(one, dense.numpy(), *place)
        bits = [t._local_value().numpy().tobytes() for t in (one, other)]
        assert bits[0] == bits[1]


@pytest.mark.parametrize(
    ('case', 'places'),
    [
        pytest.param(case, places, id=f'{case.name} {places}')
        for cases in (
            masked_scatter_cases,
            masked_fill_cases,
            view_cases,
            scatter_cases,
        )
        for case in cases()
        for places in list(product(*map(layouts, case.inputs)))[::STEP]
    ],
)
def test_equals_dense_call(case, places):
    check(case, places)


@pytest.mark.parametrize('place', [R, Shard(1)])
@pytest.mark.parametrize('overwrite', [True, False])
def test_plain_scatter_keeps_columns_sharded(place, overwrite):
    """Paddle's operator, with its own rule and overridden kernels."""
    inputs = [
        Input(floats(8, 8), (None, 1)),
        Input(np.array([4, 1]), [None], grad=False),
        Input(floats(2, 8, seed=1), (None, 1)),
    ]
    scatter = partial(paddle.scatter, overwrite=overwrite)
    columns = [place, *[R] * (MESH.ndim - 1)]
    replicated = [R] * MESH.ndim
    case = Case('scatter', scatter, inputs, second=False)
    check(case, [columns, replicated, columns])


def test_all_mesh_dims_shard_one_dim():
    """The first shards the result, as in Paddle's operators."""
    inputs = [
        Input(floats(8, 3), (0, 1)),
        Input(mask_of(8, 3), (0, 1), grad=False),
        Input(floats(24), [None]),
    ]
    rows, replicated = [Shard(0)] * MESH.ndim, [R] * MESH.ndim
    case = Case('rows', paddle.masked_scatter, inputs, second=False)
    check(case, [rows, rows, replicated])


def test_partial_value():
    x, mask, value = floats(6, 4), mask_of(6, 4), floats(24)
    out = paddle.masked_scatter(
        shard(x, Shard(0)), shard(mask, Shard(0)), shard(value, Partial())
    )
    summed = value * MESH.shape[0]
    dense = paddle.masked_scatter(*map(paddle.to_tensor, (x, mask, summed)))
    assert_layout(out, dense.numpy(), Shard(0))


@pytest.mark.parametrize('layout', [R, Shard(0), Shard(1)])
@pytest.mark.parametrize(('rows', 'value_size'), [(0, 3), (4, 0)])
def test_no_true_elements(rows, value_size, layout):
    x, mask = floats(rows, 2), np.zeros([rows, 2], 'bool')
    out = paddle.masked_scatter(
        shard(x, layout), shard(mask, layout), shard(floats(value_size), R)
    )
    assert_layout(out, x, layout)


@pytest.mark.parametrize(
    'dtype', ['bool', 'int8', 'float16', 'bfloat16', 'complex64']
)
def test_dtype_that_dist_reshard_does_not_support(dtype):
    mask = mask_of(8, 3)
    x = dist.shard_tensor(paddle.arange(24), MESH, [R] * MESH.ndim)
    x = x.astype(dtype)
    value, x = x, x.reshape([8, 3])
    out = paddle.masked_scatter(x, shard(mask, Shard(0)), value)
    expected = paddle.masked_scatter(
        x._local_value(), paddle.to_tensor(mask), value._local_value()
    )
    rows = local_part(np.arange(8), [Shard(0)])
    same = out._local_value() == expected[rows[0] : rows[-1] + 1]
    assert bool(same.all())
