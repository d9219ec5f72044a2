"""A process that runs cases and is restarted after a crash."""

import faulthandler
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from fuzz.run import run

STDERR = 2


def _run(timeout, *case):
    faulthandler.dump_traceback_later(timeout, exit=True, file=STDERR)
    try:
        return run(*case)
    finally:
        faulthandler.cancel_dump_traceback_later()


class Worker:
    """Runs cases in another process."""

    def __init__(self, timeout=60):
        self.timeout = timeout
        self._start()

    def _start(self):
        # Fork: starts at once, and inherits the faults that a test injects.
        context = multiprocessing.get_context('fork')
        self.pool = ProcessPoolExecutor(1, context)

    def run(self, *case):
        """Return the problems of a case, or a crash or timeout of the process."""
        try:
            problems = self.pool.submit(_run, self.timeout, *case).result()
        except BrokenProcessPool:
            problems = [f"a crash, or no answer in {self.timeout} s"]
        number = case[1]
        if problems or number % 3000 == 2999:
            # After an error in backward, Paddle's engine fails later calls.
            # The number of guarded pages of a process is limited.
            self.pool.shutdown()
            self._start()
        return problems
