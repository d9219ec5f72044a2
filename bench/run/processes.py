"""A process for each side, which answers the runner's questions."""

import sysconfig
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from bench.run import worker
from bench.run.worker import SideError

ROOT = Path(__file__).resolve().parents[2]
_VENV = {'base': ROOT / 'build' / 'venv'}
# pip's Paddle, as it was released: the operators stand beside it, in a folder
# that the build's Python puts before this one unless this is asked for first.
RELEASE = sysconfig.get_path('purelib', vars=_VENV)
# glibc then gives no freed block back to the system, and the next one of that size
# takes no page faults.
PAGE_FAULT_FREE = {
    'MALLOC_MMAP_THRESHOLD_': str(4 << 30),
    'MALLOC_TRIM_THRESHOLD_': str(8 << 30),
}


class Side:
    """One worker process, started again after it died."""

    def __init__(self, name, threads, folder=''):
        self.name, self.threads = name, threads
        self.log = ROOT / 'build/bench/logs' / f'{name}.log'
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.start = name, threads, folder, self.log
        self.pool = None

    def ask(self, function, *arguments):
        """What a function of the worker returns; SideError if the call failed there."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(
                1, get_context('spawn'), worker.start, self.start
            )
        try:
            asked = self.pool.submit(worker.answer, function, *arguments)
            return asked.result()
        except BrokenProcessPool:
            self.close()
            said = f'the process of {self.name} ended in {function.__name__}'
            raise SideError(f'{said}: see {self.log}') from None

    def close(self):
        """End the process; the next question starts one."""
        if self.pool:
            self.pool.shutdown()
        self.pool = None
