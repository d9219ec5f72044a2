"""The steps that build the operators into a released Paddle wheel, and install it."""

import shlex
import sys

from scripts.common.programs import run
from scripts.common.steps import Step, shown

NAME = 'paddlepaddle'
BASE = '3.3.1'
# The releases that the wheel target supports.
RELEASES = (BASE, '3.3.0')
HERE = '{}.{}'.format(*sys.version_info)
CREATED = (
    'venv site-packages glue dist _native_lib.so CMake* Testing CTest* '
    'cmake_install.cmake build.ninja compile_commands.json .ninja*'
)
PIP = '-m pip --no-input --disable-pip-version-check'


def packs(args):
    """Whether a wheel is built: then what the tests need is not installed."""
    return args.wheel or bool(args.into)


def wheel_steps(args):
    """The steps up to an environment with the operators, a wheel, or --into."""
    build, folder = args.build_dir, shown(args.build_dir)
    python = f'{folder}/venv/bin/python'
    tools = shlex.quote(str(build / 'venv/bin'))
    tests = '' if packs(args) else '-r requirements-test.txt '
    # Python compiles the modules that are imported; pip would compile all.
    steps = [
        Step(
            'environment',
            f'{python} -m pip --version || '
            f'{shown(sys.executable)} -m venv --clear {folder}/venv',
            'the last line says what is wrong.',
        ),
        Step(
            'packages',
            f'{python} {PIP} install --no-compile -r requirements.txt {tests}'
            f'{NAME}=={args.paddle}',
            'check the network and the disk space (df -h), then run this again: it '
            'goes on where it stopped. --clean replaces a damaged environment.',
        ),
        Step(
            'generate',
            f'{python} native/glue/generate_native.py --out {folder}/glue',
            'the log names the ops_yaml entry or the generator line.',
        ),
        Step(
            'configure',
            f'cmake -S . -B {folder} -G Ninja -DCMAKE_BUILD_TYPE=Release '
            f'-DCMAKE_MAKE_PROGRAM={tools}/ninja -DPYTHON={tools}/python',
            'is there a working C++ compiler (g++ --version)? A build folder that '
            'was moved needs --clean.',
        ),
        Step(
            'compile',
            f'cmake --build {folder} -j {args.jobs}',
            'the first "error:" in the log is the one that counts; if the compiler '
            'was killed, memory ran out: use --jobs 1.',
        ),
        Step(
            'install',
            f'{python} scripts/wheel/install.py --build-dir {folder}',
            'the log names a file or a patch. After a change in python_api, export '
            'the patches; or start over with --clean.',
        ),
        Step(
            'demonstration',
            f'{python} -m paddle_scatter_info && {python} scripts/wheel/demo.py',
            'the last line says what is wrong.',
            show_output=True,
        ),
    ]
    if packs(args):
        wheel = Step(
            'wheel',
            f'{python} scripts/wheel/install.py --build-dir {folder} --pack',
            'check the disk space: the wheel takes 0.2 GB.',
            show_output=True,
        )
        steps.append(wheel)
    if args.into:
        # By the build's pip, since not every environment has one.
        into = Step(
            'into',
            f'{python} {PIP} --python {shlex.quote(args.into)} install '
            f'--no-deps --force-reinstall --no-index {folder}/dist/*.whl',
            'the last line says what is wrong.',
        )
        steps.append(into)
    if args.clean:
        command = f'cd {folder} && rm -rf {CREATED}'
        clean = Step('clean', command, 'are files of the folder not yours?')
        steps = [clean, *steps]
    return steps


def check_into(python):
    """Exits unless the environment has the release that the wheel is for."""
    code = (
        'import sys; from importlib.metadata import version; '
        f'print("%d.%d with" % sys.version_info[:2], version("{NAME}"))'
    )
    done = run(python, '-c', code)
    # of an error, the last line
    version = (done.stdout or done.stderr).strip().rpartition('\n')[2]
    expected = f'{HERE} with {BASE}'
    if version.partition('+')[0] != expected:
        typed = shlex.quote(python)
        sys.exit(
            f'--into: {python}: the operators are for Python and {NAME} {expected}, '
            f'but this is: {version}\nInstall it first: {typed} -m pip install '
            f'{NAME}=={BASE}. For another Python: --python {typed} and a '
            '--build-dir of its own.'
        )
