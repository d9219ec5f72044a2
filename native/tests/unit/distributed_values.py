"""Results, gradients of two orders and layouts of distributed Tensors, compared
with dense ones. test_distributed_ranks.py runs them on several ranks."""

import unittest
from dataclasses import dataclass
from itertools import product

import numpy as np
from distributed_utils import (
    LINE,
    MESH,
    assert_layout,
    floats,
    local_part,
    mask_of,
    shard,
)

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Replicate, Shard

R = Replicate()
# Larger meshes have more layouts: test a sample.
STEP = 1 if len(MESH.shape) == 1 else 2 * MESH.size - 3


@dataclass
class Input:
    """`dims` maps each dim to a dim of the result, or to None if it must be
    replicated."""

    array: np.ndarray
    dims: tuple
    grad: bool = True


@dataclass
class Case:
    name: str
    function: callable
    inputs: list
    second: bool = True


def broadcast(array, shape, grad=True):
    """Return an input that is broadcast to `shape`. Dims of size 1 are replicated."""
    before = len(shape) - array.ndim
    dims = [None if n == 1 else i + before for i, n in enumerate(array.shape)]
    return Input(array, dims, grad)


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
        yield Case(
            f'masked_scatter {x} by {mask}',
            paddle.masked_scatter,
            [
                broadcast(floats(*x), shape),
                broadcast(array, shape, grad=False),
                Input(floats(num_selected + 3, seed=1), [None]),
            ],
        )


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
        yield Case(
            f'masked_fill {x} by {mask}, {value}', paddle.masked_fill, inputs
        )
        yield Case(
            f'masked_fill {x} by {mask}, number',
            lambda x, mask: paddle.masked_fill(x, mask, 2.0),
            inputs[:2],
            second=False,
        )


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
        yield Case(
            f'scatter along {axis}, {reduce}',
            lambda x, index, updates, axis=axis, reduce=reduce: paddle.scatter(
                x, index, updates, False, axis, reduce, include_self=True
            ),
            [
                Input(x if axis == 0 else x.T, dims),
                Input(np.array([4, 1, 4]), [None], grad=False),
                Input(updates if axis == 0 else updates.T, dims),
            ],
            second=reduce in ('add', 'mean'),
        )


def layouts(rank):
    """Yield all placements of a Tensor."""
    for placements in product(
        [R, *map(Shard, range(rank))], repeat=len(MESH.shape)
    ):
        dims = [p.get_dim() for p in placements if p.is_shard()]
        if len(dims) == len(set(dims)):
            yield list(placements)


def layout_of_result(case, places):
    """Return the placements of the result. The first input that shards has
    priority; each mesh dim shards one dim, each dim is sharded once."""
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


def run(case, make, weights):
    """Return the result, its gradients for weights[0], and their gradient."""
    inputs = [make(one.array, i, one.grad) for i, one in enumerate(case.inputs)]
    out = case.function(*inputs)
    leaves = [t for t in inputs if not t.stop_gradient]
    out_grad = make(weights[0], 'out', case.second)
    if not case.second:
        out.backward(out_grad)
        return [out, *(t.grad for t in leaves)]
    grads = paddle.grad(
        [out], leaves, grad_outputs=[out_grad], create_graph=True
    )
    tangents = [make(w, i, False) for i, w in enumerate(weights[1:])]
    paddle.autograd.backward(grads, tangents)
    return [out, *grads, out_grad.grad]


class TestTable(unittest.TestCase):
    def check(self, case):
        grad_shapes = [one.array.shape for one in case.inputs if one.grad]
        dense = [paddle.to_tensor(one.array) for one in case.inputs]
        shapes = [case.function(*dense).shape, *grad_shapes]
        weights = [floats(*shape, seed=2 + i) for i, shape in enumerate(shapes)]
        expected = run(
            case,
            lambda array, at, grad: paddle.to_tensor(
                array, stop_gradient=not grad
            ),
            weights,
        )
        choices = [
            list(layouts(one.array.ndim))
            if one.array.ndim and one.array.dtype != 'int64'
            else [[R for _ in MESH.shape]]
            for one in case.inputs
        ]
        for places in list(product(*choices))[::STEP]:
            with self.subTest(case.name, places=places):
                self.check_layout(case, places, weights, expected)

    def check_layout(self, case, places, weights, expected):
        out_place = layout_of_result(case, places)

        def make(array, at, grad):
            if at == 'out':
                place = out_place
            elif isinstance(at, int) and array is case.inputs[at].array:
                place = places[at]
            else:
                place = [R for _ in MESH.shape]
            return shard(array, *place, grad=grad, mesh=MESH)

        results = run(case, make, weights)
        again = run(case, make, weights)
        of_inputs = [p for p, one in zip(places, case.inputs) if one.grad]
        where = [out_place, *of_inputs, out_place]
        for one, other, dense, place in zip(results, again, expected, where):
            assert_layout(one, dense.numpy(), *place, mesh=MESH)
            bits = [t._local_value().numpy().tobytes() for t in (one, other)]
            self.assertEqual(*bits)

    def test_masked_scatter(self):
        for case in masked_scatter_cases():
            self.check(case)

    def test_masked_fill(self):
        for case in masked_fill_cases():
            self.check(case)

    def test_select_and_diagonal_scatter(self):
        for case in view_cases():
            self.check(case)

    def test_scatter(self):
        for case in scatter_cases():
            self.check(case)


def dense_masked_scatter(*arrays):
    return paddle.masked_scatter(*map(paddle.to_tensor, arrays)).numpy()


class TestPlainScatter(unittest.TestCase):
    """Paddle's operator, with its own rule and overridden kernels."""

    def test_columns_stay_sharded(self):
        from paddle._native_lib import overridden_kernels

        self.assertIn('float32', str(overridden_kernels()['scatter']).lower())
        columns = [R for _ in MESH.shape[1:]] + [Shard(1)]
        x, updates = floats(8, 8), floats(2, 8, seed=1)
        index, x_grad = np.array([4, 1]), np.ones([8, 8], 'float32')
        expected = x.copy()
        expected[index], x_grad[index] = updates, 0
        replicated = [R for _ in MESH.shape]
        for place, overwrite in product((replicated, columns), (True, False)):
            parts = shard(x, *place, grad=True, mesh=MESH)
            out = paddle.scatter(
                parts,
                shard(index, *replicated, mesh=MESH),
                shard(updates, *place, grad=True, mesh=MESH),
                overwrite,
            )
            assert_layout(out, expected, *place, mesh=MESH)
            out.sum().backward()
            assert_layout(parts.grad, x_grad, *place, mesh=MESH)


class TestMaskedScatter(unittest.TestCase):
    def test_all_mesh_dims_shard_one_dim(self):
        """The first shards the result, as in Paddle's operators."""
        place = [Shard(0) for _ in MESH.shape]
        replicated = [R for _ in MESH.shape]
        mask = mask_of(8, 3)
        x = shard(floats(8, 3), *place, grad=True, mesh=MESH)
        value = shard(floats(24), *replicated, mesh=MESH)
        out = paddle.masked_scatter(x, shard(mask, *place, mesh=MESH), value)
        out.backward(paddle.ones_like(out))
        expected = dense_masked_scatter(floats(8, 3), mask, floats(24))
        assert_layout(out, expected, Shard(0), *replicated[1:], mesh=MESH)
        # The placements record the order of the splits.
        np.testing.assert_array_equal(
            x.grad._local_value().numpy(), local_part(~mask, place, MESH)
        )

    def test_partial_value(self):
        x, mask, value = floats(6, 4), mask_of(6, 4), floats(24)
        out = paddle.masked_scatter(
            shard(x, Shard(0)), shard(mask, Shard(0)), shard(value, Partial())
        )
        expected = dense_masked_scatter(x, mask, value * dist.get_world_size())
        assert_layout(out, expected, Shard(0))

    def test_empty_value_without_true_elements(self):
        x, mask = floats(4, 2), np.zeros([4, 2], 'bool')
        out = paddle.masked_scatter(
            shard(x, Shard(0)), shard(mask, Shard(0)), shard(floats(0), R)
        )
        assert_layout(out, x, Shard(0))

    def test_zero_size(self):
        x, mask = floats(0, 2), mask_of(0, 2)
        for layout in (R, Shard(0), Shard(1)):
            out = paddle.masked_scatter(
                shard(x, layout), shard(mask, layout), shard(floats(3), R)
            )
            assert_layout(out, x, layout)

    def test_dtypes_that_dist_reshard_does_not_support(self):
        mask = mask_of(8, 3)
        tensors = [dist.shard_tensor(paddle.arange(24), LINE, [R])] * 2
        for dtype in ('bool', 'int8', 'float16', 'bfloat16', 'complex64'):
            x, value = (tensor.astype(dtype) for tensor in tensors)
            x = x.reshape([8, 3])
            expected = paddle.masked_scatter(
                x._local_value(), paddle.to_tensor(mask), value._local_value()
            )
            out = paddle.masked_scatter(x, shard(mask, Shard(0)), value)
            rows = local_part(np.arange(8), [Shard(0)], LINE)
            with self.subTest(dtype=dtype):
                same = out._local_value() == expected[rows[0] : rows[-1] + 1]
                self.assertTrue(bool(same.all()))
