"""Run the steps of a build: progress, logs, stamps, one run at a time.

Each step is a list of commands that a person could type too. Their output
goes to `<build>/logs/NN-name.log`. A step with inputs is skipped while the
digest of its commands and inputs equals the one of its last success.
"""

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from scripts.common.files import sha256, tree_sha256, write_atomic

LOG_TAIL_LINES = 25


@dataclass
class Step:
    """One step: what it is called, what it runs, and when to skip it.

    Without `inputs` the step always runs; its commands then have to be
    quick when there is nothing to do.
    """

    name: str
    title: str
    commands: list
    hint: str
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    show_output: bool = False


class StepFailed(Exception):
    """A step did not succeed; the message says everything a user needs."""


@contextmanager
def build_lock(build_dir):
    """Hold the build folder for one run; yields the lock's descriptor."""
    build_dir.mkdir(parents=True, exist_ok=True)
    path = build_dir / '.lock'
    with open(path, 'a+', encoding='utf-8') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or 'unknown'
            raise StepFailed(
                f'Another build (process {holder}) is using {build_dir}.\n'
                'Wait for it, or give this one its own --build-dir.'
            ) from None
        file.truncate(0)
        file.write(f'{os.getpid()}\n')
        file.flush()
        yield file.fileno()


def shown(path, root):
    """A path as a person in the project folder would type it."""
    return str(path).removeprefix(f'{root}{os.sep}')


class Runner:
    """Runs steps in order and reports each in one line."""

    def __init__(self, build_dir, steps, root, out=sys.stdout, lock_fd=None):
        self.build_dir = Path(build_dir)
        self.steps = steps
        self.root = Path(root)
        self.out = out
        self.lock_fd = lock_fd
        self.live = out.isatty()

    def run(self):
        """Run every step; raises StepFailed at the first that fails."""
        for number, step in enumerate(self.steps, 1):
            self._run_step(number, step)

    def dry_run(self):
        """Print what run() would do; touches nothing."""
        for number, step in enumerate(self.steps, 1):
            state = ' (unchanged: skipped)' if self._is_done(step) else ''
            self._say(f'{self._head(number, step)}{state}\n')
            for command in step.commands:
                self._say(f'    {self._shown(command)}\n')

    def _run_step(self, number, step):
        head = self._head(number, step)
        if self._is_done(step):
            self._say(f'{head} ... unchanged\n')
            return
        log = self.build_dir / 'logs' / f'{number:02d}-{step.name}.log'
        log.parent.mkdir(parents=True, exist_ok=True)
        self._stamp(step).unlink(missing_ok=True)
        digest = self._digest(step)
        self._say(f'{head} ... ')
        start = time.monotonic()
        with open(log, 'wb') as file:
            for command in step.commands:
                code = self._run_command(command, file, head, start)
                if code:
                    self._fail(number, step, log, code, start)
        missing = [path for path in step.outputs if not Path(path).exists()]
        if missing:
            with open(log, 'a', encoding='utf-8') as file:
                file.write(f'succeeded, but did not make {missing[0]}\n')
            self._fail(number, step, log, 1, start)
        if step.inputs:
            write_atomic(self._stamp(step), digest.encode())
        self._clear_line(head)
        self._say(f'{time.monotonic() - start:.1f} s\n')
        if step.show_output:
            self._say(command_output(log))

    def _run_command(self, command, log, head, start):
        """Run one command to its end; its whole group dies with us."""
        log.write(f'$ {self._shown(command)}\n'.encode())
        log.flush()
        try:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Held by the children too, so that none is left behind
                # working in the folder after we were killed.
                pass_fds=() if self.lock_fd is None else (self.lock_fd,),
            )
        except OSError as error:
            log.write(f'{error}\n'.encode())
            return 127
        try:
            return self._wait(process, log.name, head, start)
        except BaseException:
            end_group(process)
            raise

    def _wait(self, process, log, head, start):
        while True:
            try:
                return process.wait(timeout=0.5 if self.live else None)
            except subprocess.TimeoutExpired:
                self._show_live(head, log, time.monotonic() - start)

    def _show_live(self, head, log, seconds):
        line = ''.join(log_tail(log, 1)).strip()
        width = shutil.get_terminal_size().columns - 1
        text = f'{head} ... {seconds:.0f} s  {line}'
        self._say(f'\r\033[K{text[:width]}')

    def _clear_line(self, head):
        if self.live:
            self._say(f'\r\033[K{head} ... ')

    def _fail(self, number, step, log, code, start):
        self._clear_line(self._head(number, step))
        self._say(f'FAILED after {time.monotonic() - start:.1f} s\n')
        tail = '\n'.join(f'    {x}' for x in log_tail(log, LOG_TAIL_LINES))
        raise StepFailed(
            f'Step {number} ({step.name}) failed with exit code {code}. '
            f'Its log, {shown(log, self.root)}, ends with:\n\n{tail}\n\n'
            f'What to try: {step.hint}'
        )

    def _digest(self, step):
        shown = '\n'.join(self._shown(command) for command in step.commands)
        return sha256((shown + tree_sha256(step.inputs)).encode())

    def _is_done(self, step):
        """Whether the step's last success was with the same inputs."""
        stamp = self._stamp(step)
        if not step.inputs or not stamp.is_file():
            return False
        if not all(Path(path).exists() for path in step.outputs):
            return False
        return stamp.read_text(encoding='utf-8') == self._digest(step)

    def _stamp(self, step):
        return self.build_dir / 'stamps' / step.name

    def _head(self, number, step):
        return f'[{number}/{len(self.steps)}] {step.title}'

    def _shown(self, command):
        parts = [shown(part, self.root) for part in command]
        return ' '.join(shlex.quote(part) for part in parts)

    def _say(self, text):
        self.out.write(text)
        self.out.flush()


def end_group(process, patience=10):
    """Stop a command and everything it started: politely, then for good."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(timeout=patience)
            break
    # The leader is gone; what it left behind must not go on writing.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def log_tail(log, count):
    """The last non-empty lines of a log, whatever bytes it holds."""
    with open(log, 'rb') as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 16384))
        text = file.read().decode('utf-8', 'replace')
    lines = [x for x in text.replace('\r', '\n').split('\n') if x.strip()]
    return lines[-count:]


def command_output(log):
    """A log without the lines that name the commands."""
    text = Path(log).read_text(encoding='utf-8', errors='replace')
    kept = [x for x in text.splitlines() if not x.startswith('$ ')]
    return '\n'.join(kept) + '\n'
