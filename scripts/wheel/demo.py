"""Show the build; check and time masked_scatter, of PyTorch too if installed."""

import os
import statistics
import sys
import timeit

import numpy as np
import paddle_scatter_info

paddle_scatter_info.main()  # explains why Paddle cannot be imported

import paddle  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

SIZE, REPEATS = 4096, 3
THREADS = min(2, len(os.sched_getaffinity(0)))

paddle.set_device('cpu')
paddle.base.core.set_num_threads(THREADS)
rng = np.random.default_rng(0)
x, half, value = (rng.random((SIZE, SIZE), 'float32') for _ in range(3))
mask = half < 0.5
arrays = (x, mask, value)
tensors = [paddle.to_tensor(array) for array in arrays]
calls = {'paddle.masked_scatter': lambda: paddle.masked_scatter(*tensors)}
if torch:
    torch.set_num_threads(THREADS)
    torch_tensors = [torch.from_numpy(array) for array in arrays]
    label = f'torch {torch.__version__}'
    calls[label] = lambda: torch.masked_scatter(*torch_tensors)
expected = x.copy()
expected[mask] = value.flatten()[: mask.sum()]
print(f'\n{SIZE}x{SIZE} float32, half the mask True, {THREADS} threads:')
for label, call in calls.items():
    if not np.array_equal(call().numpy(), expected):
        sys.exit(f'demo: {label} returned a wrong result.')
    seconds = timeit.repeat(call, number=1, repeat=REPEATS)
    print(f'  {label:<24}{1e3 * statistics.median(seconds):9.1f} ms')
print(f'  (correct results; median of {REPEATS} calls)')
