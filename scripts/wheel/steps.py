"""The steps that build the operators into a released Paddle wheel, and install it.

Each command could be typed by hand in the project folder.
"""

import shlex
import sys

from scripts.common.programs import run
from scripts.common.steps import ROOT, read_steps, shown

# The released Paddles that the wheel target is for.
NAME = 'paddlepaddle'
BASE = '3.3.1'
SERVED = (BASE, '3.3.0')
HERE = '{}.{}'.format(*sys.version_info)
CLEAN = """
clean: delete what earlier runs made
cd {folder} && rm -rf venv site-packages glue stamps dist _native_lib.so CMake* Testing \
CTest* cmake_install.cmake build.ninja compile_commands.json .ninja*
are files of the folder not yours?
"""
# Python compiles what is imported. pip would compile all that there is.
BUILD = """
venv: make a Python environment
{host} -m venv --clear {folder}/venv
the last line says what is wrong.

requirements: install what the build and the tests need
{requirements} | {python} -m pip install --no-input --disable-pip-version-check \
--no-compile -r /dev/stdin
check the network and the disk space (df -h), then run this again: it goes on where it \
stopped. A damaged environment is replaced with --clean.

glue: check ops_yaml, generate the glue code
{python} native/glue/generate_native.py --out {folder}/glue
the log names the ops_yaml entry or the generator line.

configure: configure
cmake -S . -B {folder} -G Ninja -DCMAKE_BUILD_TYPE=Release \
-DCMAKE_MAKE_PROGRAM={tools}/ninja -DPYTHON={tools}/python
is there a working C++ compiler (g++ --version)? A build folder that was moved needs --clean.

compile: compile the operators
cmake --build {folder} -j {jobs}
the first "error:" in the log is the one that counts; if the compiler was killed, memory ran \
out: use --jobs 1.

install: install into the Python environment
{python} scripts/wheel/install.py --build-dir {folder}
correct what the log names in python_api or series.yaml, or start over with --clean.

demo: demonstration
{python} -m paddle_scatter_info && {python} scripts/wheel/demo.py
the last line says what is wrong.
"""
WHEEL = """
wheel: pack a wheel
{python} scripts/wheel/install.py --build-dir {folder} --pack
check the disk space: the wheel takes 0.2 GB.
"""
# Our own pip: not every environment has one. Over what is there; Paddle needs the same
# packages as before.
INTO = """
into: install the wheel
{python} -m pip --python {into} install --no-deps --force-reinstall --no-index \
--disable-pip-version-check {folder}/dist/*.whl
the last line says what is wrong.
"""
ASK = f"""
import sys
from importlib.metadata import version
print('%d.%d with' % sys.version_info[:2], version('{NAME}'))
"""


def check_into(python):
    """Exit unless the environment has the release that the wheel is of."""
    done = run(python, '-c', ASK)
    # Of an error, the last line.
    found = (done.stdout or done.stderr).strip().rpartition('\n')[2]
    wanted = f'{HERE} with {BASE}'
    if found.partition('+')[0] != wanted:
        typed = shlex.quote(python)
        sys.exit(
            f'--into: {python}: the operators are for Python and {NAME} {wanted}, but '
            f'this is: {found}\nInstall it first: {typed} -m pip install '
            f'{NAME}=={BASE}. For another Python: --python {typed} and a --build-dir '
            'of its own.'
        )


def wheel_steps(args):
    """Up to a Python with the operators; if asked for, to a wheel, and on."""
    build, folder = args.build_dir, shown(args.build_dir)
    # It changes with what has been put into the Python environment.
    installed, programs = build / 'site-packages', ROOT / 'scripts/wheel'
    pin = f'{NAME}=={args.paddle}'
    text = CLEAN * args.clean + BUILD + WHEEL * (args.wheel or bool(args.into))
    files = {
        'venv': (build / 'venv/pyvenv.cfg',),
        'demo': (programs / 'demo.py', installed),
        'wheel': (programs / 'install.py', installed, build / 'dist'),
    }
    return read_steps(
        text + INTO * bool(args.into),
        files={} if args.clean else files,
        show_output=('demo', 'wheel'),
        folder=folder,
        python=f'{folder}/venv/bin/python',
        tools=shlex.quote(str(build / 'venv/bin')),
        host=shown(sys.executable),
        requirements=f'sed s/^{NAME}==.*/{pin}/ requirements.txt',
        jobs=args.jobs,
        into=args.into and shlex.quote(args.into),
    )
