"""Build the operators into the released Paddle or, with --source, a checkout.

Runs before the virtual environment exists: needs only the standard library.
"""

import argparse
import importlib.util
import os
import platform
import re
import shutil
import signal
import sys
import sysconfig
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.steps import (
    ROOT,
    check_build_dir,
    lock_folder,
    print_steps,
    quote_path,
    run_steps,
)
from scripts.source import checkout
from scripts.wheel.steps import (
    BASE,
    NAME,
    PYTHON_VERSION,
    RELEASES,
    check_into,
    make_wheel_steps,
)

INSTALL_HINT = """
  Debian, Ubuntu: apt-get install python3 python3-venv python3-dev g++ cmake git
  Fedora, RHEL:   dnf install python3 python3-devel gcc-c++ cmake git
  Another Python: scripts/apply_and_build.sh --python PATH"""


# fmt: off
def parse_args():
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A rerun rebuilds only '
        'what has changed, and resumes an interrupted build.',
        allow_abbrev=False,  # apply_and_build.sh reads --python and --into
    )
    add = parser.add_argument_group('both').add_argument
    add('--jobs', '-j', type=int, metavar='N',
        help='parallel compile jobs (default: by cores and free memory)')
    add('--build-dir', type=Path, metavar='D',
        help='folder of the build (default: build)')
    add('--python', metavar='P', help='Python 3.9 to 3.13 to build for '
        '(default: the one of --into, or the first on PATH)')
    add('--dry-run', action='store_true',
        help='print the steps and their commands without running them')
    add('--source', type=Path, metavar='DIR', help='apply the patches to a '
        'Paddle checkout, build it, install it into a separate environment, '
        'test it')
    add = parser.add_argument_group('without --source').add_argument
    add('--clean', action='store_true',
        help='empty the build folder and start over')
    add('--paddle', choices=RELEASES, metavar='V', help='release to build '
        f'into (default: {BASE}; also {", ".join(RELEASES[1:])}, in build-V)')
    add('--wheel', action='store_true', help='pack a wheel in build/dist '
        'that replaces the released paddlepaddle')
    add('--into', metavar='PYTHON', help='install the wheel into the '
        'environment of this interpreter, which has the release')
    add = parser.add_argument_group('with --source').add_argument
    add('--only', choices=['apply'], help='apply the patches without a build')
    add('--gpu', action='store_true', help='build with CUDA for the GPU here')
    # fmt: on
    args = parser.parse_args()
    without_source = ('clean', 'paddle', 'wheel', 'into')
    with_source = ('only', 'gpu')
    for name in without_source if args.source else with_source:
        if getattr(args, name):
            verb = 'cannot' if args.source else 'can only'
            parser.error(f'--{name} {verb} be used with --source')
    set_defaults(args)
    return args


def set_defaults(args):
    gigabytes = 4 if args.gpu else 2 if args.source else 1
    args.jobs = args.jobs or compute_default_jobs(gigabytes << 30)
    args.paddle = args.paddle or BASE
    folder = ROOT / ('build' if args.paddle == BASE else f'build-{args.paddle}')
    if args.source:
        args.source = args.source.expanduser().absolute()
        folder = args.source / 'build'
    args.build_dir = (args.build_dir or folder).resolve()
    if args.into:  # found on PATH; links are not resolved, as in a venv
        args.into = os.path.abspath(shutil.which(args.into) or args.into)


def compute_default_jobs(memory_per_job):
    """Return the number of jobs that cores and memory allow, at least 1."""
    if not hasattr(os, 'sched_getaffinity'):
        return 1  # not Linux: list_missing_tools reports it
    cores = len(os.sched_getaffinity(0))
    text = Path('/proc/meminfo').read_text(encoding='ascii')
    free = 1024 * int(re.search(r'(?m)^MemAvailable: *(\d+) kB$', text)[1])
    return max(1, min(cores, free // memory_per_job))


def list_missing_tools():
    """Yield the requirements of the wheel target that this machine lacks."""
    machine = f'{platform.system()} on {platform.machine()}'
    if machine != 'Linux on x86_64':
        yield f'Linux on x86_64: this is {machine}'
    if not importlib.util.find_spec('ensurepip'):
        yield f'the venv module of {sys.executable}'
    headers = sysconfig.get_paths()['include']
    if not Path(headers, 'Python.h').is_file():
        yield f'Python.h: not in {headers}'
    # cmake itself rejects versions before 3.20.
    yield from (x for x in ('g++', 'git', 'cmake') if not shutil.which(x))


def check_requirements(args):
    """Exit if the wheel target cannot be built here as the options demand."""
    if missing := list(list_missing_tools()):
        sys.exit('\n  '.join(['Missing:', *missing]) + f'\n{INSTALL_HINT}')
    if args.into:
        check_into(args.into, args.paddle)
    config = args.build_dir / 'venv/pyvenv.cfg'
    version = f'version = {PYTHON_VERSION}.'
    if not args.clean and config.is_file() and version not in config.read_text():
        sys.exit(
            f'{config}: the Python is not {PYTHON_VERSION}. Use the same '
            'Python as before (--python), build in another folder '
            '(--build-dir), or start over with --clean.'
        )


def list_next_commands(args):
    """Return {purpose: command} for the user of this build."""
    folder = quote_path(args.build_dir)
    python = quote_path(args.into or args.build_dir / 'venv/bin/python')
    install = '-m pip install --no-deps --force-reinstall'
    show = {'show the build': f'{python} -m paddle_scatter_info'}
    if args.into:
        restore = f'{python} {install} {NAME}=={args.paddle}'
        return {**show, 'restore the release': restore}
    if args.wheel:
        return {'install the wheel': f'PYTHON {install} {folder}/dist/*.whl'}
    return {
        **show,
        'run all tests': f'ctest --test-dir {folder} --output-on-failure',
        'test one API': f'ctest --test-dir {folder} -R masked_scatter',
        'run the demo': f'{python} scripts/wheel/demo.py',
    }


def run(args):
    """Run the steps, or print them."""
    build = args.build_dir
    if args.source:
        steps, cwd = checkout.make_source_steps(args), build
    else:
        check_build_dir(build)
        steps, cwd = make_wheel_steps(args), ROOT
    if args.dry_run:
        print_steps(steps)
        return
    start = time.monotonic()
    if not args.source:
        check_requirements(args)
    lock_folder(build)
    run_steps(build, steps, cwd)
    print(f'Done in {time.monotonic() - start:.1f} s.')
    if not args.source:
        print('\nNext:')
        for purpose, command in list_next_commands(args).items():
            print(f'  {purpose:<19}  {command}')


def main():
    # A closed pipe ends the run silently; SIGTERM acts like Ctrl-C.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    args = parse_args()
    try:
        run(args)
    except OSError as error:
        sys.exit(f'\n{error}')
    except KeyboardInterrupt:
        text = '\nInterrupted. Run the same command again to resume.'
        print(text, file=sys.stderr)
        sys.exit(130)


if __name__ == '__main__':
    main()
