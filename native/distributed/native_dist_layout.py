"""Placements and local parts of distributed Tensors; resharding on the CPU.

Installed as paddle._native_dist_layout.
"""

from copy import deepcopy

import numpy as np

import paddle
import paddle.distributed as dist


def mesh_of(tensor):
    """Return a copy of the mesh, whose lifetime is bound to the Tensor."""
    return deepcopy(tensor.process_mesh)


def placements_of(tensor):
    return deepcopy(list(tensor.placements))


def replicated(mesh):
    return [dist.Replicate() for _ in mesh.shape]


def splits(mesh, placements):
    """Yield (tensor dim, number of pieces, piece of this rank) for each sharding
    mesh dim."""
    place = np.unravel_index(
        mesh.process_ids.index(dist.get_rank()), mesh.shape
    )
    for size, at, placement in zip(mesh.shape, place, placements):
        if placement.is_shard():
            yield placement.get_dim(), size, at


@paddle.no_grad()
def reshard(tensor, placements):
    """Return `tensor` with these placements, `tensor` itself if it has them."""
    if list(tensor.placements) == list(placements):
        return tensor
    mesh, local, cut = mesh_of(tensor), tensor.detach(), placements
    if 0 in tensor.shape:  # dist.reshard crashes
        local = paddle.zeros(tensor.shape, tensor.dtype)
    else:
        # In two steps: gloo has neither all-to-all nor reduce-scatter.
        both = [*zip(tensor.placements, placements)]
        between = [old if old == new else dist.Replicate() for old, new in both]
        cut = [dist.Replicate() if old == new else new for old, new in both]
        local = _gather(local, mesh, between)
    # On the CPU, dist.reshard slices only half of the dtypes.
    for dim, size, at in splits(mesh, cut):
        low, high = bounds(local.shape[dim], size, at)
        local = paddle.slice(local, [dim], [low], [high])
    return assemble(local, tensor.shape, mesh, placements)


def _gather(tensor, mesh, placements):
    """All-gather the dims that `placements` replicate; return the local part."""
    local, shape = tensor._local_value(), list(tensor.shape)
    if list(tensor.placements) == placements:
        return local
    for dim, size, _ in splits(mesh, tensor.placements):
        low, high = bounds(shape[dim], size, size - 1)
        if low == high:  # dist.reshard crashes on empty parts: pad them
            step = -(-shape[dim] // size)
            shape[dim] = step * size
            missing = list(local.shape)
            missing[dim] = step - missing[dim]
            zeros = paddle.zeros(missing, local.dtype)
            local = paddle.concat([local, zeros], dim)
    padded = assemble(local, shape, mesh, tensor.placements)
    local = dist.reshard(padded, mesh, placements)._local_value()
    if shape == list(tensor.shape):
        return local
    ends = list(tensor.shape)
    for dim, size, at in splits(mesh, placements):
        low, high = bounds(ends[dim], size, at)
        ends[dim] = high - low
    dims = list(range(len(ends)))
    return paddle.slice(local, dims, [0] * len(dims), ends)


def assemble(local, shape, mesh, placements):
    """Return the distributed Tensor whose local part is `local`."""
    return paddle.Tensor(
        local.contiguous(),  # collectives ignore strides
        dims=list(shape),
        process_mesh=mesh,
        placements=list(placements),
        place=local.place,
    )


def reshard_local(local, shape, mesh, placements, target):
    """Assemble `local`, a part or a partial sum, and reshard it to `target`."""
    if shape:
        return reshard(assemble(local, shape, mesh, placements), target)
    # Paddle treats a 0-D local part as the whole, not as a partial sum.
    one = assemble(local.reshape([1]), [1], mesh, placements)
    whole = reshard(one, target)._local_value()
    return assemble(whole.reshape([]), [], mesh, target)


def part(tensor):
    """Return the local part, contiguous."""
    return tensor._local_value().contiguous()


def bounds(size, pieces, index):
    """Return [begin, end) of a piece. As in Paddle, each piece has the size of the
    first one until the dim is exhausted."""
    step = -(-size // pieces)
    return min(step * index, size), min(step * (index + 1), size)
