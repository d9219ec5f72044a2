"""Run the steps of a build, with progress and logs.

A step is a shell command that also works when typed in the project folder. Its
output is written to `<build>/logs/NN-name.log`. The file MARKER identifies a
build folder and is its lock; no other folder is changed.
"""

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LOG_TAIL_LINES = 25
MARKER = '.scatter_ops_build'


class Step(NamedTuple):
    """An idempotent command, and a hint that is printed if it fails."""

    name: str
    command: str
    hint: str = 'the last line of the log has the error.'
    show_output: bool = False


def quote_path(path):
    """Quote a path for a shell; relative if it is in the project folder."""
    return shlex.quote(str(path).removeprefix(f'{ROOT}{os.sep}'))


def print_steps(steps):
    print(f'Dry run of {len(steps)} steps:')
    for number, step in enumerate(steps, 1):
        print(f'[{number}/{len(steps)}] {step.name}\n    {step.command}')


def run_steps(build, steps, cwd=ROOT):
    for number, step in enumerate(steps, 1):
        head = f'[{number}/{len(steps)}] {step.name} ... '
        run_step(step, build / f'logs/{number:02d}-{step.name}.log', head, cwd)


def run_step(step, log, head, cwd):
    """Run a step and report it in one line; exit if it fails."""
    print(head, end='', flush=True)
    start = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f'$ {step.command}\n', encoding='utf-8')
    with open(log, 'ab') as file:
        process = subprocess.Popen(
            step.command, shell=True, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            close_fds=False,  # the children inherit the lock
        )  # fmt: skip
    try:
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            if sys.stdout.isatty():
                show_progress(f'{head}{time.monotonic() - start:.0f} s', log)
    except BaseException:  # such as KeyboardInterrupt
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
    if sys.stdout.isatty():
        print(f'\r\033[K{head}', end='')
    seconds = f'{time.monotonic() - start:.1f} s'
    if process.returncode:
        print(f'FAILED after {seconds}', flush=True)
        tail = '\n    '.join(read_lines(log)[-LOG_TAIL_LINES:])
        sys.exit(
            f'\nStep {step.name} failed with exit code {process.returncode}. '
            f'Its log, {quote_path(log)}, ends with:\n\n    {tail}\n\n'
            f'Hint: {step.hint}'
        )
    print(seconds, flush=True)
    if step.show_output:
        print(log.read_text('utf-8', 'replace').partition('\n')[2])


def read_lines(log):
    """Read the non-empty lines of a log."""
    text = log.read_text('utf-8', 'replace').replace('\r', '\n')
    return [line for line in text.split('\n') if line.strip()]


def show_progress(head, log):
    """Replace the terminal's line by the head and the last line of the log."""
    width = shutil.get_terminal_size().columns - 1
    text = f'{head}  {read_lines(log)[-1].strip()}'
    print(f'\r\033[K{text[:width]}', end='', flush=True)


def check_build_dir(build):
    """Exit unless the folder is missing, empty, or created by a build."""
    files = list(build.glob('*'))
    if files and not (build / MARKER).is_file():
        sys.exit(
            f'--build-dir {build}: not created by a build, but contains '
            f'{files[0].name}. Specify a new or an empty folder.'
        )


def lock_folder(build):
    """Lock a build folder until this process and its children end."""
    build.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(build / MARKER, os.O_WRONLY | os.O_CREAT)
    os.set_inheritable(descriptor, True)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(
            f'Another build is using {build}. Wait for it to finish, or '
            'specify another --build-dir.'
        )
