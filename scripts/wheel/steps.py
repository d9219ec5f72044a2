"""The steps that build the operators into a released Paddle wheel.

Each command could be typed by hand in the project folder.
"""

import sys
from pathlib import Path

from scripts.common.steps import Step
from scripts.wheel import versions

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / 'scripts'
WHEEL = SCRIPTS / 'wheel'
NATIVE = ROOT / 'native'
REQUIREMENTS = ROOT / 'requirements.txt'


def wheel_steps(build, jobs, paddle):
    """Up to a Python with the operators."""
    python = build / 'venv/bin/python'
    other = [] if paddle == versions.BASE else ['--paddle', paddle]
    make_venv = [sys.executable, SCRIPTS / 'common/make_venv.py']
    make_venv += ['--venv', build / 'venv', '--requirements', REQUIREMENTS]
    generate = [python, NATIVE / 'glue/generate_native.py']
    configure = ['cmake', '-S', ROOT, '-B', build, '-G', 'Ninja']
    configure += [f'-DCMAKE_MAKE_PROGRAM={python.parent / "ninja"}']
    configure += [f'-DPYTHON={python}', '-DCMAKE_BUILD_TYPE=Release']
    return [
        Step(
            'venv',
            'set up the Python environment',
            [*make_venv, *other],
            'check the network and the disk space (df -h), then run this '
            'again: it goes on where it stopped. A damaged environment is '
            'replaced with --clean.',
        ),
        Step(
            'check-yaml',
            'check ops_yaml',
            [python, SCRIPTS / 'op_rules/check_ops_yaml.py'],
            'correct the entry that the log names.',
        ),
        Step(
            'glue',
            'generate the glue code',
            [*generate, '--out', build / 'glue'],
            'the log names the ops_yaml entry or the generator line.',
        ),
        Step(
            'configure',
            'configure',
            configure,
            'is there a working C++ compiler (g++ --version)? A build '
            'folder that was moved needs --clean.',
        ),
        Step(
            'compile',
            'compile the operators',
            ['cmake', '--build', build, '-j', jobs],
            'the first "error:" in the log is the one that counts; if the '
            'compiler was killed, memory ran out: use --jobs 1.',
        ),
        Step(
            'install',
            'install into the Python environment',
            [python, WHEEL / 'install.py', '--build-dir', build, *other],
            'correct what the log names in python_api or series.yaml, or '
            'start over with --clean.',
        ),
        Step(
            'demo',
            'demonstration',
            [python, WHEEL / 'demo.py', '--build-dir', build],
            'the last line says what is wrong.',
            files=[WHEEL / 'demo.py', *installed(build)],
            show_output=True,
        ),
    ]


def installed(build):
    """What changes with what has been put into the Python environment."""
    return [build / 'originals/state.json', REQUIREMENTS]


def packed_steps(build, wheel, into):
    """A wheel of the result, and its installation for another interpreter."""
    python = build / 'venv/bin/python'
    in_build = ['--build-dir', build]
    pack = Step(
        'wheel',
        'pack a wheel',
        [python, WHEEL / 'pack_wheel.py', *in_build],
        'check the disk space: the wheel takes 0.2 GB.',
        files=[WHEEL / 'pack_wheel.py', *installed(build), build / 'dist'],
        show_output=True,
    )
    install = Step(
        'into',
        'install the wheel',
        [python, WHEEL / 'install_into.py', str(into), *in_build],
        'the last line says what is wrong.',
        show_output=True,
    )
    return [pack] * bool(wheel or into) + [install] * bool(into)
