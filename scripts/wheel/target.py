"""The wheel target: build the operators into the released Paddle wheel.

Runs before the virtual environment exists, so it needs nothing but the standard
library.
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.build_folder import (
    check_build_dir,
    clean,
    locked,
    to_clean,
)
from scripts.common.command_line import (
    Refused,
    default_jobs,
    exit_status,
    positive,
)
from scripts.common.prerequisites import describe, find_missing
from scripts.common.steps import Runner, shown
from scripts.wheel import install_into, versions
from scripts.wheel.steps import ROOT, packed_steps, wheel_steps

MEMORY_PER_JOB = 1 << 30
SPACE = 2_200_000_000
TAKES = (
    f'a first build takes {SPACE / 1e9} GB (PyTorch 0.8, Paddle 0.7), '
    'up to 8 GB if pip brings the one with CUDA'
)
EPILOG = """\
examples:
  scripts/apply_and_build.sh                   build into build/venv, show a demo
  scripts/apply_and_build.sh --into ~/env/bin/python
                                               install into that environment
  scripts/apply_and_build.sh --dry-run         print every command, run none
  scripts/apply_and_build.sh --source ~/Paddle apply the patches to a checkout
"""


def parse_args():
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A second run does '
        'only what has changed; an interrupted one is continued.',
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add('--jobs', '-j', type=positive, metavar='N',
        default=default_jobs(MEMORY_PER_JOB),
        help='compile jobs at a time (default here: %(default)s, from the '
        'cores and the free memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='folder for everything that is made (default: build)')  # fmt: skip
    add('--python', metavar='P',
        help='Python 3.9 to 3.13 to build for (default: that of --into, or '
        'the first on PATH)')  # fmt: skip
    add('--clean', action='store_true',
        help='delete what earlier runs made, the venv too, and start over')  # fmt: skip
    add('--dry-run', action='store_true',
        help='print the steps and their commands; change nothing')  # fmt: skip
    add('--paddle', metavar='V', default=versions.BASE,
        help='release to build into (default: %(default)s; also '
        f'{", ".join(versions.SERVED[1:])}, by default in build-V)')  # fmt: skip
    add('--wheel', action='store_true',
        help='pack the result as a wheel in build/dist, which pip installs in '
        'place of paddlepaddle')  # fmt: skip
    add('--into', metavar='PYTHON',
        help='install that wheel into the environment of an interpreter that '
        'has the release')  # fmt: skip
    add('--source', type=Path, metavar='DIR',
        help='source target: build this Paddle checkout instead; '
        '--source DIR --help lists its own options')  # fmt: skip
    args = parser.parse_args()
    if args.paddle not in versions.SERVED:
        served = ', '.join(versions.SERVED)
        parser.error(
            f'Paddle {args.paddle} is not served: docs/wheel.md says what was '
            f'tried. Served: {served}.'
        )
    base = args.paddle == versions.BASE
    name = 'build' if base else f'build-{args.paddle}'
    args.build_dir = (args.build_dir or ROOT / name).resolve()
    if args.into:  # a name on PATH too; a link to a Python is another one
        args.into = os.path.abspath(shutil.which(args.into) or args.into)
    return args


def show_next(build):
    """What the user can do with the result."""
    python = shown(build / 'venv' / 'bin' / 'python', ROOT)
    tests = f'ctest --test-dir {shown(build, ROOT)}'
    print('\nNext:')
    for command, result in (
        (f'{tests} --output-on-failure', 'all tests'),
        (f'{tests} -R masked_scatter', 'of one API'),
        (python, 'a Python with this Paddle'),
        (f'{python} scripts/wheel/demo.py', 'the demonstration again'),
    ):
        print(f'  {command:<52} {result}')


def check_space(build):
    """Say what a first build takes, before it takes it."""
    there = next(p for p in (build, *build.parents) if p.is_dir())
    free = shutil.disk_usage(there).free
    if free < SPACE:
        raise Refused(
            f'{there}: {TAKES}, but {free / 1e9:.1f} GB are free there. '
            '--build-dir names another place.'
        )
    print(f'In {shown(build, ROOT)}, {TAKES}.')


def dry_run(args, steps):
    """Print what a run would do."""
    print(f'Dry run: {len(steps)} steps, nothing is changed.')
    if args.clean:
        print('First, --clean deletes:')
        for path in to_clean(args.build_dir):
            print(f'    {shown(path, ROOT)}')
    Runner(args.build_dir, steps, ROOT).run(dry=True)


def check_machine(args):
    """Say what would stop the build later, before it starts."""
    if missing := find_missing():
        raise Refused(describe(missing))
    if args.into:
        install_into.check(args.into)
    if not (args.build_dir / 'venv').is_dir():
        check_space(args.build_dir)


def run(args):
    """The whole build, or what it would do; the exit status."""
    start, build = time.monotonic(), args.build_dir
    check_build_dir(build, ROOT)
    steps = wheel_steps(build, args.jobs, args.paddle)
    if args.wheel or args.into:
        steps += packed_steps(build, args.into)
    if args.dry_run:
        dry_run(args, steps)
        return 0
    check_machine(args)
    with locked(build) as lock:
        if args.clean:
            clean(build)
        Runner(build, steps, ROOT, lock).run()
    print(f'Done in {time.monotonic() - start:.1f} s.')
    show_next(build)
    return 0


if __name__ == '__main__':
    arguments = parse_args()
    sys.exit(exit_status(lambda: run(arguments)))
