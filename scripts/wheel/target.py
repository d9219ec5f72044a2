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

from scripts.common.build_folder import check_build_dir, locked
from scripts.common.steps import ROOT, run_steps, shown
from scripts.source import checkout
from scripts.wheel import versions
from scripts.wheel.steps import HERE, check_into, wheel_steps

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
# The options that one of the two targets has.
WHEEL_ONLY = ('clean', 'paddle', 'wheel', 'into')
SOURCE_ONLY = ('only', 'undo', 'gpu', 'cmake')


def positive(text):
    """A number of one or more, for argparse."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'{text} is not 1 or more')
    return int(text)


def default_jobs(memory_per_job):
    """As many compilers as cores and free memory allow, at least one."""
    if not hasattr(os, 'sched_getaffinity'):
        return 1  # not Linux, which apply_and_build.sh tells
    cores = len(os.sched_getaffinity(0))
    text = Path('/proc/meminfo').read_text(encoding='ascii')
    free = 1024 * int(re.search(r'(?m)^MemAvailable: *(\d+) kB$', text)[1])
    return max(1, min(cores, free // memory_per_job))


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
        help='compile jobs at a time (default: from the cores and the free '
        'memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='folder for everything that is made (default: build)')  # fmt: skip
    add('--python', metavar='P',
        help='Python 3.9 to 3.13 to build for (default: that of --into, or '
        'the first on PATH)')  # fmt: skip
    add('--clean', action='store_true',
        help='delete what earlier runs made, the venv too, and start over')  # fmt: skip
    add('--dry-run', action='store_true',
        help='print the steps and their commands; change nothing')  # fmt: skip
    add('--paddle', metavar='V', choices=versions.SERVED,
        help=f'release to build into (default: {versions.BASE}; also '
        f'{", ".join(versions.SERVED[1:])}, by default in build-V)')  # fmt: skip
    add('--wheel', action='store_true',
        help='pack the result as a wheel in build/dist, which pip installs in '
        'place of paddlepaddle')  # fmt: skip
    add('--into', metavar='PYTHON',
        help='install that wheel into the environment of an interpreter that '
        'has the release')  # fmt: skip
    add('--source', type=Path, metavar='DIR',
        help='build this Paddle checkout instead: apply the patches, build, '
        'install into an environment of its own, test')  # fmt: skip
    add = parser.add_argument_group('with --source').add_argument
    add('--only', choices=checkout.PARTS, help='run one part')
    add('--undo', action='store_true',
        help='take the patches out: back to the exact commit')  # fmt: skip
    add('--gpu', action='store_true',
        help="build with CUDA, for this machine's GPU")  # fmt: skip
    add('--cmake', action='append', default=[], metavar='-DX=Y',
        help='a further option for cmake: --cmake=-DWITH_X=ON')  # fmt: skip
    args = parser.parse_args()
    for name in WHEEL_ONLY if args.source else SOURCE_ONLY:
        if getattr(args, name):
            where = 'not with' if args.source else 'only with'
            parser.error(f'--{name} goes {where} --source')
    if args.undo and args.only:
        parser.error('--undo goes alone')
    gigabytes = 4 if args.gpu else 2 if args.source else 1
    args.jobs = args.jobs or default_jobs(gigabytes << 30)
    args.paddle = args.paddle or versions.BASE
    if args.source:
        args.source = args.source.expanduser().absolute()
        folder = args.source / 'build'
    elif args.paddle == versions.BASE:
        folder = ROOT / 'build'
    else:
        folder = ROOT / f'build-{args.paddle}'
    args.build_dir = (args.build_dir or folder).resolve()
    if args.into:  # a name on PATH too; a link to a Python is another one
        args.into = os.path.abspath(shutil.which(args.into) or args.into)
    return args


def show_next(args):
    """What the user can do with the result."""
    python = shown(args.build_dir / 'venv' / 'bin' / 'python')
    tests = f'ctest --test-dir {shown(args.build_dir)}'
    print('\nNext:')
    rows = [
        (f'{tests} --output-on-failure', 'all tests'),
        (f'{tests} -R masked_scatter', 'of one API'),
        (python, 'a Python with this Paddle'),
        (f'{python} scripts/wheel/demo.py', 'the demonstration again'),
    ]
    if args.into:
        into = shown(args.into)
        pip = f'{python} -m pip --python {into} install'
        rows += [
            (f'{into} -m paddle_scatter_info', 'what is there now'),
            (f'{pip} --no-deps --force-reinstall {versions.NAME}=={versions.BASE}',
             'goes back'),
        ]  # fmt: skip
    elif args.wheel:
        (wheel,) = (args.build_dir / 'dist').glob('*.whl')
        rows += [(f'pip install --no-deps {shown(wheel)}', 'installs it')]
    for command, result in rows:
        print(f'  {command:<52} {result}')


def check_venv(args):
    """Exit where the venv is of another Python, or a first build has no space,
    which it is told of."""
    build, config = args.build_dir, args.build_dir / 'venv/pyvenv.cfg'
    if config.is_file() and not args.clean:
        text = config.read_text(encoding='utf-8')
        if f'version = {HERE}.' not in text:
            sys.exit(
                f'{config} is not of Python {HERE}. Use the same Python as before '
                '(--python), build in another folder (--build-dir), or start over '
                'with --clean.'
            )
    elif not config.is_file():
        there = next(p for p in (build, *build.parents) if p.is_dir())
        free = shutil.disk_usage(there).free
        if free < SPACE:
            sys.exit(
                f'{there}: {TAKES}, but {free / 1e9:.1f} GB are free there. '
                '--build-dir names another place.'
            )
        print(f'In {shown(build)}, {TAKES}.')


def run_wheel(args):
    """The wheel target, or what it would do."""
    build, steps = args.build_dir, wheel_steps(args)
    check_build_dir(build)
    if args.dry_run:
        print(f'Dry run: {len(steps)} steps, nothing is changed.')
        run_steps(build, steps)
        return
    start = time.monotonic()
    if args.into:
        check_into(args.into)
    check_venv(args)
    with locked(build) as lock:
        run_steps(build, steps, lock)
    print(f'Done in {time.monotonic() - start:.1f} s.')
    show_next(args)


def main():
    # A reader that has gone is no error; SIGTERM ends a run like Ctrl-C does.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    args = parse_args()
    try:
        (checkout.run if args.source else run_wheel)(args)
    except OSError as error:
        sys.exit(f'\n{error}')
    except KeyboardInterrupt:
        print(
            '\nStopped. Run the same command again to go on.', file=sys.stderr
        )
        sys.exit(130)


if __name__ == '__main__':
    main()
