"""One side in a process of its own: prepares a case, checks it, times it.

Requests and answers are tuples on a pipe: ('ok', result) or ('error', text).
Started as `python -m bench.run.worker SIDE FD THREADS`.
"""

import ctypes
import gc
import importlib
import re
import sys
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from bench.run import inputs, timing
from bench.run.cases import BACKWARD
from bench.run.compare import difference

WAY_SECONDS = 0.02
PROCESS = Path('/proc/self')
LIBC = ctypes.CDLL(None)


def data_bytes(tensor):
    """Bytes of the elements of a tensor of paddle or torch."""
    return int(tensor.numel()) * tensor.element_size()


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
        # the usual way, until choose() has compared them
        self.function, self.way = next(iter(self.ways.values())), {}

    def _copies(self):
        """A function that gives so many copies of x for calls in place.

        They are made once a turn and renewed for each sample. Were they made for
        each, giving back and clearing their pages would go on beside the calls,
        and a call that touches little would be lost in it.
        """
        x, kept = self.tensors['x'], []

        def take(count):
            for copy in kept[:count]:
                # one way for every side leaves the same in the caches
                ctypes.memmove(copy.data_ptr(), x.data_ptr(), data_bytes(x))
            kept.extend(x.clone() for _ in range(count - len(kept)))
            return kept[:count]

        return take

    def _with_gradients(self):
        """The result and the gradients of the leaves."""
        out = self.function(self.tensors['x'])
        given = self.tensors.get(inputs.GIVEN.get(self.case.mode))
        if self.case.mode == 'grad':
            return out, *self.side.gradients(out, self.leaves, given)
        for leaf in self.leaves:
            leaf.grad = None  # backward() would add to it
        loss = out if given is None else out * given
        loss.sum().backward()
        return out, *(leaf.grad for leaf in self.leaves)

    def call(self):
        """What is timed: a function without arguments, or of a copy of x."""
        function, x = self.function, self.tensors['x']
        if self.case.mode == 'inplace':
            return function
        if self.case.mode in BACKWARD:
            return self._with_gradients
        return lambda: function(x)

    def outputs(self):
        """The results of one call, as tensors."""
        if self.case.mode in BACKWARD:
            return self._with_gradients()
        x = self.tensors['x']
        if self.case.mode != 'inplace':
            return (self.function(x),)
        x = x.clone()
        self.function(x)
        return (x,)

    def arrays(self, outputs):
        """The results of a call for numpy, bfloat16 as float32."""
        if self.case.dtype == 'bfloat16':
            outputs = [out.float() for out in outputs]
        return [out.detach().numpy() for out in outputs]

    def choose(self):
        """Go on with the fastest way, if there are several.

        A rival is only as good as the way that it is called: each is run once,
        to warm up and to see that the ways agree, and then timed once. A way
        that raises, as torch's do for some dtypes, is none; if all do, the
        first's error is that of all. Ways to assign differ in which of several
        updates of a slot stays.
        """
        if len(self.ways) == 1:
            return
        first, error, tried = None, None, {}
        for name, way in self.ways.items():
            self.function = way
            try:
                found = self.arrays(self.outputs())
            except (RuntimeError, TypeError) as raised:
                error = error or raised
                continue
            first = first or (name, found)
            different = difference(first[1], found, self.case.dtype)
            if different and not self.case.repeats:
                raise ValueError(f'{name} is not as {first[0]}: {different}')
            tried[name] = self.turn(WAY_SECONDS)[0] * 1e3
        if not tried:
            raise error
        fastest = min(tried, key=tried.get)
        self.function = self.ways[fastest]
        self.way = {'way': fastest, 'ways': tried}

    def turn(self, budget):
        """(seconds per call, calls)"""
        copies = self._copies() if self.case.mode == 'inplace' else None
        return timing.turn(self.call(), budget, copies)


class Worker:
    """Answers requests; holds at most one program at a time."""

    def __init__(self, name, threads):
        library = 'torch' if name == 'torch' else 'paddle'
        self.side = importlib.import_module(f'bench.run.{library}_side')
        self.side.setup(threads)
        settle_malloc()
        self.program = None

    def version(self):
        """That of the library."""
        return self.side.VERSION

    def prepare(self, case):
        """Load a case and run it once; what the runner has to know of it."""
        self.program = None
        trim()
        self.program = Program(self.side, case)
        self.program.choose()
        outputs = self.program.outputs()
        found = {
            'outputs': self.program.arrays(outputs),
            # the way that is timed and what was tried, if it has several
            'way': self.program.way,
            'read': sum(map(data_bytes, self.program.tensors.values())),
            'written': sum(map(data_bytes, outputs)),
        }
        # the next side may time its ways now
        self.side.quiet()
        return found

    def time(self, budget):
        """One turn: (seconds per call, calls)."""
        taken = self.program.turn(budget)
        self.side.quiet()
        return taken

    def peak(self, case):
        """Peak memory of one call beyond its inputs and outputs, in bytes."""
        # the code and the threads' stacks are no memory of the call
        shape = tuple(min(size, 512) for size in case.shape)
        Program(self.side, replace(case, shape=shape)).outputs()
        program = Program(self.side, case)
        program.choose()
        trim()
        (PROCESS / 'clear_refs').write_text('5')  # the peak is now the use
        before = psutil.Process().memory_info().rss
        outputs = program.outputs()
        # getrusage would count what its parent held when it started this one
        status = (PROCESS / 'status').read_text()
        peak = int(re.search(r'VmHWM:\s+(\d+)', status)[1]) * 1024
        # of an in-place call the clone of x is the output
        return max(0, peak - before - sum(map(data_bytes, outputs)))


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


def serve(connection, worker):
    """Answer until the other end closes."""
    with suppress(EOFError):
        while True:
            method, arguments = connection.recv()
            try:
                answer = ('ok', getattr(worker, method)(*arguments))
            except Exception as error:
                last = str(error).strip().rpartition('\n')[2]
                answer = ('error', f'{type(error).__name__}: {last[:300]}')
            connection.send(answer)


if __name__ == '__main__':
    side_name, descriptor, thread_count = sys.argv[1:]
    side_worker = Worker(side_name, int(thread_count))
    serve(Connection(int(descriptor)), side_worker)
