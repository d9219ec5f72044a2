"""Utilities of the tests on several ranks. As a program, runs the test modules in
its arguments."""

import sys

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate

RANKS = dist.get_world_size()
# One line of ranks, or two.
_ids = np.arange(RANKS).reshape([2, -1] if RANKS > 2 else [-1])
MESH = dist.ProcessMesh(_ids, dim_names=['x', 'y'][: _ids.ndim])
R = Replicate()


def whole_placements(placements, mesh):
    """Replicate along the mesh dims that `placements` lacks."""
    return [*placements, *[R] * (mesh.ndim - len(placements))]


def local_part(array, placements, mesh=MESH):
    """Return the part of this rank; all but the last have equal sizes."""
    coords = np.argwhere(mesh.mesh == dist.get_rank())
    place = coords[0] if len(coords) else [0] * mesh.ndim
    for at, ranks, placement in zip(place, mesh.shape, placements):
        if placement.is_shard():
            dim = placement.get_dim()
            step = -(-array.shape[dim] // ranks)
            elements = np.arange(array.shape[dim])[step * at : step * (at + 1)]
            array = array.take(elements, axis=dim)
    return array


def shard(array, *placements, grad=False, mesh=MESH):
    """Create a distributed Tensor, a dense one without `placements`.
    dist.shard_tensor rejects ranks without elements."""
    tensor = paddle.to_tensor(local_part(array, placements, mesh))
    if placements:
        tensor = paddle.Tensor(
            tensor,
            dims=array.shape,
            process_mesh=mesh,
            placements=whole_placements(placements, mesh),
            place=tensor.place,
        )
    tensor.stop_gradient = not grad
    return tensor


def gather(tensor):
    """Gather all elements on every rank."""
    if not tensor.is_dist():
        return tensor.numpy()
    mesh = tensor.process_mesh
    whole = dist.reshard(tensor, mesh, whole_placements([], mesh))
    return whole._local_value().numpy()


def assert_layout(tensor, array, *placements):
    """Check the placements of a Tensor, and its local part of `array`."""
    assert list(tensor.placements) == whole_placements(placements, MESH)
    assert tensor.shape == list(array.shape)
    np.testing.assert_array_equal(
        tensor._local_value().numpy(), local_part(array, placements)
    )


def floats(*shape, seed=0):
    """Draw integers from 1 to 9, whose sums are exact in any order."""
    numbers = np.random.RandomState(seed).randint(1, 10, shape)
    return np.asarray(numbers, 'float32')


def mask_of(*shape, seed=0):
    return np.asarray(np.random.RandomState(seed).rand(*shape) > 0.5)


if __name__ == '__main__':
    paddle.set_device('cpu')
    dist.init_parallel_env()
    # The first failure ends the rank. Else the others would wait in a later test.
    options = ('-x', '-q', '-s', '-p', 'no:cacheprovider')
    sys.exit(pytest.main([*options, *sys.argv[1:]]))
