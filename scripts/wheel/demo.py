"""Show on this machine how fast masked_scatter is now.

Everything printed is computed when it is printed; the released Paddle's own Python
function and torch are the comparison. Fails where the result differs from torch.
"""

import importlib.util
import os
import statistics
import sys
import timeit
import warnings
from importlib import metadata

import numpy as np
import torch

# Paddle warns at import when there is no ccache, which says nothing here.
warnings.filterwarnings('ignore', message='No ccache found')

import paddle  # noqa: E402

SIZE = 4096
TURNS = 3


def released_functions():
    """The module of tensor functions as the wheel shipped it."""
    wheel = metadata.distribution('paddlepaddle')
    path = wheel.locate_file('paddle/tensor/manipulation.py')
    name = 'paddle.tensor.released_manipulation'
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    paddle.set_device('cpu')
    released = released_functions()
    threads = min(2, len(os.sched_getaffinity(0)))
    paddle.base.core.set_num_threads(threads)
    torch.set_num_threads(threads)
    print(f'\n{SIZE}x{SIZE} float32, half the mask True, {threads} threads:')
    rng = np.random.default_rng(0)
    x, half, value = (rng.random((SIZE, SIZE), 'float32') for _ in range(3))
    ours = [paddle.to_tensor(a) for a in (x, half < 0.5, value)]
    theirs = [torch.from_numpy(a) for a in (x, half < 0.5, value)]
    calls = {
        'paddle.masked_scatter now': lambda: paddle.masked_scatter(*ours),
        f'torch {torch.__version__}': lambda: torch.masked_scatter(*theirs),
        'function of the release': lambda: released.masked_scatter(*ours),
    }
    now, other, _ = calls.values()
    if not np.array_equal(now().numpy(), other().numpy()):
        sys.exit('demo: the result differs from that of torch.')
    fastest = None
    for label, call in calls.items():
        _, *seconds = timeit.repeat(call, number=1, repeat=1 + TURNS)
        ms = 1e3 * statistics.median(seconds)
        fastest = fastest or ms
        ratio = f'{ms / fastest:7.1f} times as long' if ms > fastest else ''
        print(f'  {label:<28}{ms:9.1f} ms {ratio}'.rstrip())
    print(f'  (same result as torch; median of {TURNS} turns)')
    print('  (that of the release is slower in a Paddle without this memory)')


if __name__ == '__main__':
    main()
