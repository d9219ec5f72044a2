"""Run the steps of a build: progress, logs, and skipping what has not changed.

Each step is a command that a person could type too. Its output goes to
`<build>/logs/NN-name.log`. A step that names files is skipped while its command and
they are what they were after its last success.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from scripts.common.command_line import Refused
from scripts.common.files import sha256, tree_sha256, write_atomic

LOG_TAIL_LINES = 25


@dataclass
class Step:
    """One step: what it is called, what it runs, and when to skip it.

    `files` are those that it reads and makes. Without them the step always runs;
    its command then has to be quick when there is nothing to do.
    """

    name: str
    title: str
    command: str
    hint: str
    files: list = field(default_factory=list)
    show_output: bool = False


def shown(path, root):
    """A path as a person in the project folder would type it."""
    return str(path).removeprefix(f'{root}{os.sep}')


class Runner:
    """Runs steps in order and reports each in one line."""

    def __init__(self, build, steps, root, lock=None):
        self.build = Path(build)
        self.steps = steps
        self.root = root
        self.lock = lock

    def run(self, dry=False):
        """Run every step that is due, or say what would be run."""
        for number, step in enumerate(self.steps, 1):
            head = f'[{number}/{len(self.steps)}] {step.title}'
            is_done = self._is_done(step)
            if dry:
                print(f'{head}{" (unchanged: skipped)" if is_done else ""}')
                print(f'    {step.command}')
            elif is_done:
                print(f'{head} ... unchanged', flush=True)
            else:
                self._run_step(number, step, f'{head} ... ')

    def _run_step(self, number, step, head):
        print(head, end='', flush=True)
        log = self.build / f'logs/{number:02d}-{step.name}.log'
        self._stamp(step).unlink(missing_ok=True)
        start = time.monotonic()
        code = self._run_command(step, log, head)
        seconds = f'{time.monotonic() - start:.1f} s'
        if code:
            print(f'FAILED after {seconds}', flush=True)
            lines = log_lines(log)[-LOG_TAIL_LINES:]
            tail = '\n'.join(f'    {line}' for line in lines)
            raise Refused(
                f'Step {number} ({step.name}) failed with exit code {code}. Its '
                f'log, {shown(log, self.root)}, ends with:\n\n{tail}\n\n'
                f'What to try: {step.hint}'
            )
        write_atomic(self._stamp(step), self._digest(step).encode())
        print(seconds, flush=True)
        if step.show_output:
            print(log.read_text('utf-8', 'replace').partition('\n')[2])

    def _run_command(self, step, log, head):
        """Run a command to its end; its whole group dies with us."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, 'wb') as file:
            file.write(f'$ {step.command}\n'.encode())
            file.flush()
            process = subprocess.Popen(
                shlex.split(step.command),
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Held by the children too, so that none is left behind
                # working in the folder after we were killed.
                pass_fds=() if self.lock is None else (self.lock,),
            )
        start = time.monotonic()
        try:
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=0.5)
                if sys.stdout.isatty():
                    show_live(head, log, time.monotonic() - start)
            if sys.stdout.isatty():
                print(f'\r\033[K{head}', end='', flush=True)
        except BaseException:
            end_group(process)
            raise
        return process.returncode

    def _digest(self, step):
        return sha256((step.command + tree_sha256(step.files)).encode())

    def _is_done(self, step):
        """Whether the step's last success was with the same files."""
        stamp = self._stamp(step)
        if not (step.files and stamp.is_file()):
            return False
        return stamp.read_text(encoding='utf-8') == self._digest(step)

    def _stamp(self, step):
        return self.build / 'stamps' / step.name


def end_group(process, patience=10):
    """Stop a command and everything it started: politely, then for good."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        # The last one is for what the leader may have left behind.
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(timeout=patience)


def log_lines(log):
    """The non-empty lines of a log, whatever bytes it holds."""
    text = log.read_text('utf-8', 'replace').replace('\r', '\n')
    return [line for line in text.split('\n') if line.strip()]


def show_live(head, log, seconds):
    """On a terminal: how long a step has run, and what it said last."""
    text = f'{head}{seconds:.0f} s  {log_lines(log)[-1].strip()}'
    width = shutil.get_terminal_size().columns - 1
    print(f'\r\033[K{text[:width]}', end='', flush=True)
