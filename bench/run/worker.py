"""One side in a process of its own: prepares a case, checks it, times it.

Requests and answers are tuples on a pipe: ('ok', result) or ('error', text).
Started as `python -m bench.run.worker SIDE FD THREADS`.
"""

import ctypes
import gc
import hashlib
import importlib
import os
import sys
from multiprocessing.connection import Connection

import numpy as np

from bench.run import gaps, inputs, memory, timing
from bench.run.cases import BACKWARD
from bench.run.compare import same_outputs

SAMPLE = 1 << 16
WAY_SECONDS = 0.02


class WaysDiffer(Exception):
    """Two ways of a side do not give the same."""


def summary(array):
    """What is needed to compare an output without sending it."""
    if array.dtype.kind in 'fc':
        array = array + 0.0  # -0.0 counts as 0.0
    array = np.ascontiguousarray(array)
    flat = array.reshape(-1)
    # odd, so that it does not walk down one column
    step = max(1, flat.size // SAMPLE) | 1
    digest = hashlib.blake2b(flat.view(np.uint8), digest_size=16)
    return {
        'shape': array.shape,
        'dtype': str(array.dtype),
        'digest': digest.hexdigest(),
        'sample': flat[::step].copy(),
    }


def data_bytes(tensor):
    """Bytes of the elements of a tensor of paddle or torch."""
    return int(tensor.numel()) * tensor.element_size()


def renew(copy, tensor):
    """Copy the elements of a tensor into one of the same shape.

    In one way for every side, which leaves them the same in the caches.
    """
    ctypes.memmove(copy.data_ptr(), tensor.data_ptr(), data_bytes(tensor))


class Program:
    """A prepared case: its tensors, and the call to be timed."""

    def __init__(self, side, case, seed):
        made = inputs.build(case, seed)
        self.side, self.case = side, case
        self.tensors = {
            name: side.load(array, case.dtype)
            for name, array in made.data.items()
        }
        for name, array in {**made.masks, **made.index}.items():
            self.tensors[name] = side.load(array, None)
        self.leaves = [self.tensors[name] for name in made.grads]
        for leaf in self.leaves:
            side.require_grad(leaf)
        inplace = case.mode == 'inplace'
        self.ways = side.ways(case.op, self.tensors, made.attrs, inplace)
        # the usual way, until choose() has compared them
        self.function = next(iter(self.ways.values()))
        self.way = {}

    def _arguments(self):
        """Copies of x for in-place calls, or None if x can be used again."""
        if self.case.mode != 'inplace':
            return None
        x = self.tensors['x']
        return timing.Arguments(x.clone, lambda copy: renew(copy, x))

    def call(self):
        """What is timed: a function without arguments, or of a copy of x."""
        function, x = self.function, self.tensors['x']
        if self.case.mode == 'inplace':
            return function
        if self.case.mode not in BACKWARD:
            return lambda: function(x)
        gradients, leaves = self._gradients(), self.leaves

        def both():
            out = function(x)
            return (out, *gradients(out, leaves))

        return both

    def _gradients(self):
        """A function of the result and the leaves."""
        if self.case.mode == 'grad':
            of, given = self.side.gradients, self.tensors['out_grad']
        else:
            of, given = self.side.step, self.tensors.get('weight')
        return lambda out, leaves: of(out, leaves, given)

    def outputs(self):
        """The results of one call, as tensors."""
        if self.case.mode == 'inplace':
            x = self.tensors['x'].clone()
            self.function(x)
            return (x,)
        result = self.call()()
        return result if isinstance(result, tuple) else (result,)

    def summaries(self):
        """Of the results of one call, what is compared."""
        return [summary(self.side.to_numpy(out)) for out in self.outputs()]

    def choose(self, side_name):
        """Go on with the fastest way, if there are several.

        A rival is only as good as the way that it is called: each is run once,
        to warm up and to see that the ways agree, and then timed once. A way
        that raises, as torch's do for some dtypes, is none; if all do, the
        first's error is that of all.
        """
        if len(self.ways) == 1:
            return
        compared = gaps.uncompared(side_name, self.case) is None
        first, errors, tried = None, {}, {}
        for name, way in self.ways.items():
            self.function = way
            try:
                found = self.summaries()
            except (RuntimeError, TypeError) as error:
                errors[name] = error
                continue
            first = first or (name, found)
            different = compared and same_outputs(
                first[1], found, self.case.dtype
            )
            if different:
                raise WaysDiffer(f'{name} is not as {first[0]}: {different}')
            tried[name] = self.turn(WAY_SECONDS)[0] * 1e3
        if not tried:
            raise next(iter(errors.values()))
        fastest = min(tried, key=tried.get)
        self.function = self.ways[fastest]
        reasons = {name: type(e).__name__ for name, e in errors.items()}
        self.way = {'way': fastest, 'ways': {**tried, **reasons}}

    def turn(self, budget):
        """(seconds per call, calls)"""
        return timing.turn(self.call(), budget, self._arguments())


class Worker:
    """Answers requests; holds at most one program at a time."""

    def __init__(self, name, threads):
        self.name = name
        library = 'torch' if name == 'torch' else 'paddle'
        self.side = importlib.import_module(f'bench.run.{library}_side')
        self.side.setup(threads)
        settle_malloc()
        self.program = None

    def hello(self):
        """Facts about this process."""
        return {**self.side.describe(), 'pid': os.getpid()}

    def prepare(self, case, seed):
        """Load a case and run it once; returns summaries of the outputs."""
        self.drop()
        self.program = Program(self.side, case, seed)
        self.program.choose(self.name)
        found = self.program.summaries()
        # the next side may time its ways now
        self.side.quiet()
        return found

    def way(self):
        """The way that is timed and what was tried; {} if it has but one."""
        return self.program.way

    def time(self, budget):
        """One turn: (seconds per call, calls)."""
        taken = self.program.turn(budget)
        self.side.quiet()
        return taken

    def peak(self, case, seed):
        """Peak memory of one call beyond its inputs and outputs, in bytes."""
        self.drop()
        # the code and the threads' stacks are no memory of the call
        Program(self.side, case.within(512), seed).outputs()
        program = Program(self.side, case, seed)
        program.choose(self.name)
        trim()
        # of an in-place call the clone of x is the output
        return memory.beyond(program.outputs, data_bytes)

    def drop(self):
        """Forget the case and give its memory back."""
        self.program = None
        trim()


def settle_malloc():
    """Bring malloc to where every process gets that frees large blocks.

    glibc learns from the blocks that are freed, up to 32 MiB, which ones to
    keep. Until it has, the order of the cases decides whether an output of
    some MiB is made of new pages in each call: up to 20 times the time.
    """
    libc = ctypes.CDLL(None)
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free(libc.malloc((32 << 20) - (64 << 10)))


def trim():
    """Hand freed memory back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def serve(connection, worker):
    """Answer until the other end closes."""
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = ('ok', getattr(worker, method)(*arguments))
        except Exception as error:
            text = str(error).strip() or type(error).__name__
            lines = [line for line in text.splitlines() if line.strip()]
            answer = ('error', f'{type(error).__name__}: {lines[-1][:300]}')
        connection.send(answer)


def main():
    name, fd, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    serve(Connection(fd), Worker(name, threads))


if __name__ == '__main__':
    main()
