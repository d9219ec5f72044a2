"""Show on this machine what the build has changed.

Everything printed is computed when it is printed; the released Paddle's own Python
function is the comparison. Fails where the operators are not there or differ from
torch.
"""

import importlib.util
import os
import statistics
import sys
import textwrap
import timeit
import warnings
from importlib import metadata

import numpy as np
import torch

# Paddle warns at import when there is no ccache, which says nothing here.
warnings.filterwarnings('ignore', message='No ccache found')

import paddle  # noqa: E402
from paddle import _native_lib  # noqa: E402, F401

WIDTH = 76
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


def outcome(function, arguments):
    """What a call gives: its result, or what its error says first."""
    try:
        return str(function(*arguments).numpy())
    except Exception as error:
        # Paddle's own errors open with a traceback of C++.
        said = str(error).rpartition('Error: ')[2].strip().split('\n')[0]
        return f'{type(error).__name__}: {said.split(". ")[0]}'


def show_fixed(released):
    print('\n-- released Paddle, and now '.ljust(WIDTH, '-'))
    x, mask = paddle.zeros([3], 'int8'), paddle.to_tensor([True, True, False])
    value = paddle.to_tensor([7, 8], 'int8')
    rows = (paddle.zeros([2, 2]), paddle.ones([2]), 0, 5)
    for title, arguments in (
        ('masked_scatter of int8', (x, mask, value)),
        ('select_scatter into row 5 of 2', rows),
    ):
        print(f'{title}:')
        for label, module in (('released', released), ('now', paddle)):
            found = outcome(getattr(module, title.split()[0]), arguments)
            text = f'  {label:<9} {found}'
            print(textwrap.fill(text, WIDTH, subsequent_indent=12 * ' '))


def show_speed(released):
    threads = min(2, len(os.sched_getaffinity(0)))
    paddle.base.core.set_num_threads(threads)
    torch.set_num_threads(threads)
    title = (
        f'speed: {SIZE}x{SIZE} float32, half the mask True, {threads} threads'
    )
    print(f'\n-- {title} '.ljust(WIDTH, '-'))
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
    paddle.set_device('cpu')
    show_fixed(released_functions())
    show_speed(released_functions())
