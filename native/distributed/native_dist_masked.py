"""masked_scatter on the parts of x and mask.

Which element of value a True takes depends on the number of Trues before it.
So the ranks tell each other how many they have, never what they have.
Installed as paddle._native_dist_masked.
"""

import math
import zlib

import numpy as np

import paddle
from paddle._native_dist_layout import assemble, replicated, reshard
from paddle._native_dist_plans import Plan, infer_layout, linear

# A number that is sent: the count below, above it what tells the call.
COUNT_BITS = 48


class MaskedScatterPlan(Plan):
    """Every dim of x and mask may be sharded; value is replicated.

    The local part is cut into groups that follow each other in the whole: one
    for each index of the dims before the last one that is sharded.
    """

    def lay_out(self, tensors):
        x, mask, value = tensors
        # x and mask are broadcast to each other, as in masked_fill.
        inputs, self.out_placements = infer_layout(
            'masked_fill', [x, mask, mask]
        )
        self.input_placements = [*inputs[:2], replicated(self.mesh)]
        self.value_shape = list(value.shape)
        sharded = [p.get_dim() for p in self.out_placements if p.is_shard()]
        self.last = max(sharded, default=0)
        shapes = [self.mesh.process_ids, x.shape, mask.shape, value.shape]
        self.tag = zlib.crc32(repr(shapes).encode()) >> (COUNT_BITS - 31)

    def parts(self, tensors):
        x, mask, value = super().parts(tensors)
        counts = _counts(x, mask, self.last)
        # How many Trues are before each group, and how many it has.
        self.first = self._before(counts).reshape([-1])
        self.count = counts.reshape([-1])
        return [x, mask, linear(self.op.name, value, self._take, self._put)]

    def _before(self, counts):
        """Of the counts of the local groups, those of all ranks before each:
        the one exchange."""
        last, mesh = self.last, self.mesh
        pieces = math.prod(
            size
            for size, p in zip(mesh.shape, self.out_placements)
            if p.is_shard() and p.get_dim() == last
        )
        sent = (self.tag << COUNT_BITS) + counts
        sent = assemble(
            paddle.to_tensor(sent.reshape([*sent.shape, 1]), place='cpu'),
            [*self.out_shape[:last], pieces],
            mesh,
            self.out_placements,
        )
        gathered = reshard(sent, replicated(mesh))._local_value().numpy()
        tags, found = gathered >> COUNT_BITS, gathered % (1 << COUNT_BITS)
        self._check(tags, int(found.sum()))
        flat = found.reshape([-1])
        before = (np.cumsum(flat) - flat).reshape(found.shape)
        whole = assemble(
            paddle.to_tensor(before, place='cpu'),
            before.shape,
            mesh,
            replicated(mesh),
        )
        return reshard(whole, self.out_placements)._local_value().numpy()

    def _check(self, tags, total):
        """The same on every rank, so that none is left waiting."""
        if (tags != self.tag).any():
            raise RuntimeError(
                '(masked_scatter) the ranks do not make the same call: x, mask '
                'and value must have the same shapes on all of them.'
            )
        size = math.prod(self.value_shape)
        if total > size:
            raise IndexError(
                f'(masked_scatter) The number of elements of value should be '
                f'at least the number of True elements of the broadcast mask, '
                f'{total}, but received {size}.'
            )

    def _taken(self, flat):
        """Which elements of the flattened value the local Trues take."""
        if self.first.size == 1:
            first = int(self.first[0])
            return slice(first, first + int(self.count[0]))
        before = np.cumsum(self.count) - self.count
        each = np.repeat(self.first - before, self.count)
        return paddle.to_tensor(each + np.arange(each.size), place=flat.place)

    def _take(self, value):
        """What the local Trues take."""
        flat = value.reshape([-1])
        taken = self._taken(flat)
        whole = isinstance(taken, slice)
        return flat[taken] if whole else paddle.gather(flat, taken)

    def _put(self, picked):
        """The same, where it stands in the value."""
        flat = paddle.zeros([math.prod(self.value_shape)], picked.dtype)
        taken = self._taken(flat)
        if isinstance(taken, slice):
            flat[taken] = picked
        else:
            paddle.scatter_(flat, taken, picked)
        return flat.reshape(self.value_shape)


def _counts(x, mask, last):
    """The Trues behind each index of the dims before `last`, of the parts."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    own = [1] * (len(shape) - mask.ndim) + list(mask.shape)
    size, times = math.prod(own[last:]), math.prod(shape[last:])
    # Not copied; older numpys don't take bool.
    elements = np.from_dlpack(mask.detach().view('uint8')).view('bool')
    groups = elements.reshape([*own[:last], size])
    # Not along the axis where there is one group: that is ten times slower.
    found = np.count_nonzero(groups, axis=-1 if last else None)
    return np.broadcast_to(found * (times // max(size, 1)), shape[:last])


# The operators whose calls are planned otherwise than by their SPMD rule.
PLANS = {'masked_scatter': MaskedScatterPlan}
