"""The steps that build the operators into a released Paddle wheel.

Each command could be typed by hand in the project folder.
"""

import shlex
import sys
from pathlib import Path

from scripts.common.steps import Step, shown
from scripts.wheel import versions

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / 'requirements.txt'


def wheel_steps(build, jobs, paddle):
    """Up to a Python with the operators."""
    folder = shlex.quote(shown(build, ROOT))
    tools = shlex.quote(str(build / 'venv/bin'))
    host = shlex.quote(shown(sys.executable, ROOT))
    python = f'{folder}/venv/bin/python'
    other = '' if paddle == versions.BASE else f' --paddle {paddle}'
    return [
        Step(
            'venv',
            'set up the Python environment',
            f'{host} scripts/common/make_venv.py --venv {folder}/venv '
            f'--requirements requirements.txt{other}',
            'check the network and the disk space (df -h), then run this '
            'again: it goes on where it stopped. A damaged environment is '
            'replaced with --clean.',
        ),
        Step(
            'check-yaml',
            'check ops_yaml',
            f'{python} scripts/op_rules/check_ops_yaml.py',
            'correct the entry that the log names.',
        ),
        Step(
            'glue',
            'generate the glue code',
            f'{python} native/glue/generate_native.py --out {folder}/glue',
            'the log names the ops_yaml entry or the generator line.',
        ),
        Step(
            'configure',
            'configure',
            f'cmake -S . -B {folder} -G Ninja -DCMAKE_BUILD_TYPE=Release '
            f'-DCMAKE_MAKE_PROGRAM={tools}/ninja -DPYTHON={tools}/python',
            'is there a working C++ compiler (g++ --version)? A build '
            'folder that was moved needs --clean.',
        ),
        Step(
            'compile',
            'compile the operators',
            f'cmake --build {folder} -j {jobs}',
            'the first "error:" in the log is the one that counts; if the '
            'compiler was killed, memory ran out: use --jobs 1.',
        ),
        Step(
            'install',
            'install into the Python environment',
            f'{python} scripts/wheel/install.py --build-dir {folder}',
            'correct what the log names in python_api or series.yaml, or '
            'start over with --clean.',
        ),
        Step(
            'demo',
            'demonstration',
            f'{python} scripts/wheel/demo.py --build-dir {folder}',
            'the last line says what is wrong.',
            files=[ROOT / 'scripts/wheel/demo.py', *installed(build)],
            show_output=True,
        ),
    ]


def packed_steps(build, into):
    """A wheel of the result, and its installation for another interpreter."""
    folder = shlex.quote(shown(build, ROOT))
    python = f'{folder}/venv/bin/python'
    pack = Step(
        'wheel',
        'pack a wheel',
        f'{python} scripts/wheel/pack_wheel.py --build-dir {folder}',
        'check the disk space: the wheel takes 0.2 GB.',
        files=[
            ROOT / 'scripts/wheel/pack_wheel.py',
            *installed(build),
            build / 'dist',
        ],
        show_output=True,
    )
    if not into:
        return [pack]
    install = Step(
        'into',
        'install the wheel',
        f'{python} scripts/wheel/install_into.py {shlex.quote(into)} '
        f'--build-dir {folder}',
        'the last line says what is wrong.',
        show_output=True,
    )
    return [pack, install]


def installed(build):
    """What changes with what has been put into the Python environment."""
    return [build / 'originals/state.json', REQUIREMENTS]
