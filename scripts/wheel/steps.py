"""The steps that build the operators into a released wheel and install it."""

import shlex
import sys

from scripts.common.programs import run
from scripts.common.steps import MARKER, Step, quote_path

NAME = 'paddlepaddle'
BASE = '3.3.1'
# The releases that the wheel target supports.
RELEASES = (BASE, '3.3.0')
PYTHON_VERSION = '{}.{}'.format(*sys.version_info)
PIP = '-m pip --no-input --disable-pip-version-check'


def make_wheel_steps(args):
    """Return the steps, including those of --clean, --wheel and --into."""
    build, folder = args.build_dir, quote_path(args.build_dir)
    python = f'{folder}/venv/bin/python'
    ninja = shlex.quote(str(build / 'venv/bin/ninja'))
    install = f'{python} scripts/wheel/install.py --build-dir {folder}'
    packs_wheel = args.wheel or args.into
    tests = '' if packs_wheel else '-r requirements-test.txt '
    steps = []
    if args.clean:
        command = (
            f'find {folder} -mindepth 1 -maxdepth 1 ! -name {MARKER} '
            '! -name logs -exec rm -rf {} +'
        )
        steps.append(Step('clean', command, 'check who owns the files.'))
    # Python compiles modules when they are imported; pip would compile all.
    steps += [
        Step(
            'environment',
            f'{python} -m pip --version || '
            f'{quote_path(sys.executable)} -m venv --clear {folder}/venv',
        ),
        Step(
            'packages',
            f'{python} {PIP} install --no-compile -r requirements.txt {tests}'
            f'{NAME}=={args.paddle}',
            'check the network and the disk space (df -h); a rerun resumes. '
            '--clean replaces a damaged environment.',
        ),
        Step(
            'generate',
            f'{python} native/glue/generate_native.py --out {folder}/glue',
            'the log has the ops_yaml entry or the line of the generator.',
        ),
        Step(
            'configure',
            f'cmake -S . -B {folder} -G Ninja -DCMAKE_BUILD_TYPE=Release '
            f'-DCMAKE_MAKE_PROGRAM={ninja}',
            'check the versions of g++ (C++17) and cmake (3.20 or later). If the '
            'build folder was moved, use --clean.',
        ),
        Step(
            'compile',
            f'cmake --build {folder} -j {args.jobs}',
            'fix the first "error:" in the log. If the compiler was killed, '
            'memory ran out: use --jobs 1.',
        ),
        Step(
            'install',
            install,
            'the log has the file or patch. After a change in python_api, '
            'export the patches; otherwise start over with --clean.',
        ),
        Step(
            'demonstration',
            f'{python} scripts/wheel/demo.py',
            show_output=True,
        ),
    ]
    if packs_wheel:
        hint = 'check the disk space: the wheel takes 0.2 GB.'
        steps.append(Step('wheel', f'{install} --pack', hint, show_output=True))
    if args.into:
        # With the build's pip: the environment may have none.
        command = (
            f'{python} {PIP} --python {shlex.quote(args.into)} install '
            f'--no-deps --force-reinstall --no-index {folder}/dist/*.whl'
        )
        steps.append(Step('into', command))
    return steps


def check_into(python, release):
    """Exit unless the environment has this Python version and the release."""
    code = (
        'import sys; from importlib.metadata import version; '
        f'print("%d.%d with" % sys.version_info[:2], version("{NAME}"))'
    )
    process = run(python, '-c', code)
    # After an error, the last line of its traceback.
    version = (process.stdout or process.stderr).strip().rpartition('\n')[2]
    expected = f'{PYTHON_VERSION} with {release}'
    if version.partition('+')[0] != expected:
        word = shlex.quote(python)
        sys.exit(
            f'--into: {python}: expected Python and {NAME} {expected}, but '
            f'received {version}\nInstall the release: {word} -m pip install '
            f'{NAME}=={release}. To build for another Python: --python {word} and '
            'another --build-dir.'
        )
