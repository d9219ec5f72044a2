"""Run the steps of a build: progress, logs, and skipping what has not changed.

Each step is a command that a person could type too. Its output goes to
`<build>/logs/NN-name.log`.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOG_TAIL_LINES = 25


@dataclass
class Step:
    """One step: what it is called, what it runs, and when to skip it.

    It is skipped while its last success is younger than all of `files`. Without
    them it always runs; its command then has to be quick when there is nothing
    to do.
    """

    name: str
    title: str
    command: str
    hint: str
    files: tuple
    show_output: bool


def read_steps(text, files, show_output, **values):
    """Steps of a text that has three lines for each, and an empty one between them:
    `name: title`, its command, in which {values} stand, and what to try."""
    steps = []
    for block in text.strip().split('\n\n'):
        head, command, hint = block.split('\n')
        name, title = head.split(': ')
        command, show = command.format(**values), name in show_output
        steps.append(
            Step(name, title, command, hint, files.get(name, ()), show)
        )
    return steps


def shown(path):
    """A path as a person in the project folder would type it."""
    return shlex.quote(str(path).removeprefix(f'{ROOT}{os.sep}'))


def run_steps(build, steps, lock=None, cwd=ROOT):
    """Run every step that is due; without a lock, say what would be run.

    lock: a descriptor that the children hold too, so that none is left behind
    working in the folder after we were killed.
    """
    for number, step in enumerate(steps, 1):
        head = f'[{number}/{len(steps)}] {step.title}'
        stamp = build / 'stamps' / step.name
        unchanged = is_younger(stamp, step.files)
        if lock is None:
            print(f'{head}{" (unchanged: skipped)" if unchanged else ""}')
            print(f'    {step.command}')
        elif unchanged:
            print(f'{head} ... unchanged', flush=True)
        else:
            stamp.unlink(missing_ok=True)
            log = build / f'logs/{number:02d}-{step.name}.log'
            run_step(step, log, f'{head} ... ', lock, cwd)
            stamp.parent.mkdir(exist_ok=True)
            stamp.touch()


def is_younger(stamp, files):
    """Whether the files are there and nothing has changed them since."""
    try:
        last = stamp.stat().st_mtime_ns
        return bool(files) and max(p.stat().st_mtime_ns for p in files) <= last
    except FileNotFoundError:
        return False


def run_step(step, log, head, lock, cwd):
    """Run a step and report it in one line; exits where it fails."""
    print(head, end='', flush=True)
    start = time.monotonic()
    code = run_command(step.command, log, head, lock, cwd)
    seconds = f'{time.monotonic() - start:.1f} s'
    if code:
        print(f'FAILED after {seconds}', flush=True)
        tail = '\n    '.join(log_lines(log)[-LOG_TAIL_LINES:])
        sys.exit(
            f'\nStep {step.name} failed with exit code {code}. Its log, '
            f'{shown(log)}, ends with:\n\n    {tail}\n\nWhat to try: {step.hint}'
        )
    print(seconds, flush=True)
    if step.show_output:
        print(log.read_text('utf-8', 'replace').partition('\n')[2])


def run_command(command, log, head, lock, cwd):
    """Run a command to its end; its whole group dies with us."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, 'wb') as file:
        file.write(f'$ {command}\n'.encode())
        file.flush()
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(lock,),
        )
    start = time.monotonic()
    try:
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            if sys.stdout.isatty():
                # How long it has run, and what it said last.
                said = log_lines(log)[-1].strip()
                text = f'{head}{time.monotonic() - start:.0f} s  {said}'
                width = shutil.get_terminal_size().columns - 1
                print(f'\r\033[K{text[:width]}', end='', flush=True)
        if sys.stdout.isatty():
            print(f'\r\033[K{head}', end='', flush=True)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        raise
    return process.returncode


def log_lines(log):
    """The non-empty lines of a log, whatever bytes it holds."""
    text = log.read_text('utf-8', 'replace').replace('\r', '\n')
    return [line for line in text.split('\n') if line.strip()]
