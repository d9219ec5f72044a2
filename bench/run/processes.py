"""Start the worker processes and talk to them."""

import os
import subprocess
from multiprocessing import Pipe
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / 'build' / 'bench' / 'logs'
TIMEOUT = 300


class SideError(Exception):
    """The case does not work there: an error, or the end of the process."""


class Side:
    """One worker process, started again after it died."""

    def __init__(self, name, python, threads, folder='', env=()):
        self.name, self.python, self.threads = name, str(python), threads
        self.folder, self.env = folder, dict(env)
        self.log = LOGS / f'{name}.log'
        self.process = None
        self.version = self.ask('version')

    def _start(self):
        self.connection, there = Pipe()
        env = {
            **os.environ,
            'OMP_NUM_THREADS': str(self.threads),
            'PYTHONWARNINGS': 'ignore',
            'GLOG_minloglevel': '2',
            **self.env,
            'PYTHONPATH': f'{ROOT}:{self.folder}',
        }
        command = [self.python, '-m', 'bench.run.worker', self.name]
        command += [str(there.fileno()), str(self.threads)]
        LOGS.mkdir(parents=True, exist_ok=True)
        with open(self.log, 'ab') as log:
            self.process = subprocess.Popen(
                command, env=env, cwd=ROOT, pass_fds=[there.fileno()],
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        there.close()

    def ask(self, method, *arguments, timeout=TIMEOUT):
        """The worker's answer; SideError if the call failed there."""
        if self.process is None:
            self._start()
        try:
            self.connection.send((method, arguments))
            if not self.connection.poll(timeout):
                self._died(f'gave no answer within {timeout} s to {method}')
            status, result = self.connection.recv()
        except (EOFError, OSError):
            self._died(f'ended in {method}')
        if status == 'error':
            raise SideError(result)
        return result

    def _died(self, said):
        raise SideError(
            f'the process of {self.name} {said} ({self.end()}); see {self.log}'
        ) from None

    def end(self):
        """End the process, and say how; the next question starts one."""
        if not self.process:
            return ''
        # which ends a process that waits for a request
        self.connection.close()
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process = None
        return f'signal {-code}' if code < 0 else f'exit code {code}'
