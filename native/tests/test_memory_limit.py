"""CPU kernels that run out of memory, in threads too.

Each call is made in a process of its own, whose address space is limited once
the operands are there: to what the outputs need, but not what the kernel needs
besides.
"""

import os
import subprocess
import sys

import pytest

# `limited(room, call)` is call() with `room` MiB of addresses left. `attempt`
# makes a call with too few of them, then again with enough.
PRELUDE = """
import resource
from pathlib import Path

import paddle

def limited(room, call):
    pages = int(Path('/proc/self/statm').read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), before[1]))
    try:
        return call()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)

def attempt(room, call):
    try:
        limited(room, call)
    except MemoryError as error:
        print(str(error).partition(' There')[0].split()[-1])
    return call()

def reduce_ones(x, updates, dtype, axis):
    index = paddle.zeros([updates[axis]], 'int64')
    arrays = [paddle.ones(shape).astype(dtype) for shape in (x, updates)]
    for array in arrays:
        array.stop_gradient = False
    return arrays, lambda: paddle.scatter(
        arrays[0], index, arrays[1], overwrite=False, axis=axis, reduce='mul'
    )

# Starts the threads, which take addresses of their own.
paddle.scatter(paddle.ones([1 << 20]), paddle.to_tensor([0]), paddle.ones([1]))
"""

# A packed copy of eight rows of updates takes 51 MB a thread.
PANELS = """
_, call = reduce_ones([16, 2], [16, 400_000], 'complex128', 1)
with paddle.no_grad():
    print(attempt(20, call).sum().item() == 32)
"""

# As much for the updates and for their gradients, which are 102 MB.
GRADIENT_PANELS = """
operands, call = reduce_ones([16, 2], [16, 400_000], 'complex128', 1)
out = call()
x_grad, _ = attempt(130, lambda: paddle.grad(out, operands, retain_graph=True))
print(x_grad.sum().item() == 16)
"""

# Sums in float64 take 32 MB a thread; the gradient is 32 MB, and Paddle's copy
# of the one that it is given 64 MB.
MASKED_SUMS = """
x = paddle.ones([2, 1, 4_000_000])
x.stop_gradient = False
mask = paddle.zeros([2, 2, 4_000_000], 'bool')
out = paddle.masked_fill(x, mask, 0.0)
ones = paddle.ones_like(out)
(grad,) = attempt(
    110, lambda: paddle.grad([out], [x], [ones], retain_graph=True)
)
print(grad.min().item() == 2)
"""

# Eight lanes are reduced side by side, but here is one: no packed copies.
ONE_LANE = """
_, call = reduce_ones([2], [1_000_000], 'complex128', 0)
with paddle.no_grad():
    print(limited(60, call).sum().item() == 2)
"""


def run(code, threads):
    done = subprocess.run(
        [sys.executable, '-c', PRELUDE + code],
        env={**os.environ, 'OMP_NUM_THREADS': str(threads)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize(
    ('op', 'code'),
    [
        ('index_reduce', PANELS),
        ('index_reduce', GRADIENT_PANELS),
        ('masked_fill', MASKED_SUMS),
    ],
)
def test_missing_memory_is_an_error_of_the_call(op, code, threads):
    assert run(code, threads) == [f'({op})', 'True']


@pytest.mark.parametrize('threads', [1, 2])
def test_memory_is_taken_only_for_lanes_side_by_side(threads):
    assert run(ONE_LANE, threads) == ['True']
