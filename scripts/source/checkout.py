"""The steps of the source target, apply_and_build.sh --source DIR.

They apply the series with git am, build Paddle with its cmake, install the
wheel into a separate environment and run the tests of the operators. Needs only
the standard library.
"""

import shlex
import sys

from scripts.common.programs import check_output, run
from scripts.common.steps import ROOT, Step

PATCHES = ROOT / 'patches'
# Relative to the build folder.
PYTHON = 'scatter_operators/venv/bin/python'


def make_source_steps(args):
    """Return the steps; with --only apply, at most that step."""
    if not (args.source / '.git').exists():
        sys.exit(f'{args.source}: not the top-level folder of a checkout.')
    names = (PATCHES / 'series').read_text('utf-8').split()
    patches = [PATCHES / name for name in names]
    text = ''.join(path.read_text('utf-8') for path in patches)
    check = ('git', '-C', args.source, 'apply', '--check')
    steps = [] if args.only else make_build_steps(args)
    if run(*check, '--reverse', input=text).returncode == 0:
        print(f'The {len(patches)} patches are already applied.')
    else:
        process = run(*check, '--index', input=text)
        steps = [make_apply_step(args, patches, process), *steps]
    return steps


def make_apply_step(args, patches, check):
    """Return the step that commits the patches regardless of user settings."""
    lines = (PATCHES / 'BASE').read_text('utf-8').splitlines()
    base = dict(line.split(': ') for line in lines)
    tag = base['tag']
    switch = f'{tag}: git checkout {tag} (after git fetch origin tag {tag})'
    if check.returncode:
        sys.exit(
            'The series does not apply to this commit or its uncommitted '
            f'changes:\n{check.stderr}It is based on {switch}\nTo build the '
            'checkout as it is, run ninja.'
        )
    here = f'git -C {shlex.quote(str(args.source))}'
    head = check_output('git', '-C', args.source, 'rev-parse', 'HEAD').strip()
    if head != base['commit']:
        print(f'The series applies here, but is based on {switch}')
    # --keep-non-patch keeps [Operator Mechanism]; EMAIL replaces user.email.
    return Step(
        'apply',
        f'EMAIL="${{EMAIL:-noreply@localhost}}" {here} '
        '-c core.hooksPath=/dev/null -c apply.whitespace=nowarn am --quiet '
        '--no-3way --no-gpg-sign --no-keep-cr --keep-non-patch '
        f'{shlex.join(map(str, patches))} && '
        f'echo Undo: {here} reset --keep {head}',
        'the log has the error of git. If git am stopped at a patch, '
        f'{here} am --abort reverts the others.',
        show_output=True,
    )


def make_build_steps(args):
    """Return the steps in the build folder, which take hours."""
    # ulimit: linking opens many files. --no-deps: --force-reinstall would
    # download all dependencies again.
    pip = f'{PYTHON} -m pip install --no-input'
    source = shlex.quote(str(args.source))
    gpu = (
        '-DWITH_GPU=ON -DCUDA_ARCH_NAME=Auto' if args.gpu else '-DWITH_GPU=OFF'
    )
    version = '{}.{}'.format(*sys.version_info)
    wheel = 'ls -t python/dist/*.whl | head -1 | xargs'
    return [
        Step(
            'configure',
            f'{shlex.quote(sys.executable)} -m venv scatter_operators/venv && '
            f'{pip} -r {source}/python/requirements.txt && '
            f'{pip} setuptools wheel PyYAML Jinja2 scipy hypothesis && '
            f'cmake -S {source} -B . -G Ninja -DCMAKE_BUILD_TYPE=Release '
            f'-DWITH_TESTING=ON -DPY_VERSION={version} '
            f'-DPYTHON_EXECUTABLE="$PWD/{PYTHON}" {gpu}',
            'fix the first "CMake Error". After a change of compiler or CUDA, '
            'delete CMakeCache.txt. cmake -DX=Y . sets other options.',
        ),
        Step(
            'build',
            '(ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"; '
            f'exec ninja -j {args.jobs}) && {wheel} {pip} && '
            f'{wheel} {pip} --no-deps --force-reinstall',
            'fix the first "error:"; a rerun resumes. If a compiler was '
            'killed, memory ran out: use fewer --jobs.',
        ),
        Step(
            'test',
            "ctest -R 'scatter|masked_fill|index_reduce' --output-on-failure",
            'run a single test: ctest -R NAME -V',
            show_output=True,
        ),
    ]
