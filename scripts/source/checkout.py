"""The source target: apply_and_build.sh --source DIR.

Applies the series with git am, builds Paddle with its own cmake, installs the wheel
into an environment of its own and runs the tests of the operators. Each command
could be typed by hand. Needs only the standard library.
"""

import os
import shlex
import sys

from scripts.common.build_folder import locked
from scripts.common.files import sha256
from scripts.common.programs import run as capture
from scripts.common.steps import ROOT, read_steps, run_steps
from scripts.series.patch_series import added_files

PATCHES = ROOT / 'patches'
PARTS = ('apply', 'configure', 'build', 'test')
# What settings and hooks of the user's must not change. A title keeps its
# [Operator Mechanism] with --keep-non-patch only.
GIT = ('git', '-c', 'apply.whitespace=nowarn', '-c', 'core.hooksPath=/dev/null')
AM = ('am', '--quiet', '--no-3way', '--no-gpg-sign', '--no-keep-cr',
      '--keep-non-patch')  # fmt: skip

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


class Checkout:
    """The git work tree at a folder, brought to the end of a series and back."""

    def __init__(self, folder, patches):
        self.folder = folder
        if not (folder / '.git').exists():
            sys.exit(f'{folder}: not the top of a git checkout.')
        lines = (patches / 'BASE').read_text('utf-8').splitlines()
        self.base = dict(line.split(': ') for line in lines)
        names = (patches / 'series').read_text('utf-8').split()
        self.patches = [patches / name for name in names]
        # All patches as one, since they lean on each other.
        self.text = ''.join(path.read_text('utf-8') for path in self.patches)
        # The commit before the series, its last one, and which series it was.
        self.record = self.git_path('scatter-operators')
        self.digest = sha256(self.text.encode())

    def git(self, *words, **options):
        """The output of a git command that has to succeed."""
        done = capture(*GIT, '-C', self.folder, *words, **options)
        if done.returncode:
            sys.exit(f'git {words[0]} stopped: {done.stderr or done.stdout}')
        return done.stdout.strip()

    def git_path(self, name):
        """Where git keeps a file of its own, linked work trees included."""
        return self.folder / self.git('rev-parse', '--git-path', name)

    def head(self):
        return self.git('rev-parse', '--verify', 'HEAD^{commit}')

    def recorded(self):
        """(the commit before, the last one, the digest) of the last run, or ()."""
        is_there = self.record.exists()
        return self.record.read_text('utf-8').split() if is_there else ()

    def is_applied(self):
        """Whether all that the series adds is there already."""
        added = added_files(self.patches)
        if not all((self.folder / path).exists() for path in added):
            return False
        if self.recorded() and self.digest not in self.recorded():
            sys.exit(
                'An earlier version of the series is applied here. Take it out '
                'first, with --undo.'
            )
        return True

    def check_fit(self):
        """Exits where the series cannot be applied."""
        if self.git_path('rebase-apply').exists():
            sys.exit('A `git am` or a rebase is under way: end or abort it.')
        tracked = ('--untracked-files=no', '--ignore-submodules=all')
        if changed := self.git('status', '--porcelain', *tracked):
            sys.exit(
                f'Tracked files have uncommitted changes:\n{changed}\n'
                'Commit them, or use git stash.'
            )
        tag = self.base['tag']
        back = f'{tag}: git checkout {tag} (after git fetch origin tag {tag})'
        check = ('-C', self.folder, 'apply', '--check', '--index')
        done = capture(*GIT, *check, input=self.text)
        if done.returncode:
            sys.exit(
                f'The series does not fit this commit. {done.stderr}It is made '
                f'for {back}'
            )
        if self.head() != self.base['commit']:
            print(f'The series fits here, but is made for {back}')

    def apply(self, dry_run):
        """All patches or none."""
        self.check_fit()
        words = (*AM, *self.patches)
        shown = (*GIT, '-C', self.folder, *words)
        print('[apply]', shlex.join(map(str, shown)))
        if dry_run:
            return
        start = self.head()
        # For the committer, where git has been told nothing and finds nothing.
        env = {'EMAIL': 'noreply@localhost', **os.environ}
        try:
            self.git(*words, env=env)
        except BaseException:
            capture(*GIT, '-C', self.folder, 'am', '--abort')
            raise
        found = (start, self.head(), self.digest)
        self.record.write_text('\n'.join(found), 'utf-8')
        print(f'Applied {len(self.patches)} patches on {start}.')

    def undo(self, dry_run):
        """Back to the exact commit before the series."""
        if not self.recorded():
            sys.exit('nothing to undo: no run has applied patches here.')
        start, tip, _ = self.recorded()
        if self.head() != tip:
            sys.exit(
                'Commits after the series would be lost. Keep them with\n'
                f'    git rebase --onto {start} {tip}'
            )
        print(f'[undo] git reset --keep {start}')
        if not dry_run:
            self.git('reset', '--keep', start)
            self.record.unlink()


def source_steps(args):
    """Of a checkout with the series to a Paddle that is tested."""
    gpu = ('-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto')
    options = [*(gpu if args.gpu else ['-DWITH_GPU=OFF']), *args.cmake]
    return read_steps(
        STEPS,
        files={},
        show_output=('test',),
        host=shlex.quote(sys.executable),
        python=PYTHON,
        pip=f'{PYTHON} -m pip install --no-input',
        wheel='ls -t python/dist/*.whl | head -1 | xargs',
        version='{}.{}'.format(*sys.version_info),
        source=shlex.quote(str(args.source)),
        options=shlex.join(options),
        jobs=args.jobs,
    )


def run(args):
    """The whole source target, or what it would do."""
    checkout = Checkout(args.source, PATCHES)
    if args.undo:
        checkout.undo(args.dry_run)
        return
    if checkout.is_applied():
        print(f'The {len(checkout.patches)} patches are already applied.')
    elif args.only not in (None, 'apply'):
        sys.exit('The series is not applied yet. First: --only apply')
    else:
        checkout.apply(args.dry_run)
    steps = [x for x in source_steps(args) if args.only in (None, x.name)]
    if args.dry_run:
        run_steps(args.build_dir, steps)
        print('Dry run: nothing is changed.')
    elif steps:
        with locked(args.build_dir) as lock:
            run_steps(args.build_dir, steps, lock, cwd=args.build_dir)
