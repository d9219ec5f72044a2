"""Compile and load limit.cc, the machine's own limit."""

import ctypes
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'build' / 'bench'
SOURCE = Path(__file__).resolve().parent / 'limit.cc'
HEADER = ROOT / 'kernels' / 'funcs' / 'cpu_tiles.h'
FLAGS = ['-std=c++17', '-O2', '-fPIC', '-fopenmp', '-fvisibility=hidden']


def _include_root():
    """A folder in which the kernels stand where Paddle has them."""
    link = FOLDER / 'include' / 'paddle' / 'phi' / 'kernels'
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(ROOT / 'kernels', link.parent))
    return FOLDER / 'include'


def _command(paddle, library):
    libs = paddle / 'libs'
    return [
        os.environ.get('CXX', 'g++'), *FLAGS, '-DPADDLE_WITH_DISTRIBUTE',
        '-I', str(_include_root()),
        '-isystem', str(paddle / 'include'),
        '-isystem', str(paddle / 'include' / 'third_party'),
        '-c', str(SOURCE), '-o', f'{library}.o',
    ], [
        # No -fopenmp here: it would bring a second OpenMP runtime, in which
        # Paddle's thread count has no effect.
        os.environ.get('CXX', 'g++'), '-shared', f'{library}.o',
        '-o', f'{library}.tmp', '-Wl,--as-needed', f'-L{libs}',
        '-lphi_core', '-lphi', '-l:libiomp5.so', '-lcommon',
        f'-Wl,-rpath,{libs}',
    ]  # fmt: skip


def build(paddle):
    """The path of the library for the Paddle in folder `paddle`."""
    digest = hashlib.sha256(SOURCE.read_bytes() + HEADER.read_bytes())
    digest.update(str(paddle).encode())
    library = FOLDER / f'limit-{digest.hexdigest()[:12]}.so'
    if library.exists():
        return library
    FOLDER.mkdir(parents=True, exist_ok=True)
    for command in _command(Path(paddle), library):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.stderr.write(done.stderr[-3000:])
            raise RuntimeError(f'bench: could not compile {SOURCE.name}')
    os.replace(f'{library}.tmp', library)
    Path(f'{library}.o').unlink()
    return library


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
