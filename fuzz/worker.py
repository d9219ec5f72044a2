"""A process that runs cases, and is started again after a crash."""

import multiprocessing
import os
import signal

import torch

from fuzz.cases import from_line, to_line
from fuzz.run import run

# Forked, so that it starts at once and sees what a test has planted.
_CONTEXT = multiprocessing.get_context('fork')


def _serve(connection, quiet):
    torch.set_num_threads(1)
    if quiet:  # Paddle writes every error that a static graph raises
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    while True:
        connection.send(run(from_line(connection.recv())))


class Worker:
    """Runs cases in another process; use it in a with block."""

    # a new process now and then, so that its memory does not grow
    CASES = 3000

    def __init__(self, timeout=60, quiet=True):
        self.timeout, self.quiet = timeout, quiet
        self.process = self.connection = None
        self.served = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        self.connection, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_serve, args=(theirs, self.quiet), daemon=True
        )
        self.process.start()
        theirs.close()
        self.served = 0

    def _stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None

    def run(self, case):
        """What fuzz.run says, or that the process crashed or hung."""
        if self.process is None or self.served >= self.CASES:
            self._stop()
            self._start()
        self.served += 1
        try:
            self.connection.send(to_line(case))
            if self.connection.poll(self.timeout):
                return self._answered(case, self.connection.recv())
            problem = f"no answer in {self.timeout} s"
        except (EOFError, OSError):
            self.process.join()
            problem = 'crash: ' + self._exit_reason()
        self._stop()
        return [problem]

    def _answered(self, case, problems):
        raised = any(p.startswith('raised') for p in problems or ())
        failed = case.fails_in_backward and problems is not None
        if raised or failed:
            # after an error in paddle.grad Paddle's engine fails other calls
            self._stop()
        return problems

    def _exit_reason(self):
        code = self.process.exitcode
        if code < 0:
            return signal.Signals(-code).name
        return f"exit status {code}"
