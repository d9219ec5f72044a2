"""Utilities of the tests on several ranks. As a program, runs the test modules in
its arguments, as unittest does."""

import unittest

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate

RANKS = dist.get_world_size()
LINE = dist.ProcessMesh(list(range(RANKS)), dim_names=['x'])
# The mesh of the tables: one line of two ranks, or two lines.
MESH = (
    LINE
    if RANKS <= 2
    else dist.ProcessMesh(
        np.arange(RANKS).reshape([2, -1]).tolist(), dim_names=['x', 'y']
    )
)


def local_part(array, placements, mesh):
    """Return the part of this rank; all but the last have equal sizes."""
    ids = np.array(mesh.process_ids).reshape(mesh.shape)
    coords = np.argwhere(ids == dist.get_rank())
    place = coords[0] if len(coords) else ids.ndim * [0]
    for at, ranks, placement in zip(place, mesh.shape, placements):
        if placement.is_shard():
            dim = placement.get_dim()
            step = -(-array.shape[dim] // ranks)
            array = np.take(
                array,
                np.arange(array.shape[dim])[step * at : step * (at + 1)],
                axis=dim,
            )
    return array


def shard(array, *placements, grad=False, mesh=LINE):
    """Create a distributed Tensor. dist.shard_tensor rejects ranks without
    elements."""
    local = paddle.to_tensor(local_part(array, placements, mesh))
    tensor = paddle.Tensor(
        local,
        dims=array.shape,
        process_mesh=mesh,
        placements=list(placements),
        place=local.place,
    )
    tensor.stop_gradient = not grad
    return tensor


def gather(tensor):
    """Gather all elements on every rank."""
    if tensor is None:
        return None
    if not tensor.is_dist():
        return tensor.numpy()
    mesh = tensor.process_mesh
    placements = [Replicate() for _ in mesh.shape]
    return dist.reshard(tensor, mesh, placements)._local_value().numpy()


def assert_layout(tensor, array, *placements, mesh=LINE):
    """Check the placements of a Tensor, and its local part of `array`."""
    actual = list(tensor.placements)
    assert actual == list(placements), f'{actual}, not {placements}'
    assert list(tensor.shape) == list(array.shape), tensor.shape
    np.testing.assert_array_equal(
        tensor._local_value().numpy(), local_part(array, placements, mesh)
    )


def floats(*shape, seed=0):
    """Draw integers from 1 to 9, whose sums are exact in any order."""
    numbers = np.random.RandomState(seed).randint(1, 10, shape)
    return np.asarray(numbers, 'float32')


def mask_of(*shape, seed=0):
    return np.asarray(np.random.RandomState(seed).rand(*shape) > 0.5)


def main():
    paddle.set_device('cpu')
    dist.init_parallel_env()
    # The first failure ends the rank. Else the others would wait in a later test.
    unittest.main(module=None, failfast=True, verbosity=2)


if __name__ == '__main__':
    main()
