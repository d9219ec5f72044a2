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


class Side:
    """One worker process, started again after it died."""

    def __init__(self, name, threads, folder=''):
        self.name, self.threads, self.folder = name, threads, folder
        self.pool = None
        self.version = self.ask('version')

    def ask(self, method, *arguments):
        """The worker's answer; SideError if the call failed there."""
        if self.pool is None:
            start = self.name, self.threads, self.folder
            self.pool = ProcessPoolExecutor(
                1, get_context('spawn'), worker.start, start
            )
        try:
            return self.pool.submit(worker.answer, method, *arguments).result()
        except BrokenProcessPool:
            self.close()
            said = f'the process of {self.name} ended in {method}'
            raise SideError(f'{said}: see above') from None

    def close(self):
        """End the process; the next question starts one."""
        if self.pool:
            self.pool.shutdown()
        self.pool = None
