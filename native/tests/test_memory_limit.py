"""Processes that run out of memory, that fork, and that end with Tensors alive.

Each function whose name begins with in_ runs in a process of its own, which prints
what the test expects.
"""

import builtins
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from test_memory import FLAG, kept, set_limit, tensor, usage

import paddle

HERE = Path(__file__).parent


def printed(function, *arguments, **environment):
    """What a function prints in a process, as words."""
    call = f'{function.__name__}{arguments}'
    done = subprocess.run(
        [sys.executable, '-c', f'import test_memory_limit as t\nt.{call}'],
        env={**os.environ, 'PYTHONPATH': str(HERE)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


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


# ---- the allocator


def in_small_memory():
    idle = [tensor(50) for _ in range(4)]
    del idle
    x = limited(20, lambda: paddle.empty([150, 1 << 18]))
    print(*kept())
    del x
    try:
        limited(20, lambda: paddle.empty([250, 1 << 18]))
    except MemoryError as error:
        print(str(250 << 20) in str(error), *kept())
    tensor(200)  # small Tensors are tried again too
    small = limited(2, lambda: [paddle.empty([1 << 16]) for _ in range(400)])
    print(len(small), *kept())


def test_idle_memory_goes_back_before_an_error():
    expected = '150 0 0 True 0 0 0 400 0 0 0'
    assert printed(in_small_memory) == expected.split()


def in_another_environment():
    x = tensor(4)
    print(usage('limit'), *kept())
    del x


def test_flags_are_read_from_the_environment():
    found = printed(in_another_environment, **{FLAG: '33'})
    assert found == ['33', '4', '0', '0']
    found = printed(in_another_environment, FLAGS_use_system_allocator='1')
    assert found[1:] == ['0', '0', '0']


def in_a_forking_process():
    """Another thread has the allocator ask the system all the time. Its first
    call, as any first call of Paddle, takes locks of another kind."""
    started, done = threading.Event(), threading.Event()

    def work():
        while not done.is_set():
            paddle.empty([64, 1 << 18])
            started.set()

    set_limit(1)
    paddle.empty([64, 1 << 18])
    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    for _ in range(200):
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)  # ends one that hangs
            paddle.empty([64, 1 << 18])
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            print('hung')
            break
    done.set()
    thread.join()


def test_a_fork_while_another_thread_allocates():
    assert printed(in_a_forking_process) == []


def in_an_ending_process():
    builtins.kept = [tensor(5) for _ in range(4)]  # freed at its end
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tensor(5)))  # never
    for i in range(4):  # after it
        var = paddle.static.global_scope().var(str(i)).get_tensor()
        var.set(np.zeros([5, 1 << 18], 'float32'), paddle.CPUPlace())
    print(usage('in_use'))


def test_tensors_outlive_the_interpreter():
    assert printed(in_an_ending_process, **{FLAG: '2'}) == ['45']


# ---- kernels. The address space is limited once the operands are there: to what
# the outputs need, but not what the kernel needs besides.


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


def in_limited_memory(name, idle):
    make, room, total, _ = KERNELS[name]
    # starts the threads, which take addresses of their own
    paddle.scatter(
        paddle.ones([1 << 20]), paddle.to_tensor([0]), paddle.ones([1])
    )
    call = make()
    tensor(128)
    if not idle:
        paddle.device.empty_cache()
    try:
        print(limited(room, call).sum().item() == total)
    except MemoryError as error:
        print(str(error).partition(' There')[0].split()[-1])
        print(call().sum().item() == total)


@pytest.mark.parametrize('threads', ['1', '2'])
@pytest.mark.parametrize('name', KERNELS)
def test_missing_memory_is_an_error_of_the_call(name, threads):
    found = printed(in_limited_memory, name, False, OMP_NUM_THREADS=threads)
    op = KERNELS[name][-1]
    assert found == ([f'({op})', 'True'] if op else ['True'])


@pytest.mark.parametrize('name', KERNELS)
def test_idle_memory_makes_room(name):
    assert printed(in_limited_memory, name, True) == ['True']
