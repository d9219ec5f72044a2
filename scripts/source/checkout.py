"""The source target: apply_and_build.sh --source DIR.

Applies the series with git am, builds Paddle with its own cmake, installs the wheel
into an environment of its own and runs the tests of the operators. Each command
could be typed by hand. Needs only the standard library.
"""

import re
import shlex
import sys

from scripts.common.files import sha256
from scripts.common.programs import run as capture
from scripts.common.steps import ROOT, read_steps

PATCHES = ROOT / 'patches'
# The commit before the series, and its last one with the digest of the series.
REFS = 'refs/worktree/scatter-operators'
START, TIP = f'{REFS}/start', f'{REFS}/tip-'
# What settings and hooks of the user's must not change. A title keeps its
# [Operator Mechanism] with --keep-non-patch only. The committer is for a git that has
# been told nothing and finds nothing.
APPLY = """
apply: apply the patches, all or none
EMAIL="${{EMAIL:-noreply@localhost}}" {git} -c core.hooksPath=/dev/null \
-c apply.whitespace=nowarn am --quiet --no-3way --no-gpg-sign --no-keep-cr \
--keep-non-patch {patches} && {git} update-ref {start} {head} && {git} update-ref {tip} HEAD \
|| {{ {git} am --abort; false; }}
the log names the patch, and what git has against it.
"""
UNDO = """
undo: take the patches out
test $({git} rev-parse HEAD {tip} | uniq | wc -l) = 1 && {git} reset --keep {start} && \
{git} update-ref -d {start} && {git} update-ref -d {tip}
commits after the series would be lost; keep them with {git} rebase --onto {start} {tip}
"""
# Run in the build folder. Dependencies come before the wheel: a forced install would
# fetch all of them again. Linking opens many files at once.
PYTHON = 'scatter_operators/venv/bin/python'
STEPS = """
configure: configure
{host} -m venv scatter_operators/venv && {pip} -r {source}/python/requirements.txt && \
{pip} setuptools wheel PyYAML Jinja2 scipy hypothesis && \
cmake -S {source} -B . -G Ninja -DCMAKE_BUILD_TYPE=Release -DWITH_TESTING=ON \
-DPY_VERSION={version} -DPYTHON_EXECUTABLE="$PWD/{python}" {options}
the first "CMake Error" counts. After a change of compiler or CUDA: rm CMakeCache.txt

build: build and install, which takes hours
(ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"; exec ninja -j {jobs}) && \
{wheel} {pip} && {wheel} {pip} --no-deps --force-reinstall
the first "error:" counts; ninja goes on where it was stopped. If a compiler was killed, \
memory ran out: use fewer --jobs.

test: test
ctest -R 'scatter|masked_fill|index_reduce' --output-on-failure
one test alone: ctest -R NAME -V
"""
PARTS = ('apply', 'configure', 'build', 'test')


def source_steps(args):
    """What there is to do, of which --only picks one step."""
    if not (args.source / '.git').exists():
        sys.exit(f'{args.source}: not the top of a git checkout.')
    names = (PATCHES / 'series').read_text('utf-8').split()
    patches = [PATCHES / name for name in names]
    # All patches as one, since they lean on each other.
    text = ''.join(path.read_text('utf-8') for path in patches)
    tip = TIP + sha256(text.encode())[:16]
    found = git(args, 'for-each-ref', '--format=%(refname)', f'{TIP}*').split()
    added = re.findall(r'(?m)^--- /dev/null\n\+\+\+ b/(.*)', text)
    is_applied = all((args.source / path).exists() for path in added)
    if args.undo and not found:
        sys.exit('nothing to undo: no run has applied patches here.')
    if args.undo:
        todo, tip = UNDO, tip if tip in found else found[0]
    elif is_applied:
        todo = STEPS
        if found and tip not in found:
            sys.exit(
                'An earlier version of the series is applied here. Take it out '
                'first, with --undo.'
            )
        print(f'The {len(patches)} patches are already applied.')
    else:
        todo = APPLY + STEPS
        if args.only not in (None, 'apply'):
            sys.exit('The series is not applied yet. First: --only apply')
        check_fit(args, text)
    gpu = ('-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto')
    options = [*(gpu if args.gpu else ['-DWITH_GPU=OFF']), *args.cmake]
    steps = read_steps(
        todo,
        files={},
        show_output=('test',),
        git=f'git -C {shlex.quote(str(args.source))}',
        patches=shlex.join(map(str, patches)),
        head=git(args, 'rev-parse', 'HEAD'),
        start=START,
        tip=tip,
        host=shlex.quote(sys.executable),
        python=PYTHON,
        pip=f'{PYTHON} -m pip install --no-input',
        wheel='ls -t python/dist/*.whl | head -1 | xargs',
        version='{}.{}'.format(*sys.version_info),
        source=shlex.quote(str(args.source)),
        options=shlex.join(options),
        jobs=args.jobs,
    )
    return [step for step in steps if args.only in (None, step.name)]


def git(args, *words, **options):
    """The output of a git command that has to succeed."""
    done = capture('git', '-C', args.source, *words, **options)
    if done.returncode:
        sys.exit(f'git {words[0]} stopped: {done.stderr or done.stdout}')
    return done.stdout.strip()


def check_fit(args, text):
    """Exits where the series cannot be applied."""
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
