"""One worker process per side."""

import os
import sysconfig
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from bench.run import worker

ROOT = Path(__file__).resolve().parents[2]
# The released Paddle of pip: the build's Python imports the operators from a
# folder before this one, unless this one comes first.
RELEASE = sysconfig.get_path('purelib', vars={'base': ROOT / 'build' / 'venv'})
FOLDERS = {'ours': '', 'torch': '', 'release': RELEASE}
# Environments of the workers. With the second, glibc returns no freed block to
# the system, and the next one of that size causes no page faults.
MEMORY = {
    'as installed': {},
    'page-fault-free': {
        'MALLOC_MMAP_THRESHOLD_': str(4 << 30),
        'MALLOC_TRIM_THRESHOLD_': str(8 << 30),
    },
}


def start_side(name, threads, memory='as installed'):
    """A pool of one process, which runs functions of worker.py for a side."""
    start = name, threads, FOLDERS[name]
    pool = ProcessPoolExecutor(1, get_context('spawn'), worker.start, start)
    with mock.patch.dict(os.environ, MEMORY[memory]):
        pool.submit(os.getpid).result()  # the first task spawns the process
    return pool
