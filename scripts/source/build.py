"""The steps that build Paddle from a patched checkout and test it.

Each command could be typed by hand in the build folder. Ninja goes on where
it was stopped; configuring is repeated when the patches or options change.
"""

import shlex
import sys
from pathlib import Path

from scripts.common.steps import Step

SCRIPTS = Path(__file__).resolve().parents[1]
WORK = 'scatter_operators'
TESTS = (
    'masked_scatter|masked_fill|select_scatter|diagonal_scatter|scatter|'
    'index_reduce'
)
PARTS = ('apply', 'configure', 'build', 'test')
# Paddle opens many object files at once when it links.
MANY_FILES = 'ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"'
# -I: not from the build folder, where `import paddle` would find its sources.
CHECK = (
    'from paddle import _C_ops; '
    'missing = set({names}) - set(dir(_C_ops)); '
    'raise SystemExit(f"not in _C_ops: {{missing}}" if missing else 0)'
)


def configure_command(python, args):
    """Paddle's cmake call; its own options are named in its build guide."""
    version = '.'.join(str(part) for part in sys.version_info[:2])
    gpu = ['-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto']
    command = ['cmake', '-S', args.source, '-B', args.build_dir, '-G', 'Ninja']
    command += ['-DCMAKE_BUILD_TYPE=Release', '-DWITH_TESTING=ON']
    command += [f'-DPY_VERSION={version}', f'-DPYTHON_EXECUTABLE={python}']
    return [*command, *(gpu if args.gpu else ['-DWITH_GPU=OFF']), *args.cmake]


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


def build_steps(args):
    """{part: steps} of everything that comes after applying."""
    venv = args.build_dir / WORK / 'venv'
    python = venv / 'bin' / 'python'
    requirements = args.source / 'python' / 'requirements.txt'
    make_venv = [sys.executable, SCRIPTS / 'common/make_venv.py']
    make_venv += ['--venv', venv, '--requirements', requirements]
    own = [python, '-m', 'pip', 'install', '--no-input']
    own += ['-r', SCRIPTS / 'source/requirements.txt']
    ninja = f'{MANY_FILES}; exec ninja -j {args.jobs}'
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
                [configure_command(python, args)],
                'the first "CMake Error" in the log counts. A failed download '
                'is tried again by the next run; after a change of compiler '
                f'or CUDA, delete {args.build_dir / "CMakeCache.txt"}.',
                inputs=[args.patches.absolute()],
                outputs=[args.build_dir / 'build.ninja'],
            ),
        ],
        'build': [
            Step(
                'compile',
                'compile Paddle (hours; it can be stopped and continued)',
                [['sh', '-c', ninja]],
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
                [['ctest', '-R', TESTS, '--output-on-failure']],
                'the log shows each failed test; one alone: ctest -R NAME -V',
                show_output=True,
            )
        ],
    }
