"""Prepare and time a case in the process of one side."""

import ctypes
import gc
import importlib
import os
import sys
from contextlib import suppress
from statistics import median
from timeit import Timer

from bench.run import inputs
from bench.run.cases import BACKWARD, IN_PLACE

CANDIDATE_SECONDS = 0.02
# The clock is too coarse for shorter samples.
SAMPLE_SECONDS = 1e-3
MAX_SAMPLES = 30
LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
# Larger blocks than glibc's highest mmap threshold are mapped afresh.
LARGE_BLOCK = ctypes.c_size_t(33 << 20)
# Free blocks of the heap that previous cases left, never accessed.
OCCUPIED = []
# The side's module and the prepared Call of this process.
SIDE = CALL = None


def measure_seconds(timer, budget):
    """Return the median seconds per call, in about `budget` seconds."""
    timer.timeit(1)  # warm-up
    once = max(timer.timeit(1), 1e-6)
    calls = max(1, int(SAMPLE_SECONDS / once))
    samples = max(1, min(MAX_SAMPLES, int(budget / (once * calls))))
    return median(timer.repeat(samples, calls)) / calls


def count_bytes(*tensors):
    """Return the size of the elements of Paddle's or PyTorch's tensors."""
    return sum(int(t.numel()) * t.element_size() for t in tensors)


class Call:
    """A case with its tensors, ready to be timed."""

    def __init__(self, side, case):
        self.side, self.case = side, case
        self.tensors = {}
        for name, array in inputs.build_arrays(case).items():
            tensor = side.load(array)
            if array.dtype == 'float32' and case.dtype == 'bfloat16':
                tensor = tensor.bfloat16()
            self.tensors[name] = tensor
        names = ('x', 'value', 'updates') if case.mode == BACKWARD else ()
        self.leaves = [self.tensors[n] for n in self.tensors if n in names]
        for leaf in self.leaves:
            leaf.requires_grad_(True)
        self.candidates = side.make_candidates(case, self.tensors)
        self.select_fastest()

    def select_fastest(self):
        """Select the fastest candidate that PyTorch has for the dtype."""
        seconds = {}
        for name, function in self.candidates.items():
            self.function = function
            with suppress(RuntimeError, TypeError):
                seconds[name] = self.time(CANDIDATE_SECONDS)
        self.name = min(seconds, key=seconds.get)
        self.function = self.candidates[self.name]

    def __call__(self, x):
        """Return the result for x, and the gradients of the leaves."""
        out = self.function(x)
        if not self.leaves:
            return (out,)
        out_grad = self.tensors['out_grad']
        return out, *self.side.compute_grads(out, self.leaves, out_grad)

    def compute_outputs(self):
        """Return the results of one call; x is unchanged."""
        x = self.tensors['x']
        return self(x.clone() if self.case.mode == IN_PLACE else x)

    def time(self, budget):
        """Return the seconds per call, measured for about `budget` seconds."""
        x = self.tensors['x']
        x = x.clone() if self.case.mode == IN_PLACE else x
        call = self if self.leaves else self.function
        return measure_seconds(Timer(lambda: call(x)), budget)


def is_mapped(block):
    """Return whether glibc mapped a block: a flag in its size, before it."""
    return ctypes.c_size_t.from_address(block - 8).value & 2


def occupy_large_blocks():
    """Allocate the heap's free blocks that could serve large outputs.

    Otherwise, whether outputs above 32 MiB are on fresh pages depends on the
    cases before and differs between the sides. If glibc maps nothing, blocks
    are to be reused.
    """
    if 'MALLOC_MMAP_THRESHOLD_' in os.environ:
        return
    while not is_mapped(block := LIBC.malloc(LARGE_BLOCK)):
        OCCUPIED.append(block)
    LIBC.free(ctypes.c_void_p(block))


def prepare(case):
    """Load a case, select its call, and run it once."""
    global CALL
    CALL = None  # frees memory for the next case
    gc.collect()
    LIBC.malloc_trim(0)
    occupy_large_blocks()
    CALL = Call(SIDE, case)
    outputs = CALL.compute_outputs()
    SIDE.stop_spinning()
    return {
        # numpy has no bfloat16
        'outputs': [out.float().detach().numpy() for out in outputs],
        'call': CALL.name,
        'bytes_read': count_bytes(*CALL.tensors.values()),
        'bytes_written': count_bytes(*outputs),
    }


def time_call(budget):
    """Return the seconds per call of the prepared case."""
    seconds = CALL.time(budget)
    SIDE.stop_spinning()
    return seconds


def start(name, threads, folder):
    """Initialize the process of a side, which imports from `folder` first."""
    global SIDE
    sys.path[:0] = [folder] if folder else []
    # The libraries read these variables when they are loaded.
    os.environ.update(OMP_NUM_THREADS=str(threads), GLOG_minloglevel='3')
    module = 'torch' if name == 'torch' else 'paddle'
    SIDE = importlib.import_module(f'bench.run.{module}_side')
    SIDE.setup(threads)
    gc.freeze()  # gc.collect() in prepare() need not visit the modules
    # Freeing a block raises glibc's mmap threshold, up to 32 MiB. Otherwise,
    # whether smaller outputs are on fresh pages depends on the order of cases.
    LIBC.free(ctypes.c_void_p(LIBC.malloc(ctypes.c_size_t(31 << 20))))
