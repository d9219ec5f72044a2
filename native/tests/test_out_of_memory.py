"""A kernel whose workspace cannot be allocated raises MemoryError, and the same call
succeeds once there is memory.

Each call runs in a process of its own, whose address space is limited once the
operands exist: to the size of the outputs, without the workspace.
"""

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import paddle

HERE = Path(__file__).parent


def limited(room, call):
    """call() with `room` MiB of addresses left."""
    pages = int(Path('/proc/self/statm').read_text().split()[0])
    used = pages * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), before[1]))
    try:
        return call()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def wanting(*tensors):
    for x in tensors:
        x.stop_gradient = False
    return tensors


def reduced(dtype, reduce, of_gradient=False):
    operands = wanting(paddle.ones([2], dtype), paddle.ones([4_000_000], dtype))
    index = paddle.zeros([4_000_000], 'int64')

    def call():
        return paddle.scatter(
            operands[0], index, operands[1], False, axis=0, reduce=reduce
        )

    if not of_gradient:
        return paddle.no_grad()(call)
    out = call()
    return lambda: paddle.grad(out, operands, retain_graph=True)[0]


def filled_gradient():
    (x,) = wanting(paddle.ones([2, 1, 4_000_000]))
    mask = paddle.zeros([2, 2, 4_000_000], 'bool')
    out = paddle.masked_fill(x, mask, 0.0)
    given = paddle.ones_like(out)
    return lambda: paddle.grad([out], [x], [given], retain_graph=True)[0]


# What makes a call, the MiB of addresses that this is given, the sum of the result,
# and the operator whose memory is missing then.
KERNELS = {
    # the index in groups takes 8 bytes a position, 32 MB
    'groups': (partial(reduced, 'complex64', 'mul'), 20, 2, 'index_reduce'),
    # as much before the gradient of updates, which is 32 MB
    'groups of a gradient': (
        partial(reduced, 'float64', 'mul', True),
        24,
        1,
        'index_reduce',
    ),
    # sums in float64 take 32 MB a thread; the gradient is 32 MB, and Paddle's copy
    # of the one that it is given 64 MB
    'sums': (filled_gradient, 110, 16e6, 'masked_fill'),
    # single elements are reduced where the index lies
    'no groups': (partial(reduced, 'float64', 'mul'), 20, 2, None),
}


def print_outcome(name):
    """Print the operator that the error names, if any, and whether the sum is right."""
    make, room, total, _ = KERNELS[name]
    # starts the threads, which take addresses of their own
    paddle.scatter(
        paddle.ones([1 << 20]), paddle.to_tensor([0]), paddle.ones([1])
    )
    call = make()
    try:
        print(limited(room, call).sum().item() == total)
    except MemoryError as error:
        print(str(error).partition(' There')[0].split()[-1])
        print(call().sum().item() == total)


@pytest.mark.parametrize('threads', ['1', '2'])
@pytest.mark.parametrize('name', KERNELS)
def test_missing_memory_is_an_error_of_the_call(name, threads):
    code = f'import test_out_of_memory as t\nt.print_outcome({name!r})'
    environment = {'PYTHONPATH': str(HERE), 'OMP_NUM_THREADS': threads}
    done = subprocess.run(
        [sys.executable, '-c', code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    op = KERNELS[name][-1]
    assert done.stdout.split() == ([f'({op})', 'True'] if op else ['True'])
