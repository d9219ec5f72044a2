"""The steps that build Paddle from a patched checkout and test it.

Each command could be typed by hand in the build folder. Ninja goes on where
it was stopped; configuring is repeated when the patches or options change.
"""

from __future__ import annotations

import re
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path

from scripts.common.steps import Runner, Step, log_tail

SCRIPTS = Path(__file__).resolve().parents[1]
WORK = 'scatter_operators'
TESTS = (
    'masked_scatter|masked_fill|select_scatter|diagonal_scatter|scatter|'
    'index_reduce'
)
PARTS = ('apply', 'configure', 'build', 'test')
ARCH_NUMBERS = re.compile(r'^\d+(\.\d+)?a?([ ,;]+\d+(\.\d+)?a?)*$')
PROGRESS_SECONDS = 60
# Paddle opens many object files at once when it links.
OPEN_FILES = 8192
# -I: not from the build folder, where `import paddle` would find its sources.
CHECK = (
    'from paddle import _C_ops; '
    'missing = set({names}) - set(dir(_C_ops)); '
    'raise SystemExit(f"not in _C_ops: {{missing}}" if missing else 0)'
)


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
    version = '.'.join(str(part) for part in sys.version_info[:2])
    command = ['cmake', '-S', source, '-B', build, '-G', 'Ninja']
    command += ['-DCMAKE_BUILD_TYPE=Release', '-DWITH_TESTING=ON']
    command += [f'-DPY_VERSION={version}', f'-DPYTHON_EXECUTABLE={python}']
    command += [f'-DWITH_GPU={"ON" if options.gpu else "OFF"}']
    if options.gpu:
        command += arch_options(options.arch)
    return command + list(options.cmake)


def install_commands(python):
    """The newest wheel of the build folder, and a look whether it is ours.

    Its dependencies come first and on their own: a forced install would fetch
    all of them again.
    """
    install = f'{shlex.quote(str(python))} -m pip install --no-input'
    wheel = '"$(ls -t python/dist/*.whl | head -1)"'
    yaml = (SCRIPTS.parent / 'ops_yaml').glob('*.yaml')
    check = CHECK.format(names=sorted(path.stem for path in yaml))
    return [
        ['sh', '-c', f'{install} {wheel}'],
        ['sh', '-c', f'{install} --no-deps --force-reinstall {wheel}'],
        [python, '-I', '-c', check],
    ]


def build_steps(source, build, patches, options):
    """{part: steps} of everything that comes after applying."""
    venv = build / WORK / 'venv'
    python = venv / 'bin' / 'python'
    requirements = source / 'python' / 'requirements.txt'
    make_venv = [sys.executable, SCRIPTS / 'common/make_venv.py']
    make_venv += ['--venv', venv, '--requirements', requirements]
    own = [python, '-m', 'pip', 'install', '--no-input']
    own += ['-r', SCRIPTS / 'source/requirements.txt']
    return {
        'configure': [
            Step(
                'venv',
                'set up a Python environment for the build',
                [make_venv, own],
                'check the network, then run this again.',
            ),
            Step(
                'configure',
                'configure Paddle',
                [configure_command(source, build, python, options)],
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
                install_commands(python),
                'is there a wheel in python/dist of the build folder?',
                show_output=True,
            ),
        ],
        'test': [
            Step(
                'test',
                'run the tests of the operators',
                [['ctest', '-R', options.tests, '--output-on-failure']],
                'the log shows each failed test; one alone: ctest -R NAME -V',
                show_output=True,
            )
        ],
    }


class LongRunner(Runner):
    """Also shows now and then where a long step is, when nobody watches."""

    def run(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= soft < OPEN_FILES:  # less than 0 is no limit
            wanted = min(OPEN_FILES, hard) if hard >= 0 else OPEN_FILES
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        super().run()

    def _wait(self, process, log, head, start):
        if self.live:
            return super()._wait(process, log, head, start)
        while True:
            try:
                return process.wait(timeout=PROGRESS_SECONDS)
            except subprocess.TimeoutExpired:
                minutes = (time.monotonic() - start) / 60
                last = (log_tail(log, 1) or [''])[0].strip()
                self._say(f'\n    {minutes:.0f} min  {last[:100]}')
