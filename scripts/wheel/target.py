"""The wheel target: build the operators into the released Paddle wheel.

Runs before the virtual environment exists, so it needs nothing but the
standard library.
"""

import argparse
import shutil
import time
from pathlib import Path

from scripts.common.clean import check_build_dir, clean, mark, to_clean
from scripts.common.command_line import default_jobs, exit_status, positive
from scripts.common.prerequisites import describe, find_missing, python_range
from scripts.common.steps import Runner, StepFailed, build_lock
from scripts.wheel import install_into, versions
from scripts.wheel.steps import ROOT, packed_steps, shown, wheel_steps

MEMORY_PER_JOB = 1 << 30
SPACE = 2_200_000_000
SPACE_CUDA = 8_000_000_000  # if pip finds no CPU build of PyTorch

EPILOG = """\
examples:
  scripts/apply_and_build.sh                   build into build/venv, show a demo
  scripts/apply_and_build.sh --into ~/env/bin/python
                                               install into that environment
  scripts/apply_and_build.sh --dry-run         print every command, run none
  scripts/apply_and_build.sh --source ~/Paddle apply the patches to a checkout
"""


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A second run does '
        'only what has changed; an interrupted one is continued.',
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    args = parser.parse_args(argv)
    refused = versions.refusal(args.paddle)
    if refused:
        parser.error(refused)
    if args.build_dir is None:
        base = args.paddle == versions.BASE
        args.build_dir = ROOT / ('build' if base else f'build-{args.paddle}')
    return args


def add_options(parser):
    add = parser.add_argument
    add('--jobs', '-j', type=positive, metavar='N',
        default=default_jobs(MEMORY_PER_JOB),
        help='compile jobs at a time (default here: %(default)s, from the '
        'cores and the free memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='folder for everything that is made (default: build)')  # fmt: skip
    add('--python', metavar='P',
        help=f'Python {python_range()} to build for (default: that of --into, '
        'or the first on PATH)')  # fmt: skip
    add('--clean', action='store_true',
        help='delete what earlier runs made, the venv too, and start over')  # fmt: skip
    add('--dry-run', action='store_true',
        help='print the steps and their commands; change nothing')  # fmt: skip
    add('--paddle', metavar='V', default=versions.BASE,
        help='release to build into (default: %(default)s; also '
        f'{", ".join(versions.OTHERS)}, by default in build-V)')  # fmt: skip
    add('--wheel', action='store_true',
        help='pack the result as a wheel in build/dist, which pip installs in '
        'place of paddlepaddle')  # fmt: skip
    add('--into', metavar='PYTHON',
        help='install that wheel into the environment of an interpreter that '
        'has the release')  # fmt: skip
    add('--source', type=Path, metavar='DIR',
        help='source target: build this Paddle checkout instead; '
        '--source DIR --help lists its own options')  # fmt: skip


def next_words(build):
    """What the user can do with the result."""
    python = shown(build / 'venv' / 'bin' / 'python')
    tests = f'ctest --test-dir {shown(build)} --output-on-failure'
    return (
        f'\nNext:\n'
        f'  {tests:<52} all tests\n'
        f'  {tests.split(" --output")[0] + " -R masked_scatter":<52} of one API\n'
        f'  {python:<52} a Python with this Paddle\n'
        f'  {python + " scripts/wheel/demo.py":<52} the demonstration again\n'
    )


def check_environment(python):
    """Fail before the build if the wheel could not be installed after it."""
    try:
        install_into.check(python, *install_into.asked(python))
    except install_into.IntoError as error:
        raise StepFailed(f'--into: {error}') from error


def check_space(build):
    """Say what a first build takes, before it takes it."""
    if (build / 'venv').is_dir():
        return
    there = next(p for p in (build, *build.parents) if p.is_dir())
    takes = (
        f'a first build takes {SPACE / 1e9} GB (PyTorch 0.8, Paddle 0.7), '
        f'up to {SPACE_CUDA / 1e9:.0f} GB if pip brings the one with CUDA'
    )
    free = shutil.disk_usage(there).free
    if free < SPACE:
        raise StepFailed(
            f'{there}: {takes}, but {free / 1e9:.1f} GB are free there. '
            '--build-dir names another place.'
        )
    print(f'In {shown(build)}, {takes}.')


def run(args):
    """The whole build, or what it would do; the exit status."""
    start = time.monotonic()
    build = args.build_dir.resolve()
    check_build_dir(build, ROOT)
    steps = wheel_steps(build, args.jobs, args.paddle)
    steps += packed_steps(build, args.wheel, args.into)
    if args.dry_run:
        print(f'Dry run: {len(steps)} steps, nothing is changed.')
        if args.clean:
            print('First, --clean deletes:')
            for path in to_clean(build):
                print(f'    {shown(path)}')
        Runner(build, steps, ROOT).dry_run()
        return 0
    missing = find_missing()
    if missing:
        raise StepFailed(describe(missing))
    if args.into:
        check_environment(args.into)
    check_space(build)
    with build_lock(build) as lock_fd:
        mark(build)
        if args.clean:
            clean(build)
        Runner(build, steps, ROOT, lock_fd=lock_fd).run()
    print(f'Done in {time.monotonic() - start:.1f} s.')
    print(next_words(build), end='')
    return 0


def main(argv):
    args = parse_args(argv)
    return exit_status(lambda: run(args), StepFailed)
