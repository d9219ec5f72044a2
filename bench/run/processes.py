"""One worker process per side."""

import os
import sysconfig
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from bench.run import worker

ROOT = Path(__file__).resolve().parents[2]
# site-packages of the released Paddle: at the front of sys.path, it hides the
# folder from which the build's Python imports the operators.
RELEASE = sysconfig.get_path('purelib', vars={'base': ROOT / 'build' / 'venv'})
FOLDERS = {'ours': '', 'torch': '', 'release': RELEASE}
# {name: environment variables of the workers}. In the second, glibc keeps freed
# blocks, so that the next block of that size causes no page faults.
MEMORY = {
    'as installed': {},
    'page-fault-free': {
        'MALLOC_MMAP_THRESHOLD_': str(4 << 30),
        'MALLOC_TRIM_THRESHOLD_': str(8 << 30),
    },
}


def start_side(name, threads, memory='as installed'):
    """Start a pool of one process that runs functions of worker.py."""
    side = name, threads, FOLDERS[name]
    pool = ProcessPoolExecutor(1, get_context('spawn'), worker.start, side)
    with mock.patch.dict(os.environ, MEMORY[memory]):
        pool.submit(os.getpid).result()  # the first task spawns the process
    return pool
