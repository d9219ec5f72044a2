"""What masked_scatter sends and allocates on a sharded x of 128 MiB. Run on two
ranks by test_distributed_ranks.py."""

import unittest

import numpy as np
from distributed_utils import shard

import paddle
import paddle.distributed as dist
from paddle.base import core
from paddle.distributed import Replicate, Shard

ROWS, COLUMNS = 8192, 4096
MIB = 2**20


def make():
    """x, mask and a replicated value; every other element is masked."""
    mask = (np.arange(COLUMNS) % 2 == 0) & np.ones([ROWS, 1], 'bool')
    size = ROWS * COLUMNS // 2
    return (
        shard(np.zeros([ROWS, COLUMNS], 'float32'), Shard(0)),
        shard(mask, Shard(0)),
        shard(np.ones([size], 'float32'), Replicate()),
    )


class Sent:
    """Counts the bytes that this rank gives to dist.reshard."""

    def __enter__(self):
        self.bytes, self.reshard = 0, dist.reshard
        dist.reshard = self.count
        return self

    def count(self, tensor, *args):
        local = tensor._local_value()
        self.bytes += local.size * local.element_size()
        return self.reshard(tensor, *args)

    def __exit__(self, *error):
        dist.reshard = self.reshard


class TestCosts(unittest.TestCase):
    def test_forward(self):
        tensors = make()
        paddle.masked_scatter(*tensors)  # what happens once only
        core.host_memory_stat_reset_peak_value('Allocated', 0)
        before = core.host_memory_stat_current_value('Allocated', 0)
        with Sent() as sent:
            out = paddle.masked_scatter(*tensors)
        peak = core.host_memory_stat_peak_value('Allocated', 0)
        self.assertEqual(sent.bytes, 8)
        out_bytes = out._local_value().size * out.element_size()
        print(
            f'{dist.get_world_size()} ranks: sent {sent.bytes} bytes, held '
            f'{before / MIB:.2f} MiB, result {out_bytes / MIB:.2f} MiB, '
            f'peak {peak / MIB:.2f} MiB'
        )
        self.assertLess(peak - before - out_bytes, MIB)

    def test_a_mask_that_is_broadcast(self):
        x, _, value = make()
        row = paddle.arange(COLUMNS) % 2 == 0
        with Sent() as sent:
            paddle.masked_scatter(x, row, value)
        self.assertEqual(sent.bytes, 8)

    def test_masked_fill_sends_nothing(self):
        x, mask, _ = make()
        with Sent() as sent:
            out = paddle.masked_fill(x, mask, 2.0)
        self.assertEqual(sent.bytes, 0)
        self.assertEqual(list(out.placements), [Shard(0)])

    def test_backward(self):
        x, mask, value = make()
        x.stop_gradient = value.stop_gradient = False
        out = paddle.masked_scatter(x, mask, value)
        with Sent() as sent:
            out.backward(paddle.ones_like(out))
        # the sum of value's gradient over the ranks, and nothing of x
        self.assertEqual(sent.bytes, value.size * value.element_size())
