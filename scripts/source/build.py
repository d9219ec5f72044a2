"""The steps that build Paddle from a patched checkout and test it.

Each command could be typed by hand in the build folder. Ninja goes on where
it was stopped; configuring is repeated when the patches or options change.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from scripts.common.steps import Runner, Step, log_tail
from scripts.source.machine import python_version

SCRIPTS = Path(__file__).resolve().parents[1]
WORK = 'scatter_operators'
TESTS = (
    'masked_scatter|masked_fill|select_scatter|diagonal_scatter|scatter|'
    'index_reduce'
)
PARTS = ('apply', 'configure', 'build', 'test')
ARCH_NUMBERS = re.compile(r'^\d+(\.\d+)?a?([ ,;]+\d+(\.\d+)?a?)*$')
PROGRESS_SECONDS = 60


def arch_options(arch):
    """cmake options for --arch: numbers, or a name that Paddle knows."""
    if not arch:
        return ['-DCUDA_ARCH_NAME=Auto']
    if ARCH_NUMBERS.match(arch):
        numbers = ' '.join(re.split(r'[ ,;]+', arch)).replace('.', '')
        return ['-DCUDA_ARCH_NAME=Manual', f'-DCUDA_ARCH_BIN={numbers}']
    return [f'-DCUDA_ARCH_NAME={arch}']


def configure_command(source, build, python, options):
    """Paddle's cmake call; its own options are named in its build guide."""
    command = ['cmake', '-S', source, '-B', build, '-G', 'Ninja']
    command += ['-DCMAKE_BUILD_TYPE=Release', '-DWITH_TESTING=ON']
    command += [f'-DPY_VERSION={python_version()}']
    command += [f'-DPYTHON_EXECUTABLE={python}']
    command += [f'-DWITH_GPU={"ON" if options.gpu else "OFF"}']
    if options.gpu:
        command += arch_options(options.arch)
    return command + list(options.cmake)


def build_steps(source, build, patches, options, interpreter):
    """{part: steps} of everything that comes after applying."""
    venv = build / WORK / 'venv'
    python = venv / 'bin' / 'python'
    requirements = source / 'python' / 'requirements.txt'
    make_venv = [interpreter, SCRIPTS / 'common/make_venv.py', '--venv', venv]
    pip = [python, '-m', 'pip', 'install', '--no-input']
    configure = configure_command(source, build, python, options)
    install = [python, SCRIPTS / 'source/install.py', '--build', build]
    ctest = ['ctest', '-R', options.tests or TESTS, '--output-on-failure']
    return {
        'configure': [
            Step(
                'venv',
                'set up a Python environment for the build',
                [
                    [*make_venv, '--requirements', requirements],
                    [*pip, '-r', SCRIPTS / 'source/requirements.txt'],
                ],
                'check the network, then run this again.',
            ),
            Step(
                'configure',
                'configure Paddle',
                [configure],
                'the first "CMake Error" in the log counts. A failed download '
                'is tried again by the next run; after a change of compiler '
                f'or CUDA, delete {build / "CMakeCache.txt"}.',
                inputs=[patches],
                outputs=[build / 'build.ninja'],
            ),
        ],
        'build': [
            Step(
                'compile',
                'compile Paddle (hours; it can be stopped and continued)',
                [['ninja', '-j', str(options.jobs)]],
                'the first "error:" in the log counts. If a compiler was '
                'killed, memory ran out: use fewer --jobs.',
            ),
            Step(
                'install',
                'install the wheel into an environment of its own',
                [install],
                'is there a wheel in python/dist of the build folder?',
                show_output=True,
            ),
        ],
        'test': [
            Step(
                'test',
                'run the tests of the operators',
                [ctest],
                'the log shows each failed test; one alone: ctest -R NAME -V',
                show_output=True,
            )
        ],
    }


def chosen_steps(steps, only):
    """The steps of one part, or of all parts in order."""
    parts = [only] if only else PARTS
    return [step for part in parts for step in steps.get(part, [])]


class LongRunner(Runner):
    """Also shows now and then where a long step is, when nobody watches."""

    def _wait(self, process, log, head, start):
        if self.live:
            return super()._wait(process, log, head, start)
        shown = time.monotonic()
        while True:
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                pass
            if time.monotonic() - shown >= PROGRESS_SECONDS:
                shown = time.monotonic()
                minutes = (shown - start) / 60
                last = (log_tail(log, 1) or [''])[0].strip()
                self._say(f'\n    {minutes:.0f} min  {last[:100]}')
