"""A process that runs cases and is restarted after a crash."""

import faulthandler
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from fuzz import large
from fuzz.draw import APIS, draw
from fuzz.run import check

# Each API along large axes.
LARGE_APIS = tuple(f'large_{api}' for api in APIS)
STDERR = 2


def run(seed, number, api):
    """Return a list of problems, or None for lack of memory."""
    try:
        if api in LARGE_APIS:
            return large.run(seed, number, api.removeprefix('large_'))
        return check(draw(seed, number, api))
    except Exception as error:  # must not end the worker
        message = ' '.join(str(error).split())
        return [f"raised {type(error).__name__}: {message[-300:]}"]


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
