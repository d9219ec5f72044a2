"""Start the worker processes and talk to them."""

import os
import subprocess
from multiprocessing import Pipe
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / 'build' / 'bench' / 'logs'
TIMEOUT = 300


class SideError(Exception):
    """The side answered with an error: the case does not work there."""


class SideDied(SideError):
    """The worker's process ended, or did not answer in time."""


class Side:
    """One worker process, started again after it died."""

    def __init__(self, name, python, threads, env=()):
        self.name, self.python, self.threads = name, str(python), threads
        self.env = dict(env)
        self.log = LOGS / f'{name}-{threads}-{os.getpid()}.log'
        self.died = False
        self.process = None
        self.facts = self._start()

    def _start(self):
        here, there = Pipe()
        env = {
            **os.environ,
            'OMP_NUM_THREADS': str(self.threads),
            'PYTHONPATH': str(ROOT),
            'PYTHONWARNINGS': 'ignore',
            'GLOG_minloglevel': '2',
            **self.env,
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
        self.connection = here
        return self.ask('hello')

    def ask(self, method, *arguments, timeout=TIMEOUT):
        """The worker's answer; SideError if the call failed there."""
        if self.process is None:
            self.facts = self._start()
        try:
            self.connection.send((method, arguments))
            if not self.connection.poll(timeout):
                self.died = True
                self._forget()
                raise SideDied(f'no answer within {timeout} s')
            status, result = self.connection.recv()
        except (EOFError, OSError):
            self.died = True
            code = self._forget()
            raise SideDied(
                f'the process of {self.name} ended ({code}) in {method}; '
                f'see {self.log}'
            ) from None
        if status == 'error':
            raise SideError(result)
        return result

    def _forget(self):
        # which ends a process that waits for a request
        self.connection.close()
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process = None
        return f'signal {-code}' if code < 0 else f'exit code {code}'

    def close(self):
        """End the process."""
        if self.process is None:
            return
        self._forget()
        if not self.died:
            self.log.unlink(missing_ok=True)


class Crew:
    """The sides of one thread count; `ours` may come with an environment."""

    def __init__(self, pythons, threads, env=()):
        self.pythons, self.threads = pythons, threads
        self.env = dict(env)  # of every side
        self.sides = {}

    def side(self, name, env=()):
        """The worker of a side, started at its first use."""
        env = env if name == 'ours' else ()
        key = (name, tuple(env))
        if key not in self.sides:
            python = self.pythons[name]
            whole = {**self.env, **dict(env)}
            self.sides[key] = Side(name, python, self.threads, whole)
        return self.sides[key]

    def pids(self):
        """The processes that are running now."""
        return [s.process.pid for s in self.sides.values() if s.process]

    def end_extra(self, env=()):
        """End the workers of other environments: they hold memory."""
        for key in [k for k in self.sides if k[1] and k[1] != tuple(env)]:
            self.sides.pop(key).close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for side in self.sides.values():
            side.close()
