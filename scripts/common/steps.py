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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LOG_TAIL_LINES = 25
MARKER = '.scatter_ops_build'


class Step(NamedTuple):
    """An idempotent command, and a hint that is printed if it fails."""

    name: str
    command: str
    hint: str
    show_output: bool = False


def quote_path(path):
    """Quote a path for a shell; relative if it is in the project folder."""
    return shlex.quote(str(path).removeprefix(f'{ROOT}{os.sep}'))


def run_steps(build, steps, lock=None, cwd=ROOT):
    """Run the steps; without a lock, only print them.

    The children inherit the descriptor `lock`, so the folder stays locked while
    any of them outlives this process.
    """
    for number, step in enumerate(steps, 1):
        head = f'[{number}/{len(steps)}] {step.name}'
        if lock is None:
            print(f'{head}\n    {step.command}')
        else:
            log = build / f'logs/{number:02d}-{step.name}.log'
            run_step(step, log, f'{head} ... ', lock, cwd)


def run_step(step, log, head, lock, cwd):
    """Run a step and report it in one line; exit if it fails."""
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
                show_progress(head, f'{time.monotonic() - start:.0f} s  ', log)
    except BaseException:  # such as KeyboardInterrupt
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        raise
    if sys.stdout.isatty():
        print('\033[K', end='')
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


def show_progress(head, seconds, log):
    """Show the time and the last line of the log after a terminal's cursor."""
    width = shutil.get_terminal_size().columns - 1
    text = f'{head}{seconds}{read_lines(log)[-1].strip()}'
    print(f'\r\033[K{text[:width]}\r{head}', end='', flush=True)


def check_build_dir(build):
    """Exit unless the folder is missing, empty, or created by a build."""
    files = list(build.glob('*'))
    if files and not (build / MARKER).is_file():
        sys.exit(
            f'--build-dir {build}: not created by a build, but contains '
            f'{files[0].name}. Specify a new or an empty folder.'
        )


@contextmanager
def lock_folder(build):
    """Lock a build folder; yield the descriptor."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / MARKER, 'a') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(
                f'Another build is using {build}. Wait for it to finish, or '
                'specify another --build-dir.'
            )
        yield file.fileno()
