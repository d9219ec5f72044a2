"""Prepares and times a case in the process of one side."""

import ctypes
import gc
import importlib
import os
import sys
from math import inf
from statistics import median
from timeit import Timer

from bench.run import inputs
from bench.run.cases import BACKWARD, IN_PLACE

CANDIDATE_SECONDS = 0.02
# The clock is too coarse for a shorter sample.
SAMPLE_SECONDS = 1e-3
MAX_SAMPLES = 30
LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
# The module and the prepared call of this process.
SIDE = CALL = None


def median_seconds(timer, budget):
    """Median seconds per call of samples that take about `budget` in all."""
    timer.timeit(1)  # warm-up
    once = max(timer.timeit(1), 1e-6)
    calls = max(1, int(SAMPLE_SECONDS / once))
    samples = max(1, min(MAX_SAMPLES, int(budget / (once * calls))))
    return median(timer.repeat(samples, calls)) / calls


def data_bytes(*tensors):
    """Bytes of the elements of tensors of paddle or torch."""
    return sum(int(t.numel()) * t.element_size() for t in tensors)


class Call:
    """A case with its tensors, ready to be timed."""

    def __init__(self, side, case):
        self.side, self.case = side, case
        self.tensors = {}
        for name, array in inputs.build(case).items():
            tensor = side.load(array)
            if array.dtype == 'float32' and case.dtype == 'bfloat16':
                tensor = tensor.bfloat16()
            self.tensors[name] = tensor
        names = ('x', 'value', 'updates') if case.mode == BACKWARD else ()
        self.leaves = [self.tensors[n] for n in self.tensors if n in names]
        for leaf in self.leaves:
            leaf.requires_grad_(True)
        self.candidates = side.candidates(case, self.tensors)
        self.select_fastest()

    def select_fastest(self):
        """Keep the fastest candidate.

        PyTorch has none for some dtypes: one that raises is the slowest.
        """
        seconds = {}
        for name, function in self.candidates.items():
            self.function = function
            try:
                seconds[name] = self.time(CANDIDATE_SECONDS)
            except (RuntimeError, TypeError):
                seconds[name] = inf
        self.name = min(seconds, key=seconds.get)
        self.function = self.candidates[self.name]

    def __call__(self, x):
        """The result for x, and the gradients of the leaves."""
        out = self.function(x)
        if not self.leaves:
            return (out,)
        out_grad = self.tensors['out_grad']
        return out, *self.side.gradients(out, self.leaves, out_grad)

    def outputs(self):
        """The results of one call; x is unchanged."""
        x = self.tensors['x']
        return self(x.clone() if self.case.mode == IN_PLACE else x)

    def time(self, budget):
        """Seconds per call, measured in about `budget` seconds."""
        x = self.tensors['x']
        x = x.clone() if self.case.mode == IN_PLACE else x
        call = self if self.leaves else self.function
        return median_seconds(Timer(lambda: call(x)), budget)


def prepare(case):
    """Load a case and run it once."""
    global CALL
    CALL = None  # frees memory for the next one
    gc.collect()
    LIBC.malloc_trim(0)
    CALL = Call(SIDE, case)
    outputs = CALL.outputs()
    SIDE.idle()
    return {
        # numpy has no bfloat16
        'outputs': [out.float().detach().numpy() for out in outputs],
        'call': CALL.name,
        'bytes_read': data_bytes(*CALL.tensors.values()),
        'bytes_written': data_bytes(*outputs),
    }


def time_call(budget):
    """Seconds per call of the prepared case."""
    seconds = CALL.time(budget)
    SIDE.idle()
    return seconds


def start(name, threads, folder):
    """Make this process that of a side, which imports from `folder` first."""
    global SIDE
    sys.path[:0] = [folder] if folder else []
    # Read when the libraries are loaded.
    os.environ.update(OMP_NUM_THREADS=str(threads), GLOG_minloglevel='3')
    module = 'torch' if name == 'torch' else 'paddle'
    SIDE = importlib.import_module(f'bench.run.{module}_side')
    SIDE.setup(threads)
    # Freeing a block raises glibc's mmap threshold, up to 32 MiB. Otherwise, the
    # order of the cases decides whether smaller outputs are on fresh pages.
    LIBC.free(ctypes.c_void_p(LIBC.malloc(ctypes.c_size_t(31 << 20))))
