"""The steps that build the operators into a released Paddle wheel.

Each command could be typed by hand in the project folder.
"""

import sys
from pathlib import Path

from scripts.common import steps
from scripts.common.steps import Step
from scripts.wheel import versions

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / 'scripts'
WHEEL = SCRIPTS / 'wheel'
NATIVE = ROOT / 'native'


def shown(path):
    """A path as a person in the project folder would type it."""
    return steps.shown(path, ROOT)


def wheel_steps(build, jobs, paddle):
    """The steps of the wheel target, in order."""
    venv = build / 'venv'
    python = venv / 'bin/python'
    other = [] if paddle == versions.BASE else ['--paddle', paddle]
    make_venv = [sys.executable, SCRIPTS / 'common/make_venv.py']
    return [
        Step(
            'prerequisites',
            'check the prerequisites',
            [[sys.executable, SCRIPTS / 'common/prerequisites.py']],
            'install what is missing, then run this again.',
        ),
        Step(
            'venv',
            'set up the Python environment',
            [[*make_venv, '--venv', venv, *other]],
            'check the network and the disk space (df -h), then run this '
            'again: it goes on where it stopped. A damaged environment is '
            'replaced with --clean.',
        ),
        Step(
            'check-yaml',
            'check ops_yaml',
            [[python, SCRIPTS / 'op_rules/check_ops_yaml.py']],
            'correct the entry that the log names.',
        ),
        Step(
            'patch',
            "change Paddle's Python files",
            [[python, WHEEL / 'install.py', 'python', '--build-dir', build]],
            'correct what the log names in python_api or series.yaml.',
        ),
        *compile_steps(build, python, jobs),
        *installed_steps(build, python, other),
    ]


def compile_steps(build, python, jobs):
    """Generate, configure, compile."""
    glue, yaml = build / 'glue', ROOT / 'ops_yaml'
    generate = [python, NATIVE / 'glue/generate_native.py']
    configure = ['cmake', '-S', ROOT, '-B', build, '-G', 'Ninja']
    configure += [f'-DCMAKE_MAKE_PROGRAM={python.parent / "ninja"}']
    configure += [f'-DPYTHON={python}', '-DCMAKE_BUILD_TYPE=Release']
    return [
        Step(
            'glue',
            'generate the glue code',
            [[*generate, '--yaml-dir', yaml, '--out', glue]],
            'the log names the ops_yaml entry or the generator line.',
            inputs=[
                yaml,
                NATIVE / 'kernels/base_ops',
                *sorted(NATIVE.glob('**/*.j2')),
                *sorted(NATIVE.glob('glue/*.py')),
                SCRIPTS / 'common/files.py',
                SCRIPTS / 'op_rules/schema.py',
            ],
            outputs=[glue],
        ),
        Step(
            'configure',
            'configure',
            [configure],
            'is there a working C++ compiler (g++ --version)? A build '
            'folder that was moved needs --clean.',
            inputs=[ROOT / 'CMakeLists.txt'],
            outputs=[build / 'build.ninja'],
        ),
        Step(
            'compile',
            'compile the operators',
            [['cmake', '--build', build, '-j', str(jobs)]],
            'the first "error:" in the log is the one that counts; if the '
            'compiler was killed, memory ran out: use --jobs 1.',
        ),
    ]


def installed_steps(build, python, other):
    """Install, smoke test, demonstration."""
    installed = [
        build / '_native_lib.so',
        build / 'glue',
        build / 'originals' / 'state.json',
        ROOT / 'requirements.txt',
    ]
    smoke, demo = WHEEL / 'smoke_test.py', WHEEL / 'demo.py'
    return [
        Step(
            'install',
            'install into the Python environment',
            [[python, WHEEL / 'install.py', 'native', '--build-dir', build]],
            'start over with --clean.',
        ),
        Step(
            'smoke-test',
            'smoke test in a fresh process',
            [[python, smoke, *other]],
            'the last line says what is wrong; by hand: '
            f'{shown(python)} scripts/wheel/smoke_test.py',
            inputs=[smoke, *installed],
        ),
        Step(
            'demo',
            'demonstration',
            [[python, demo, '--build-dir', build]],
            f'repeat it by hand: {shown(python)} scripts/wheel/demo.py',
            inputs=[demo, *installed],
            show_output=True,
        ),
    ]


def packed_steps(build, wheel, into):
    """A wheel of the result, and its installation for another interpreter."""
    python = build / 'venv/bin/python'
    in_build = ['--build-dir', build]
    pack = Step(
        'wheel',
        'pack a wheel',
        [[python, WHEEL / 'pack_wheel.py', *in_build]],
        'check the network and the disk space: packing takes 1.2 GB.',
        inputs=[
            build / '_native_lib.so',
            build / 'glue',
            ROOT / 'python_api',
            *sorted(NATIVE.glob('glue/*.py')),
            *sorted(WHEEL.glob('*.py')),
            SCRIPTS / 'series/series.yaml',
        ],
        outputs=[build / 'dist'],
        show_output=True,
    )
    install = Step(
        'into',
        'install the wheel',
        [[python, WHEEL / 'install_into.py', str(into), *in_build]],
        'the last line says what is wrong.',
        show_output=True,
    )
    return [pack] * bool(wheel or into) + [install] * bool(into)
