"""Inject a fault in rank 1 while rank 0 exchanges counts.
test_distributed_ranks.py runs it on two ranks."""

import os
import signal
import sys
import time

import numpy as np
from distributed_utils import MESH, floats, mask_of, shard

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard


def call(mask=None, values=8, mesh=MESH):
    x = shard(floats(4, 2), Shard(0))
    mask = shard(mask_of(4, 2) if mask is None else mask, Shard(0), mesh=mesh)
    return paddle.masked_scatter(x, mask, shard(floats(values), Replicate()))


FAULTS = {
    'killed': lambda: os.kill(os.getpid(), signal.SIGKILL),
    'other mesh': lambda: call(mesh=dist.ProcessMesh([1, 0], dim_names=['x'])),
    'other shape': lambda: call(mask=np.zeros([3, 2], 'bool')),
    'too few values': lambda: call(values=2),
}

paddle.set_device('cpu')
dist.init_parallel_env()
call()
print('fails at', time.time(), flush=True)
if dist.get_rank() == 1:
    FAULTS[sys.argv[1]]()
call()
print('call succeeded', flush=True)
