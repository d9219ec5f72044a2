"""Show on this machine how fast masked_scatter is. Fails where the result differs from
torch, which it is compared with."""

import os
import statistics
import sys
import timeit

import numpy as np
import torch

import paddle

SIZE, TURNS = 4096, 3
THREADS = min(2, len(os.sched_getaffinity(0)))

paddle.set_device('cpu')
paddle.base.core.set_num_threads(THREADS)
torch.set_num_threads(THREADS)
rng = np.random.default_rng(0)
x, half, value = (rng.random((SIZE, SIZE), 'float32') for _ in range(3))
ours = [paddle.to_tensor(array) for array in (x, half < 0.5, value)]
theirs = [torch.from_numpy(array) for array in (x, half < 0.5, value)]
calls = {
    'paddle.masked_scatter': lambda: paddle.masked_scatter(*ours),
    f'torch {torch.__version__}': lambda: torch.masked_scatter(*theirs),
}
if not np.array_equal(*[call().numpy() for call in calls.values()]):
    sys.exit('demo: the result differs from that of torch.')
print(f'\n{SIZE}x{SIZE} float32, half the mask True, {THREADS} threads:')
for label, call in calls.items():
    seconds = timeit.repeat(call, number=1, repeat=TURNS)
    print(f'  {label:<24}{1e3 * statistics.median(seconds):9.1f} ms')
print(f'  (same result; median of {TURNS} turns)')
