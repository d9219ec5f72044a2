"""masked_scatter on the parts of x and mask.

Which element of value a True takes depends on the number of Trues before it.
So the ranks tell each other how many they have, never what they have.
Installed as paddle._native_dist_masked.
"""

import ctypes

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import _native_lib as _lib
from paddle._native_dist_layout import (
    assemble,
    bounds,
    place_in_mesh,
    replicated,
    reshard,
)
from paddle._native_dist_plans import Plan, partial_along


class MaskedScatterPlan(Plan):
    """Every dim of x and mask may be sharded; value is replicated."""

    reads = (1,)

    def lay_out(self, tensors):
        x, mask, value = tensors
        self.value_shape = list(value.shape)
        self.mask_shape = [1] * (len(self.out_shape) - mask.ndim) + list(
            mask.shape
        )
        self.out_dims = self._sharded_dims(x, mask)
        self.out_placements = self._along(self.out_shape)
        self.input_placements = [
            self._along(x.shape),
            self._along(mask.shape),
            replicated(self.mesh),
        ]

    def _sharded_dims(self, *tensors):
        """For each dim of the mesh the dim of the result that it shards, or
        None. A Tensor that is broadcast along a dim has no say in it."""
        found = [None] * len(self.mesh.shape)
        for tensor in tensors:
            before = len(self.out_shape) - tensor.ndim
            for mesh_dim, placement in enumerate(tensor.placements):
                if found[mesh_dim] is not None or not placement.is_shard():
                    continue
                dim = before + placement.get_dim()
                size = tensor.shape[placement.get_dim()]
                if size == self.out_shape[dim] and dim not in found:
                    found[mesh_dim] = dim
        return found

    def _along(self, shape):
        """Placements of a Tensor that broadcasts to the result."""
        before = len(self.out_shape) - len(shape)
        return [
            dist.Shard(dim - before)
            if dim is not None
            and dim >= before
            and shape[dim - before] == self.out_shape[dim]
            else dist.Replicate()
            for dim in self.out_dims
        ]

    def prepare(self, parts):
        self.first, self.count = TrueRanges(self, parts[1]).find()

    def _taken(self, flat):
        """Which elements of the flattened value the local Trues take."""
        if self.first.size == 1:
            first = int(self.first[0])
            return slice(first, first + int(self.count[0]))
        before = np.cumsum(self.count) - self.count
        each = np.repeat(self.first - before, self.count)
        return paddle.to_tensor(each + np.arange(each.size), place=flat.place)

    def forward(self, parts):
        x, mask, value = parts
        flat = value.reshape([-1])
        taken = self._taken(flat)
        picked = (
            flat[taken]
            if isinstance(taken, slice)
            else paddle.gather(flat, taken)
        )
        return self.op.call(x, mask, picked)

    def backward(self, parts, shapes, grad):
        count = int(self.count.sum())
        x_grad, picked = _lib.gradient_masked_scatter_grad(
            shapes[0], parts[1], [count], grad
        )
        flat = paddle.zeros([int(np.prod(self.value_shape))], picked.dtype)
        taken = self._taken(flat)
        if isinstance(taken, slice):
            flat[taken] = picked
        else:
            paddle.scatter_(flat, taken, picked)
        sharded = [i for i, d in enumerate(self.out_dims) if d is not None]
        x_placements = self.input_placements[0]
        summed = [i for i in sharded if not x_placements[i].is_shard()]
        return [
            (x_grad, partial_along(x_placements, summed)),
            (
                flat.reshape(self.value_shape),
                partial_along(replicated(self.mesh), sharded),
            ),
        ]


class TrueRanges:
    """Where the Trues of the local part begin among all of them.

    The local part is cut into groups that follow each other in the whole: a
    group for each index of the dims before the last one that is sharded.
    """

    def __init__(self, plan, mask):
        self.plan = plan
        self.shape = plan.out_shape
        self.mask_placements = plan.input_placements[1]
        self.coordinates = place_in_mesh(plan.mesh)
        before = len(self.shape) - mask.ndim
        self.mask = _as_numpy(mask).reshape([1] * before + list(mask.shape))
        sharded = [dim for dim in plan.out_dims if dim is not None]
        self.last = max(sharded, default=-1)
        # The last dim along which the ranks have different masks.
        self.last_cut = max(
            (
                plan.out_dims[i]
                for i, p in enumerate(self.mask_placements)
                if p.is_shard()
            ),
            default=-1,
        )

    def find(self):
        """Where each group begins, and how many Trues it has."""
        last = self.last
        if last < 0:
            count = self._count(0)
            self._check(int(count))
            first = np.zeros([], 'int64')
        elif self.last_cut == last:
            count = self._count(last)
            first = self._exchange(count)
        else:
            # The mask is the same along `last`: each slice has as many.
            rows = self._count(last + 1)[..., 0]
            first = self._before(rows * self.shape[last])
            low, high = self._bounds(last)
            first = first + self._mine(rows * low)
            count = rows * (high - low)
        return first.reshape(-1), np.broadcast_to(count, first.shape).reshape(
            -1
        )

    def _count(self, start):
        """The Trues behind each index of the dims before `start`."""
        axes = tuple(range(start, self.mask.ndim))
        times = [
            self.shape[axis] for axis in axes if self.plan.mask_shape[axis] == 1
        ]
        found = np.count_nonzero(self.mask, axis=axes)
        return np.asarray(found, 'int64') * int(np.prod(times, dtype='int64'))

    def _before(self, groups):
        """The Trues before each local group, of the Trues in each group. All
        ranks have the same dims behind `last_cut`."""
        cut = max(self.last_cut, 0)
        inner = self.shape[cut : self.last]
        if self.last_cut >= 0:
            low, high = self._bounds(cut)
            inner = [high - low, *inner[1:]]
        outer = list(groups.shape[:cut])
        groups = np.broadcast_to(groups, [*outer, *inner])
        flat = groups.reshape([*outer, -1])
        before = (np.cumsum(flat, axis=-1) - flat).reshape([*outer, *inner])
        if self.last_cut >= 0:
            blocks = self._exchange(flat.sum(axis=-1))
            extra = [1] * len(inner)
            before = before + blocks.reshape([*blocks.shape, *extra])
        else:
            self._check(int(flat.sum()))
        return self._mine(before)

    def _exchange(self, count):
        """Tells the other ranks how many Trues each local block has, and
        learns how many there are before it."""
        cut, plan = self.last_cut, self.plan
        mesh_dim = plan.out_dims.index(cut)
        pieces = plan.mesh.shape[mesh_dim]
        whole = assemble(
            paddle.to_tensor(count.reshape([*count.shape, 1]), place='cpu'),
            [*plan.mask_shape[:cut], pieces],
            plan.mesh,
            self._count_placements(cut),
        )
        whole = reshard(whole, replicated(plan.mesh))
        counts = np.broadcast_to(
            whole._local_value().numpy(), [*self.shape[:cut], pieces]
        )
        flat = counts.reshape(-1)
        self._check(int(flat.sum()))
        before = (np.cumsum(flat) - flat).reshape(counts.shape)
        return self._mine(before[..., self.coordinates[mesh_dim]])

    def _count_placements(self, cut):
        """The dims of the counts are those of the mask up to `cut`."""
        return [
            dist.Shard(self.plan.out_dims[i])
            if p.is_shard() and self.plan.out_dims[i] <= cut
            else dist.Replicate()
            for i, p in enumerate(self.mask_placements)
        ]

    def _bounds(self, dim):
        mesh_dim = self.plan.out_dims.index(dim)
        pieces = self.plan.mesh.shape[mesh_dim]
        return bounds(self.shape[dim], pieces, self.coordinates[mesh_dim])

    def _mine(self, array):
        """Of an array over the leading dims, what belongs to this rank: dims
        of the whole size are cut, others are local already or broadcast."""
        for dim in self.plan.out_dims:
            if dim is None or dim >= array.ndim:
                continue
            low, high = self._bounds(dim)
            if array.shape[dim] == self.shape[dim]:
                array = array.take(range(low, high), axis=dim)
        return array

    def _check(self, total):
        size = int(np.prod(self.plan.value_shape))
        if total > size:
            raise IndexError(
                f'(masked_scatter) value must have an element for each True '
                f'of the broadcast mask: {total} expected, but value has '
                f'{size}.'
            )


def _as_numpy(mask):
    """The elements of a bool Tensor on the CPU, not copied."""
    if not mask.size:
        return np.zeros(mask.shape, 'bool')
    memory = (ctypes.c_bool * mask.size).from_address(mask.data_ptr())
    return np.frombuffer(memory, dtype='bool').reshape(mask.shape)


# The operators whose calls are planned otherwise than by their SPMD rule.
PLANS = {'masked_scatter': MaskedScatterPlan}
