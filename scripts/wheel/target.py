"""The command apply_and_build.sh: builds the operators into the released Paddle, or,
with --source, into a checkout.

Runs before the virtual environment exists, so it needs nothing but the standard
library.
"""

import argparse
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.steps import ROOT, check_build_dir, locked, run_steps, shown
from scripts.source import checkout
from scripts.wheel.steps import BASE, HERE, SERVED, check_into, wheel_steps

NEXT = """
Next:
  what there is now  {result} -m paddle_scatter_info
  all tests          ctest --test-dir {folder} --output-on-failure
  of one API         ctest --test-dir {folder} -R masked_scatter
  the demonstration  {python} scripts/wheel/demo.py"""
# What takes a value has a name in capitals.
OPTIONS = """
--jobs -j N: compile jobs at a time (default: as cores and free memory allow)
--build-dir D: folder for everything that is made (default: build)
--python P: Python 3.9 to 3.13 to build for (default: that of --into, or the first on \
PATH)
--dry-run: print the steps and their commands; change nothing
--source DIR: build this Paddle checkout instead: apply the patches, build, install into \
an environment of its own, test
"""
WITHOUT_SOURCE = f"""
--clean: delete what earlier runs made, the venv too, and start over
--paddle V: release to build into (default: {BASE}; also \
{", ".join(SERVED[1:])}, by default in build-V)
--wheel: pack the result as a wheel in build/dist, which pip installs in place of \
paddlepaddle
--into PYTHON: install that wheel into the environment of an interpreter that has the \
release
"""
WITH_SOURCE = """
--only PART: run apply, configure, build or test
--undo: take the patches out: back to the exact commit
--gpu: build with CUDA, for this machine's GPU
--cmake -DX=Y: a further option for cmake: --cmake=-DWITH_X=ON
"""
KINDS = {
    '--jobs': {'type': int},
    '--build-dir': {'type': Path},
    '--source': {'type': Path},
    '--paddle': {'choices': SERVED},
    '--only': {'choices': checkout.PARTS},
    '--cmake': {'action': 'append', 'default': []},
}


def default_jobs(memory_per_job):
    """As many compilers as cores and free memory allow, at least one."""
    if not hasattr(os, 'sched_getaffinity'):
        return 1  # not Linux, which apply_and_build.sh tells
    cores = len(os.sched_getaffinity(0))
    text = Path('/proc/meminfo').read_text(encoding='ascii')
    free = 1024 * int(re.search(r'(?m)^MemAvailable: *(\d+) kB$', text)[1])
    return max(1, min(cores, free // memory_per_job))


def add_options(group, text):
    """Adds options as a text has them; the names that they have in the result."""
    added = []
    for line in text.strip().split('\n'):
        head, what = line.split(': ', 1)
        flags = head.split()
        options = {'action': 'store_true'}
        if head != head.lower():
            options = {'metavar': flags.pop(), **KINDS.get(flags[0], {})}
        added.append(group.add_argument(*flags, help=what, **options).dest)
    return added


def parse_args():
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A second run does '
        'only what has changed; an interrupted one is continued.',
    )
    add_options(parser, OPTIONS)
    without = add_options(parser, WITHOUT_SOURCE)
    group = parser.add_argument_group('with --source')
    with_source = add_options(group, WITH_SOURCE)
    args = parser.parse_args()
    for name in without if args.source else with_source:
        if getattr(args, name):
            where = 'not with' if args.source else 'only with'
            parser.error(f'--{name} goes {where} --source')
    if args.undo and args.only:
        parser.error('--undo goes alone')
    if args.jobs is not None and args.jobs < 1:
        parser.error(f'--jobs {args.jobs}: not 1 or more')
    gigabytes = 4 if args.gpu else 2 if args.source else 1
    args.jobs = args.jobs or default_jobs(gigabytes << 30)
    args.paddle = args.paddle or BASE
    folder = ROOT / ('build' if args.paddle == BASE else f'build-{args.paddle}')
    if args.source:
        args.source = args.source.expanduser().absolute()
        folder = args.source / 'build'
    args.build_dir = (args.build_dir or folder).resolve()
    if args.into:  # a name on PATH too; a link to a Python is another one
        args.into = os.path.abspath(shutil.which(args.into) or args.into)
    return args


def check_venv(args):
    """Exit where the venv is of another Python; tells what a first build takes."""
    config = args.build_dir / 'venv/pyvenv.cfg'
    text = config.read_text('utf-8') if config.is_file() else ''
    if not text:
        print(
            f'In {shown(args.build_dir)}, a first build takes 2.2 GB (PyTorch 0.8, '
            'Paddle 0.7), up to 8 GB if pip brings the one with CUDA.'
        )
    elif not args.clean and f'version = {HERE}.' not in text:
        sys.exit(
            f'{config} is not of Python {HERE}. Use the same Python as before '
            '(--python), build in another folder (--build-dir), or start over '
            'with --clean.'
        )


def run(args):
    """Everything that was asked for, or what that would do."""
    build, folder = args.build_dir, shown(args.build_dir)
    if args.source:
        steps, cwd = checkout.source_steps(args), build
    else:
        check_build_dir(build)
        steps, cwd = wheel_steps(args), ROOT
    if args.dry_run:
        print(f'Dry run: {len(steps)} steps, nothing is changed.')
        run_steps(build, steps)
        return
    start = time.monotonic()
    if not args.source:
        if args.into:
            check_into(args.into)
        check_venv(args)
    with locked(build) as lock:
        run_steps(build, steps, lock, cwd)
    print(f'Done in {time.monotonic() - start:.1f} s.')
    if not args.source:
        python = f'{folder}/venv/bin/python'
        result = shown(args.into) if args.into else python
        print(NEXT.format(folder=folder, python=python, result=result))


def main():
    # A reader that has gone is no error; SIGTERM ends a run like Ctrl-C does.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    args = parse_args()
    try:
        run(args)
    except OSError as error:
        sys.exit(f'\n{error}')
    except KeyboardInterrupt:
        text = '\nStopped. Run the same command again to go on.'
        print(text, file=sys.stderr)
        sys.exit(130)


if __name__ == '__main__':
    main()
