"""One side in a process of its own: prepares a case, checks it, times it."""

import ctypes
import faulthandler
import gc
import importlib
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from timeit import Timer, timeit

from bench.run import inputs
from bench.run.cases import BACKWARD

WAY_SECONDS = 0.02
# A sample shorter than this says more about the clock than about the call.
SAMPLE_SECONDS = 1e-3
MAX_INNER = 2000
MIN_SAMPLES = 5
MAX_SAMPLES = 30
# What renewing big arguments may add to a turn, as a multiple of its budget.
RENEWING = 8
LIBC = ctypes.CDLL(None)
TIMEOUT = 300
# Of this process, once it is that of a side: its module, and what is prepared.
SIDE = PROGRAM = None


class SideError(Exception):
    """The case does not work there: an error, or the end of the process."""


def turn(sample, budget):
    """Median seconds per call, measured within about `budget`.

    `sample(count)` gives those of `count` calls that follow each other at once.
    """
    first = sample(1)  # warms up
    if first > budget:
        return first
    quick = max(min(first, sample(1)), 1e-9)
    inner = max(1, min(MAX_INNER, int(SAMPLE_SECONDS / quick)))
    count = max(1, min(MAX_SAMPLES, int(budget / (quick * inner))))
    taken, deadline = [], time.perf_counter() + RENEWING * budget
    while len(taken) < count:
        taken.append(sample(inner))
        if len(taken) >= MIN_SAMPLES and time.perf_counter() > deadline:
            break
    return median(taken)


def data_bytes(*tensors):
    """Bytes of the elements of tensors of paddle or torch."""
    return sum(int(t.numel()) * t.element_size() for t in tensors)


class Program:
    """A prepared case: its tensors, and the call to be timed."""

    def __init__(self, side, case):
        self.side, self.case = side, case
        self.tensors = {}
        for name, array in inputs.build(case).items():
            tensor = side.load(array)
            # numpy has no bfloat16
            rounded = case.dtype == 'bfloat16' and name not in inputs.OWN_DTYPE
            self.tensors[name] = tensor.bfloat16() if rounded else tensor
        names = inputs.leaves(case, self.tensors)
        self.leaves = [self.tensors[name] for name in names]
        for leaf in self.leaves:
            leaf.requires_grad_(True)
        self.ways = side.ways(case, self.tensors)
        self.function, self.way = next(iter(self.ways.values())), {}
        self.choose()

    def in_place(self):
        """A sample of calls in place, each of a copy of x.

        Copies are made once a turn and renewed for each sample. Were they made
        for each, giving back and clearing their pages would go on beside the
        calls, and a call that touches little would be lost in it. The first call
        finds the threads asleep and the code out of the caches: not counted.
        """
        x, kept = self.tensors['x'], []

        def sample(count):
            for copy in kept[: count + 1]:
                # one way for every side leaves the same in the caches
                ctypes.memmove(copy.data_ptr(), x.data_ptr(), data_bytes(x))
            kept.extend(x.clone() for _ in range(count + 1 - len(kept)))
            self.function(kept[0])
            names = {'call': self.function, 'others': kept[1 : count + 1]}
            calls = 'for one in others: call(one)'
            return timeit(calls, globals=names, number=1) / count

        return sample

    def call(self, x):
        """The result for x, and the gradients of the leaves."""
        out = self.function(x)
        given = self.tensors.get(inputs.GIVEN.get(self.case.mode))
        if self.case.mode == 'grad':
            return out, *self.side.gradients(out, self.leaves, given)
        for leaf in self.leaves:
            leaf.grad = None  # backward() would add to it
        loss = out if given is None else out * given
        loss.sum().backward()
        return out, *(leaf.grad for leaf in self.leaves)

    def outputs(self):
        """The results of one call, as tensors."""
        x = self.tensors['x']
        if self.case.mode in BACKWARD:
            return self.call(x)
        if self.case.mode != 'inplace':
            return (self.function(x),)
        x = x.clone()
        self.function(x)
        return (x,)

    def choose(self):
        """Go on with the fastest way, if there are several.

        A rival is only as good as the way that it is called. One that raises, as
        torch's do for some dtypes, is none; if all do, the first's error is that
        of all. The runner compares the results of the one that is left.
        """
        if len(self.ways) == 1:
            return
        error, tried = None, {}
        for name, way in self.ways.items():
            self.function = way
            try:
                tried[name] = self.turn(WAY_SECONDS) * 1e3
            except (RuntimeError, TypeError) as raised:
                error = error or raised
        if not tried:
            raise error
        fastest = min(tried, key=tried.get)
        self.function = self.ways[fastest]
        self.way = {'way': fastest, 'ways': tried}

    def turn(self, budget):
        """Seconds per call."""
        if self.case.mode == 'inplace':
            return turn(self.in_place(), budget)
        x = self.tensors['x']
        call = self.call if self.case.mode in BACKWARD else self.function
        timer = Timer(lambda: call(x))  # drops each result at once
        return turn(lambda count: timer.timeit(count) / count, budget)


def prepare(case):
    """Load a case and run it once; what the runner has to know of it."""
    global PROGRAM
    PROGRAM = None  # before the next one takes memory
    trim()
    PROGRAM = Program(SIDE, case)
    outputs = PROGRAM.outputs()
    half = case.dtype == 'bfloat16'  # numpy has none
    plain = [out.float() if half else out for out in outputs]
    return {
        'outputs': [out.detach().numpy() for out in plain],
        # the way that is timed and what was tried, if it has several
        'way': PROGRAM.way,
        'read': data_bytes(*PROGRAM.tensors.values()),
        'written': data_bytes(*outputs),
    }


def seconds(budget):
    """One turn: seconds per call."""
    return PROGRAM.turn(budget)


def peak(case):
    """Peak memory of one call beyond its inputs and outputs, in bytes."""
    # the code and the threads' stacks are no memory of the call
    shape = tuple(min(size, 512) for size in case.shape)
    Program(SIDE, replace(case, shape=shape)).outputs()
    program = Program(SIDE, case)
    trim()
    Path('/proc/self/clear_refs').write_text('5')  # the peak is now the use
    before = most_used()
    outputs = program.outputs()
    # of an in-place call the clone of x is the output
    return max(0, most_used() - before - data_bytes(*outputs))


def most_used():
    """Peak memory in bytes: getrusage would count the parent's at the start."""
    status = Path('/proc/self/status').read_text()
    return int(re.search(r'VmHWM:\s+(\d+)', status)[1]) * 1024


def settle_malloc():
    """Bring malloc to where every process gets that frees large blocks.

    glibc learns from the blocks that are freed, up to 32 MiB, which ones to
    keep. Until it has, the order of the cases decides whether an output of
    some MiB is made of new pages in each call: up to 20 times the time.
    """
    LIBC.malloc.restype = ctypes.c_void_p
    size = ctypes.c_size_t((32 << 20) - (64 << 10))
    LIBC.free(ctypes.c_void_p(LIBC.malloc(size)))


def trim():
    """Hand freed memory back to the system."""
    gc.collect()
    LIBC.malloc_trim(0)


def start(name, threads, folder, log):
    """Make this process that of a side, which imports from `folder` first."""
    global SIDE
    with open(log, 'ab') as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    faulthandler.enable()
    sys.path[:0] = [str(folder)] if folder else []
    # read when the libraries are loaded
    os.environ.update(OMP_NUM_THREADS=str(threads), GLOG_minloglevel='2')
    module = name if name in ('torch', 'operator') else 'paddle'
    SIDE = importlib.import_module(f'bench.run.{module}_side')
    SIDE.setup(threads)
    settle_malloc()


def answer(function, *arguments):
    """What a function returns; a process that hangs is ended."""
    faulthandler.dump_traceback_later(TIMEOUT, exit=True)
    try:
        return function(*arguments)
    except Exception as error:
        last = str(error).strip().rpartition('\n')[2]
        said = f'{type(error).__name__}: {last[:300]}'
        raise SideError(said) from None
    finally:
        faulthandler.cancel_dump_traceback_later()
        SIDE.quiet()  # the next side may be timed now
