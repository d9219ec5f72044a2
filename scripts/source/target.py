"""The source target: apply_and_build.sh --source DIR.

Applies the series with git am, builds Paddle with its own cmake, installs the wheel
into an environment of its own and runs the tests of the operators. Each command is
printed before it runs, and could be typed by hand. Needs only the standard library.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.command_line import (
    Refused,
    default_jobs,
    exit_status,
    positive,
)
from scripts.common.files import read_json, sha256, write_json
from scripts.common.programs import run as capture
from scripts.series.patch_series import added_files

ROOT = Path(__file__).resolve().parents[2]
MEMORY_PER_JOB = {False: 2 << 30, True: 4 << 30}  # without and with CUDA
# What settings and hooks of the user's must not change. A title keeps its
# [Operator Mechanism] with --keep-non-patch only.
GIT = ('git', '-c', 'apply.whitespace=nowarn', '-c', 'core.hooksPath=/dev/null')
AM = ('am', '--quiet', '--no-3way', '--no-gpg-sign', '--no-keep-cr',
      '--keep-non-patch')  # fmt: skip
# Run in the build folder. Dependencies come before the wheel: a forced install would
# fetch all of them again.
PYTHON = 'scatter_operators/venv/bin/python'
PIP = f'{PYTHON} -m pip install --no-input'
WHEEL = 'ls -t python/dist/*.whl | head -1 | xargs'
COMMANDS = {
    'configure': f"""\
# The first "CMake Error" counts. After a change of compiler or CUDA: rm CMakeCache.txt
{{python}} {{project}}/scripts/common/make_venv.py --venv scatter_operators/venv \
--requirements {{source}}/python/requirements.txt
{PIP} setuptools wheel PyYAML Jinja2 scipy hypothesis
cmake -S {{source}} -B . -G Ninja -DCMAKE_BUILD_TYPE=Release -DWITH_TESTING=ON \
-DPY_VERSION={{version}} -DPYTHON_EXECUTABLE="$PWD/{PYTHON}" {{options}}""",
    'build': f"""\
# Hours; ninja goes on where it was stopped. The first "error:" counts. If a compiler
# was killed, memory ran out: use fewer --jobs. Linking opens many files at once.
ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"; exec ninja -j {{jobs}}
{WHEEL} {PIP}
{WHEEL} {PIP} --no-deps --force-reinstall""",
    'test': """\
# One test alone: ctest -R NAME -V
ctest -R 'scatter|masked_fill|index_reduce' --output-on-failure""",
}
PARTS = ('apply', *COMMANDS)


def parse_args():
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Source target: apply the patches to a Paddle checkout, '
        'build it, install the wheel into an environment of its own, test.',
    )
    add = parser.add_argument
    add('--source', type=Path, required=True, metavar='DIR',
        help='the Paddle checkout')  # fmt: skip
    add('--only', choices=PARTS, help='run one part')
    add('--undo', action='store_true',
        help='take the patches out: back to the exact commit')  # fmt: skip
    add('--dry-run', action='store_true',
        help='look, print every command, change nothing')  # fmt: skip
    add('--gpu', action='store_true',
        help="build with CUDA, for this machine's GPU")  # fmt: skip
    add('--jobs', '-j', type=positive, metavar='N',
        help='compile jobs (default: from the cores and the memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='build folder (default: DIR/build)')  # fmt: skip
    add('--cmake', action='append', default=[], metavar='-DX=Y',
        help='a further option for cmake: --cmake=-DWITH_X=ON')  # fmt: skip
    add('--python', metavar='P', help='Python to build for')
    add('--patches', type=Path, default=ROOT / 'patches', metavar='D',
        help='another patch folder')  # fmt: skip
    args = parser.parse_args()
    if args.undo and args.only:
        parser.error('--undo goes alone')
    args.jobs = args.jobs or default_jobs(MEMORY_PER_JOB[args.gpu])
    args.source = args.source.expanduser().absolute()
    args.build_dir = (args.build_dir or args.source / 'build').resolve()
    return args


class Checkout:
    """The git work tree at a folder, brought to the end of a series and back."""

    def __init__(self, folder, patches):
        self.folder = folder
        if not (folder / '.git').exists():
            raise Refused(f'{folder}: not the top of a git checkout.')
        # The commit before the series, its last one, and which series it was.
        self.record = self.git_path('scatter-operators.json')
        lines = (patches / 'BASE').read_text('utf-8').splitlines()
        self.base = dict(line.split(': ') for line in lines)
        names = (patches / 'series').read_text('utf-8').split()
        self.patches = [patches / name for name in names]
        # All patches as one, since they lean on each other.
        self.text = ''.join(path.read_text('utf-8') for path in self.patches)
        self.digest = sha256(self.text.encode())

    def git(self, *words, **options):
        """The output of a git command that has to succeed."""
        done = capture(*GIT, '-C', self.folder, *words, **options)
        if done.returncode:
            said = done.stderr or done.stdout
            raise Refused(f'git {words[0]} stopped: {said}')
        return done.stdout.strip()

    def git_path(self, name):
        """Where git keeps a file of its own, linked work trees included."""
        return self.folder / self.git('rev-parse', '--git-path', name)

    def head(self):
        return self.git('rev-parse', '--verify', 'HEAD^{commit}')

    def is_applied(self):
        """Whether all that the series adds is there already."""
        added = added_files(self.patches)
        if not all((self.folder / path).exists() for path in added):
            return False
        if read_json(self.record).get('series', self.digest) != self.digest:
            text = 'An earlier version of the series is applied here.'
            raise Refused(f'{text} Take it out first, with --undo.')
        return True

    def check_fit(self):
        """Raises Refused where the series cannot be applied."""
        if self.git_path('rebase-apply').exists():
            raise Refused(
                'A `git am` or a rebase is under way: end or abort it.'
            )
        tracked = ('--untracked-files=no', '--ignore-submodules=all')
        if changed := self.git('status', '--porcelain', *tracked):
            text = f'Tracked files have uncommitted changes:\n{changed}\n'
            raise Refused(f'{text}Commit them, or use git stash.')
        tag = self.base['tag']
        back = f'{tag}: git checkout {tag} (after git fetch origin tag {tag})'
        try:
            self.git('apply', '--check', '--index', input=self.text)
        except Refused as error:
            text = f'The series does not fit this commit. {error}'
            raise Refused(f'{text}It is made for {back}') from None
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
        found = {'start': start, 'tip': self.head(), 'series': self.digest}
        write_json(self.record, found)
        print(f'Applied {len(self.patches)} patches on {start}.')

    def undo(self, dry_run):
        """Back to the exact commit before the series."""
        record = read_json(self.record)
        if not record:
            raise Refused('nothing to undo: no run has applied patches here.')
        start, tip = record['start'], record['tip']
        if self.head() != tip:
            text = 'Commits after the series would be lost. Keep them with'
            raise Refused(f'{text}\n    git rebase --onto {start} {tip}')
        print(f'[undo] git reset --keep {start}')
        if not dry_run:
            self.git('reset', '--keep', start)
            self.record.unlink()


def build(args, part):
    """Runs or shows the commands of a part."""
    gpu = ('-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto')
    values = {
        'python': [sys.executable],
        'project': [ROOT],
        'source': [args.source],
        'version': ['{}.{}'.format(*sys.version_info)],
        'options': [*(gpu if args.gpu else ('-DWITH_GPU=OFF',)), *args.cmake],
        'jobs': [args.jobs],
    }
    quoted = {key: shlex.join(map(str, x)) for key, x in values.items()}
    for command in COMMANDS[part].format(**quoted).splitlines():
        print(f'[{part}] {command}', flush=True)
        if not args.dry_run:
            args.build_dir.mkdir(parents=True, exist_ok=True)
            subprocess.run(command, shell=True, check=True, cwd=args.build_dir)


def run(args):
    checkout = Checkout(args.source, args.patches.absolute())
    if args.undo:
        checkout.undo(args.dry_run)
        return 0
    if checkout.is_applied():
        print(f'The {len(checkout.patches)} patches are already applied.')
    elif args.only not in (None, 'apply'):
        raise Refused('The series is not applied yet. First: --only apply')
    else:
        checkout.apply(args.dry_run)
    for part in COMMANDS:
        if args.only in (None, part):
            build(args, part)
    print('Dry run: nothing is changed.' if args.dry_run else 'Done.')
    return 0


if __name__ == '__main__':
    arguments = parse_args()
    fault = subprocess.CalledProcessError
    sys.exit(exit_status(lambda: run(arguments), fault))
