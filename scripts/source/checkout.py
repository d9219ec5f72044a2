"""The source target, apply_and_build.sh --source DIR: applies the series with git am,
builds Paddle with its own cmake, installs the wheel into an environment of its own
and runs the tests of the operators. Needs the standard library only.
"""

import re
import shlex
import sys

from scripts.common.programs import run as capture
from scripts.common.steps import ROOT, Step

PATCHES = ROOT / 'patches'
PARTS = ('apply', 'configure', 'build', 'test')
# In the build folder.
PYTHON = 'scatter_operators/venv/bin/python'


def source_steps(args):
    """The steps, of which --only selects one."""
    if not (args.source / '.git').exists():
        sys.exit(f'{args.source}: not the top of a git checkout.')
    names = (PATCHES / 'series').read_text('utf-8').split()
    patches = [PATCHES / name for name in names]
    text = ''.join(path.read_text('utf-8') for path in patches)
    added = re.findall(r'(?m)^--- /dev/null\n\+\+\+ b/(.*)', text)
    if all((args.source / path).exists() for path in added):
        print(f'The {len(patches)} patches are already applied.')
        steps = build_steps(args)
    else:
        if args.only not in (None, 'apply'):
            sys.exit('The series is not applied yet. First: --only apply')
        check_fit(args, text)
        steps = [apply_step(args, patches), *build_steps(args)]
    return [step for step in steps if args.only in (None, step.name)]


def apply_step(args, patches):
    """Settings and hooks of the user must not change the commits. --keep-non-patch
    keeps [Operator Mechanism] in the subjects; EMAIL is for a git without a user."""
    here = f'git -C {shlex.quote(str(args.source))}'
    return Step(
        'apply',
        f'EMAIL="${{EMAIL:-noreply@localhost}}" {here} -c core.hooksPath=/dev/null '
        '-c apply.whitespace=nowarn am --quiet --no-3way --no-gpg-sign '
        f'--no-keep-cr --keep-non-patch {shlex.join(map(str, patches))} && '
        f'echo back: {here} reset --keep {git(args, "rev-parse", "HEAD")} || '
        f'{{ {here} am --abort; false; }}',
        'the log names the patch, and what git has against it.',
        show_output=True,
    )


def build_steps(args):
    """The steps in the build folder, which take hours. Dependencies are installed before the wheel: a
    forced install would fetch all of them again. Linking opens many files."""
    pip = f'{PYTHON} -m pip install --no-input'
    source = shlex.quote(str(args.source))
    gpu = ['-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto']
    options = [*(gpu if args.gpu else ['-DWITH_GPU=OFF']), *args.cmake]
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
            f'-DPYTHON_EXECUTABLE="$PWD/{PYTHON}" {shlex.join(options)}',
            'the first "CMake Error" counts. After a change of compiler or CUDA: '
            'rm CMakeCache.txt',
        ),
        Step(
            'build',
            '(ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"; '
            f'exec ninja -j {args.jobs}) && {wheel} {pip} && '
            f'{wheel} {pip} --no-deps --force-reinstall',
            'the first "error:" counts; ninja goes on where it was stopped. If a '
            'compiler was killed, memory ran out: use fewer --jobs.',
        ),
        Step(
            'test',
            "ctest -R 'scatter|masked_fill|index_reduce' --output-on-failure",
            'one test alone: ctest -R NAME -V',
            show_output=True,
        ),
    ]


def git(args, *words):
    """The output of a git command that has to succeed."""
    done = capture('git', '-C', args.source, *words)
    if done.returncode:
        sys.exit(f'git {words[0]} stopped: {done.stderr or done.stdout}')
    return done.stdout.strip()


def check_fit(args, text):
    """Exits if the series cannot be applied."""
    state = git(args, 'rev-parse', '--git-path', 'rebase-apply')
    if (args.source / state).exists():
        sys.exit('A `git am` or a rebase is under way: end or abort it.')
    lines = (PATCHES / 'BASE').read_text('utf-8').splitlines()
    base = dict(line.split(': ') for line in lines)
    tag = base['tag']
    back = f'{tag}: git checkout {tag} (after git fetch origin tag {tag})'
    check = ('git', '-C', args.source, 'apply', '--check', '--index')
    done = capture(*check, input=text)
    if done.returncode:
        sys.exit(
            'The series does not fit this commit, or what is not committed yet:\n'
            f'{done.stderr}It is made for {back}'
        )
    if git(args, 'rev-parse', 'HEAD') != base['commit']:
        print(f'The series fits here, but is made for {back}')
