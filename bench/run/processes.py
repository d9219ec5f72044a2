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
        self.name, self.threads = name, threads
        self.log = LOGS / f'{name}.log'
        self.command = [python, '-m', 'bench.run.worker', name]
        self.env = {
            **os.environ,
            'OMP_NUM_THREADS': str(threads),
            'PYTHONWARNINGS': 'ignore',
            'GLOG_minloglevel': '2',
            **dict(env),
            'PYTHONPATH': f'{ROOT}:{folder}',
        }
        self.process = None
        self.version = self.ask('version')

    def _start(self):
        self.connection, there = Pipe()
        words = [*self.command, str(there.fileno()), str(self.threads)]
        LOGS.mkdir(parents=True, exist_ok=True)
        with there, open(self.log, 'ab') as log:
            self.process = subprocess.Popen(
                words, env=self.env, cwd=ROOT, pass_fds=[there.fileno()],
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def ask(self, method, *arguments):
        """The worker's answer; SideError if the call failed there."""
        if self.process is None:
            self._start()
        try:
            self.connection.send((method, arguments))
            if not self.connection.poll(TIMEOUT):
                raise TimeoutError(f'no answer within {TIMEOUT} s')
            status, result = self.connection.recv()
        except (EOFError, OSError) as error:
            said = f'the process of {self.name} ended in {method}, {error!r}'
            code = self.close()
            raise SideError(
                f'{said}, exit code {code}; see {self.log}'
            ) from None
        if status == 'error':
            raise SideError(result)
        return result

    def close(self):
        """End the process: its exit code; the next question starts one."""
        if not self.process:
            return None
        self.connection.close()
        self.process.kill()  # nothing to one that has crashed
        code, self.process = self.process.wait(), None
        return code
