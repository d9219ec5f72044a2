"""Runs the steps of a build, with progress and logs.

A step is a command that a person could type in the project folder. Its output goes
to `<build>/logs/NN-name.log`. The file MARKER tells that a build created the folder,
and is its lock; nothing is written or deleted in any other folder.
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
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LOG_TAIL_LINES = 25
MARKER = '.scatter_ops_build'


class Step(NamedTuple):
    """A command that does nothing if nothing changed, and a hint for its failure."""

    name: str
    command: str
    hint: str
    show_output: bool = False


def shown(path):
    """A path as a person in the project folder would type it."""
    return shlex.quote(str(path).removeprefix(f'{ROOT}{os.sep}'))


def run_steps(build, steps, lock=None, cwd=ROOT):
    """Runs the steps; without a lock, prints them only.

    lock: a descriptor that the children inherit, so that the folder stays locked
    while one of them survives this process.
    """
    for number, step in enumerate(steps, 1):
        head = f'[{number}/{len(steps)}] {step.name}'
        if lock is None:
            print(f'{head}\n    {step.command}')
        else:
            log = build / f'logs/{number:02d}-{step.name}.log'
            run_step(step, log, f'{head} ... ', lock, cwd)


def run_step(step, log, head, lock, cwd):
    """Runs a step and reports it in one line; exits if it fails. Its process group
    ends with this process."""
    print(head, end='', flush=True)
    start = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f'$ {step.command}\n', encoding='utf-8')
    with open(log, 'ab') as file:
        process = subprocess.Popen(
            step.command, shell=True, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            pass_fds=(lock,),
        )  # fmt: skip
    try:
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            if sys.stdout.isatty():
                show_live(head, f'{time.monotonic() - start:.0f} s  ', log)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        raise
    if sys.stdout.isatty():
        print('\033[K', end='')
    seconds = f'{time.monotonic() - start:.1f} s'
    if process.returncode:
        print(f'FAILED after {seconds}', flush=True)
        tail = '\n    '.join(log_lines(log)[-LOG_TAIL_LINES:])
        sys.exit(
            f'\nStep {step.name} failed with exit code {process.returncode}. Its '
            f'log, {shown(log)}, ends with:\n\n    {tail}\n\n'
            f'What to try: {step.hint}'
        )
    print(seconds, flush=True)
    if step.show_output:
        print(log.read_text('utf-8', 'replace').partition('\n')[2])


def log_lines(log):
    """The non-empty lines of a log."""
    text = log.read_text('utf-8', 'replace').replace('\r', '\n')
    return [line for line in text.split('\n') if line.strip()]


def show_live(head, seconds, log):
    """On a terminal, the time and the last line of the log after the cursor."""
    width = shutil.get_terminal_size().columns - 1
    text = f'{head}{seconds}{log_lines(log)[-1].strip()}'
    print(f'\r\033[K{text[:width]}\r{head}', end='', flush=True)


def check_build_dir(build):
    """Exits unless the folder is absent, empty, or created by a build."""
    others = list(build.glob('*'))
    if others and not (build / MARKER).is_file():
        sys.exit(
            f'--build-dir {build}: holds {others[0].name}, which no build '
            'made. Name an empty folder, or one that is not there yet.'
        )


@contextmanager
def locked(build):
    """Locks a build folder; yields the descriptor."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / MARKER, 'a') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(
                f'Another build is using {build}. Wait for it, or give this one its '
                'own --build-dir.'
            )
        yield file.fileno()
