"""masked_scatter on the local parts of x and mask.

The element of value for a True element depends on the number of True elements
before it, so the ranks exchange counts, but no elements.
Installed as paddle._native_dist_masked.
"""

import math
import zlib
from collections import defaultdict

import numpy as np

import paddle
from paddle._native_dist_layout import assemble, replicated, reshard
from paddle._native_dist_plans import Plan, infer_layout, linear

# A message has the count in its low bits and a tag of the call above it.
COUNT_BITS = 48


class MaskedScatterPlan(Plan):
    """Every dim of x and mask may be sharded; value is replicated.

    The local part is cut into groups, each contiguous in the whole Tensor: one
    per index of the dims before the last sharded one.
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
        # Per group, the number of True elements before it and in it.
        self.first = self._before(counts).reshape([-1])
        self.count = counts.reshape([-1])
        return [x, mask, linear(self.op.name, value, self._take, self._put)]

    def _before(self, counts):
        """Return the number of True elements of all ranks before each local group,
        by one all-gather of `counts`."""
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
        tags, counts = gathered >> COUNT_BITS, gathered % (1 << COUNT_BITS)
        self._check(tags, int(counts.sum()))
        flat = counts.reshape([-1])
        before = (np.cumsum(flat) - flat).reshape(counts.shape)
        whole = assemble(
            paddle.to_tensor(before, place='cpu'),
            before.shape,
            mesh,
            replicated(mesh),
        )
        return reshard(whole, self.out_placements)._local_value().numpy()

    def _check(self, tags, total):
        """Raise on all ranks or none, so that no rank waits for another."""
        if (tags != self.tag).any():
            raise RuntimeError(
                '(masked_scatter) The shapes of x, mask and value should be the '
                'same on all ranks.'
            )
        size = math.prod(self.value_shape)
        if total > size:
            raise IndexError(
                f'(masked_scatter) The number of elements of value should be '
                f'at least the number of True elements of the broadcast mask, '
                f'{total}, but received {size}.'
            )

    def _selection(self, flat):
        """Return the indices into the flattened value of the local True elements."""
        if self.first.size == 1:
            first = int(self.first[0])
            return slice(first, first + int(self.count[0]))
        before = np.cumsum(self.count) - self.count
        each = np.repeat(self.first - before, self.count)
        return paddle.to_tensor(each + np.arange(each.size), place=flat.place)

    def _take(self, value):
        """Gather the elements of value for the local True elements."""
        flat = value.reshape([-1])
        selection = self._selection(flat)
        whole = isinstance(selection, slice)
        return flat[selection] if whole else paddle.gather(flat, selection)

    def _put(self, picked):
        """Transpose of _take: scatter `picked` into zeros of the shape of value."""
        flat = paddle.zeros([math.prod(self.value_shape)], picked.dtype)
        selection = self._selection(flat)
        if isinstance(selection, slice):
            flat[selection] = picked
        else:
            paddle.scatter_(flat, selection, picked)
        return flat.reshape(self.value_shape)


def _counts(x, mask, last):
    """Count the local True elements per index of the dims before `last`."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    own = [1] * (len(shape) - mask.ndim) + list(mask.shape)
    size, times = math.prod(own[last:]), math.prod(shape[last:])
    # Zero-copy; older releases of numpy reject bool.
    elements = np.from_dlpack(mask.detach().view('uint8')).view('bool')
    groups = elements.reshape([*own[:last], size])
    # axis=None is faster for a single group.
    counts = np.count_nonzero(groups, axis=-1 if last else None)
    return np.broadcast_to(counts * (times // max(size, 1)), shape[:last])


# {operator: its plan}
PLANS = defaultdict(lambda: Plan, masked_scatter=MaskedScatterPlan)
