"""Where the parts of a distributed Tensor lie.

Installed as paddle._native_dist_layout.
"""

from copy import deepcopy

import numpy as np

import paddle
import paddle.distributed as dist


def mesh_of(tensor):
    """A mesh of one's own: Paddle's lives no longer than the Tensor."""
    return deepcopy(tensor.process_mesh)


def placements_of(tensor):
    return deepcopy(list(tensor.placements))


def replicated(mesh):
    return [dist.Replicate() for _ in mesh.shape]


def splits(mesh, placements):
    """For each dim of the mesh that splits one of a Tensor: this, the pieces, and
    which of them this rank has."""
    for size, at, placement in zip(mesh.shape, place_in_mesh(mesh), placements):
        if placement.is_shard():
            yield placement.get_dim(), size, at


@paddle.no_grad()
def reshard(tensor, placements):
    """`tensor` itself, or a new one that lies as `placements` say."""
    if list(tensor.placements) == list(placements):
        return tensor
    tensor = tensor.detach()
    if 0 in tensor.shape:  # dist.reshard crashes
        mesh, whole = mesh_of(tensor), paddle.zeros(tensor.shape, tensor.dtype)
        return _cut(
            assemble(whole, whole.shape, mesh, replicated(mesh)), placements
        )
    # Gloo has neither all-to-all nor reduce-scatter.
    between = [
        old if old == new else dist.Replicate()
        for old, new in zip(tensor.placements, placements)
    ]
    return _cut(_gathered(tensor, between), placements)


def _cut(tensor, placements):
    """Each rank takes its part of one that is too large. Not by dist.reshard,
    whose slices lack half of the dtypes on the CPU."""
    if list(tensor.placements) == list(placements):
        return tensor
    mesh, local = mesh_of(tensor), tensor._local_value()
    cut = [
        dist.Replicate() if old == new else new
        for old, new in zip(tensor.placements, placements)
    ]
    for dim, size, at in splits(mesh, cut):
        low, high = bounds(local.shape[dim], size, at)
        local = paddle.slice(local, [dim], [low], [high])
    return assemble(local, tensor.shape, mesh, placements)


def _gathered(tensor, placements):
    """Each rank gets what the others have."""
    if list(tensor.placements) == list(placements):
        return tensor
    padded = _padded(tensor)
    found = dist.reshard(padded, padded.process_mesh, placements)
    if padded is tensor:
        return found
    mesh, ends = mesh_of(tensor), list(tensor.shape)
    for dim, size, at in splits(mesh, placements):
        low, high = bounds(ends[dim], size, at)
        ends[dim] = high - low
    dims = list(range(len(ends)))
    local = paddle.slice(found._local_value(), dims, [0] * len(dims), ends)
    return assemble(local, tensor.shape, mesh, placements)


def _padded(tensor):
    """The same with elements on every rank: dist.reshard crashes without."""
    mesh, shape = mesh_of(tensor), list(tensor.shape)
    local = tensor._local_value()
    for dim, size, _ in splits(mesh, tensor.placements):
        low, high = bounds(shape[dim], size, size - 1)
        if low < high:
            continue
        step = -(-shape[dim] // size)
        shape[dim] = step * size
        missing = list(local.shape)
        missing[dim] = step - missing[dim]
        local = paddle.concat([local, paddle.zeros(missing, local.dtype)], dim)
    if shape == list(tensor.shape):
        return tensor
    return assemble(local, shape, mesh, tensor.placements)


def assemble(local, shape, mesh, placements):
    """The distributed Tensor of which `local` is the part of this rank."""
    return paddle.Tensor(
        local.contiguous(),  # collectives read memory as it lies
        dims=list(shape),
        process_mesh=mesh,
        placements=list(placements),
        place=local.place,
    )


def settled(local, shape, mesh, placements, wanted):
    """The Tensor of which `local` is the part or the share of this rank,
    resharded to the placements `wanted`."""
    if shape:
        return reshard(assemble(local, shape, mesh, placements), wanted)
    # Paddle takes what has no dims for the whole, not for a share.
    one = assemble(local.reshape([1]), [1], mesh, placements)
    whole = reshard(one, wanted)._local_value()
    return assemble(whole.reshape([]), [], mesh, wanted)


def part(tensor):
    """The local part, its elements one after the other."""
    return tensor._local_value().contiguous()


def copied(tensor):
    mesh, placements = mesh_of(tensor), tensor.placements
    return assemble(part(tensor).clone(), tensor.shape, mesh, placements)


def place_in_mesh(mesh):
    """The coordinates of this rank in the mesh; None where it has none."""
    ids = np.array(mesh.process_ids).reshape(mesh.shape)
    found = np.argwhere(ids == dist.get_rank())
    return tuple(int(i) for i in found[0]) if len(found) else None


def bounds(size, pieces, index):
    """Paddle's split of a dim: all but the last piece have the same size."""
    step = -(-size // pieces)
    return min(step * index, size), min(step * (index + 1), size)
