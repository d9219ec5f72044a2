"""Compile and load limit.cc, the machine's own limit."""

import ctypes
from pathlib import Path

from bench.run import native

SOURCE = Path(__file__).resolve().parent / 'limit.cc'
FLAGS = ['-std=c++17', '-O2', '-fvisibility=hidden']


def build(paddle):
    """The path of the library for the Paddle in folder `paddle`."""
    return native.build(paddle, SOURCE, FLAGS)


class Limit:
    """The library, loaded into this process (paddle must be there already)."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        for name in ('bench_limit', 'bench_limit_prepare'):
            getattr(self.lib, name).argtypes = [ctypes.c_int64] * 2

    def prepare(self, fresh, touched):
        """Make the buffers that a copy reads."""
        if not self.lib.bench_limit_prepare(fresh, touched):
            raise MemoryError('bench: no memory for the limit of this case')

    def call(self, fresh, touched):
        """A function without arguments that moves the bytes once."""
        return lambda: self.lib.bench_limit(fresh, touched)

    def free(self):
        """Give the buffers back."""
        self.lib.bench_limit_free()

    def threads(self):
        """Threads that the runtime would use."""
        return self.lib.bench_threads()

    def quiet(self):
        """Send idle threads to sleep."""
        self.lib.bench_quiet()
