"""The command apply_and_build.sh: builds the operators into the released Paddle, or,
with --source, into a checkout.

Runs before the virtual environment exists, with the standard library only.
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

from scripts.common.programs import run as capture
from scripts.common.steps import ROOT, check_build_dir, locked, run_steps, shown
from scripts.source import checkout
from scripts.wheel.steps import (
    BASE,
    HERE,
    NAME,
    RELEASES,
    check_into,
    wheel_steps,
)

INSTALL_HINT = """
  Debian, Ubuntu: sudo apt-get install python3 python3-venv python3-dev g++ cmake git
  Fedora, RHEL:   sudo dnf install python3 python3-devel gcc-c++ cmake git
  Another Python: scripts/apply_and_build.sh --python PATH"""


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f'{text}: not 1 or more')
    return int(text)


# fmt: off
OPTIONS = {
    '--jobs': {
        'type': positive, 'metavar': 'N',
        'help': 'compile jobs at a time (default: as cores and free memory allow)'},
    '--build-dir': {
        'type': Path, 'metavar': 'D',
        'help': 'folder for everything that is made (default: build)'},
    '--python': {
        'metavar': 'P', 'help': 'Python 3.9 to 3.13 to build for (default: that of --into, '
        'or the first on PATH)'},
    '--dry-run': {
        'action': 'store_true',
        'help': 'print the steps and their commands; change nothing'},
    '--source': {
        'type': Path, 'metavar': 'DIR', 'help': 'build this Paddle checkout instead: apply '
        'the patches, build, install into an environment of its own, test'},
}
WITHOUT_SOURCE = {
    '--clean': {
        'action': 'store_true',
        'help': 'delete what earlier runs made, the venv too, and start over'},
    '--paddle': {
        'choices': RELEASES, 'metavar': 'V', 'help': f'release to build into (default: {BASE}; '
        f'also {", ".join(RELEASES[1:])}, by default in build-V)'},
    '--wheel': {
        'action': 'store_true', 'help': 'pack the result as a wheel in build/dist, which '
        'pip installs in place of paddlepaddle'},
    '--into': {
        'metavar': 'PYTHON', 'help': 'install that wheel into the environment of an '
        'interpreter that has the release'},
}
WITH_SOURCE = {
    '--only': {
        'choices': checkout.PARTS, 'metavar': 'PART',
        'help': 'run apply, configure, build or test'},
    '--gpu': {
        'action': 'store_true', 'help': "build with CUDA, for this machine's GPU"},
    '--cmake': {
        'action': 'append', 'default': [], 'metavar': '-DX=Y',
        'help': 'a further option for cmake: --cmake=-DWITH_X=ON'},
}
# fmt: on


def parse_args():
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A second run does '
        'only what has changed; an interrupted one is continued.',
    )
    for title, options in (
        ('both', OPTIONS),
        ('without --source', WITHOUT_SOURCE),
        ('with --source', WITH_SOURCE),
    ):
        group = parser.add_argument_group(title)
        for name, settings in options.items():
            names = (name, '-j') if name == '--jobs' else (name,)
            group.add_argument(*names, **settings)
    args = parser.parse_args()
    for name in WITHOUT_SOURCE if args.source else WITH_SOURCE:
        if getattr(args, name[2:]):
            where = 'not with' if args.source else 'only with'
            parser.error(f'{name} goes {where} --source')
    set_defaults(args)
    return args


def set_defaults(args):
    gigabytes = 4 if args.gpu else 2 if args.source else 1
    args.jobs = args.jobs or default_jobs(gigabytes << 30)
    args.paddle = args.paddle or BASE
    folder = ROOT / ('build' if args.paddle == BASE else f'build-{args.paddle}')
    if args.source:
        args.source = args.source.expanduser().absolute()
        folder = args.source / 'build'
    args.build_dir = (args.build_dir or folder).resolve()
    if args.into:  # a name on PATH too, but not the target of a link
        args.into = os.path.abspath(shutil.which(args.into) or args.into)


def default_jobs(memory_per_job):
    """As many compilers as cores and free memory allow, at least one."""
    if not hasattr(os, 'sched_getaffinity'):
        return 1  # not Linux, which missing_tools reports
    cores = len(os.sched_getaffinity(0))
    text = Path('/proc/meminfo').read_text(encoding='ascii')
    free = 1024 * int(re.search(r'(?m)^MemAvailable: *(\d+) kB$', text)[1])
    return max(1, min(cores, free // memory_per_job))


def missing_tools():
    """Yields what this machine lacks for a build of the wheel target."""
    machine = f'{platform.system()} on {platform.machine()}'
    if machine != 'Linux on x86_64':
        yield f'Linux on x86_64: this is {machine}'
    if not importlib.util.find_spec('ensurepip'):
        yield f'the venv module of {sys.executable}'
    headers = sysconfig.get_paths()['include']
    if not Path(headers, 'Python.h').is_file():
        yield f'Python.h: not in {headers}'
    yield from (x for x in ('g++', 'git') if not shutil.which(x))
    text = capture('cmake', '--version').stdout if shutil.which('cmake') else ''
    version = re.search(r'(\d+)\.(\d+)', text)
    if not version or (int(version[1]), int(version[2])) < (3, 20):
        yield f'cmake 3.20 or later: {version[0] if version else "none"} is here'


def check_venv(args):
    """Exits if the venv is of another Python."""
    config = args.build_dir / 'venv/pyvenv.cfg'
    if config.is_file() and f'version = {HERE}.' not in config.read_text(
        'utf-8'
    ):
        sys.exit(
            f'{config} is not of Python {HERE}. Use the same Python as before '
            '(--python), build in another folder (--build-dir), or start over '
            'with --clean.'
        )


def next_commands(args):
    """The commands that a user of this build may type next."""
    folder = shown(args.build_dir)
    python = f'{folder}/venv/bin/python'
    back = f'-m pip install --no-deps --force-reinstall {NAME}=={BASE}'
    if args.into:
        into = shown(args.into)
        return {
            'what there is now': f'{into} -m paddle_scatter_info',
            'back to the release': f'{into} {back}',
        }
    if args.wheel:
        install = '-m pip install --no-deps --force-reinstall'
        return {'install it': f'PYTHON {install} {folder}/dist/*.whl'}
    return {
        'what there is now': f'{python} -m paddle_scatter_info',
        'all tests': f'ctest --test-dir {folder} --output-on-failure',
        'of one API': f'ctest --test-dir {folder} -R masked_scatter',
        'the demonstration': f'{python} scripts/wheel/demo.py',
    }


def run(args):
    """Runs the steps, or prints them."""
    build = args.build_dir
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
        if missing := list(missing_tools()):
            sys.exit('\n  '.join(['Missing:', *missing]) + f'\n{INSTALL_HINT}')
        if args.into:
            check_into(args.into)
        if not args.clean:
            check_venv(args)
    with locked(build) as lock:
        run_steps(build, steps, lock, cwd)
    print(f'Done in {time.monotonic() - start:.1f} s.')
    if not args.source:
        print('\nNext:')
        for purpose, command in next_commands(args).items():
            print(f'  {purpose:<19}  {command}')


def main():
    # A closed pipe ends the run silently; SIGTERM ends it as Ctrl-C does.
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
