"""Toy checkouts, a toy series, and stand-ins for the programs of a build."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.series import export_patches
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.tests.series_samples import write_files, write_project
from scripts.series.upstream_tree import base_tree, wheel_dirs

BUILD = Path(__file__).resolve().parents[2] / 'build.py'
EXTRA = {
    'CMakeLists.txt': 'project(toy)\n',
    'python/requirements.txt': 'numpy\n',
    '.gitignore': 'build/\n',
}
PROGRAMS = ('cmake', 'ninja', 'ctest', 'ccache', 'patchelf', 'make', 'nvcc')

# Records its call; fails where FAIL names it; makes what the real one would.
# The first lines start it by sh: the path of a Python may hold a space.
STAND_IN = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import json, os, sys, time
from pathlib import Path
name = os.path.basename(sys.argv[0])
if sys.argv[1:] == ['--version']:
    print(os.environ.get('VERSION_' + name.replace('+', 'x'), name + ' 12.2'))
    sys.exit(0)
with open(os.environ['CALLS'], 'a') as file:
    file.write(json.dumps([name, *sys.argv[1:]]) + '\\n')
if name in os.environ.get('FAIL', '').split():
    print(name + ': error: planted failure')
    sys.exit(3)
if name == 'cmake':
    Path('build.ninja').write_text('')
if name == 'ninja':
    Path('python/dist').mkdir(parents=True, exist_ok=True)
    Path('python/dist/paddle.whl').write_text('')
    print('[7/7] done')
if name == 'python' and sys.argv[1:2] == ['-c']:
    print('%d.%d' % sys.version_info[:2])
"""


class Toy:
    """A checkout, the series for it, and how to run the tool on both."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.tree = self.folder / 'Paddle'
        self.project = self.folder / 'project'
        self.patches = self.project / 'patches'
        self.bin = self.folder / 'bin'
        self.calls = self.folder / 'calls'
        self.start = ''

    @classmethod
    def make(cls, folder):
        toy = cls(folder)
        write_project(toy.project)
        assert export_patches.main(['--root', str(toy.project)]) == 0
        toy._make_tree()
        toy.start = toy.head()
        toy.set_base(toy.start)
        toy._make_programs()
        return toy

    def copy(self, folder):
        """The same somewhere else, free to be spoiled."""
        shutil.copytree(self.folder, folder, symlinks=True)
        toy = Toy(folder)
        toy.start = self.start
        return toy

    def _make_tree(self):
        series = load_series(self.project)
        base = base_tree(series, wheel_dirs(self.project))
        init_repo(self.tree, {**base, **EXTRA}, series.author)
        self.git('tag', 'v1.0.0')

    def set_base(self, commit):
        text = f'tag: v1.0.0\ncommit: {commit}\nwheel: 1.0.0\n'
        (self.patches / 'BASE').write_text(text, encoding='utf-8')

    def _make_programs(self):
        text = STAND_IN.format(python=sys.executable)
        venv = self.tree / 'build/scatter_operators/venv/bin'
        places = [self.bin / name for name in (*PROGRAMS, 'g++')]
        for place in (*places, venv / 'python'):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding='utf-8')
            place.chmod(0o755)

    def git(self, *arguments):
        return git(self.tree, *arguments)

    def commit(self, message, **files):
        """A further commit; a name's __ stand for /, its last _ for a dot."""
        write_files(self.tree, files)
        names = {'GIT_COMMITTER_NAME': 'n', 'GIT_COMMITTER_EMAIL': 'n@n'}
        self.git('add', '-A')
        git(self.tree, '-c', 'user.name=n', '-c', 'user.email=n@n', 'commit',
            '-qm', message, env=names)  # fmt: skip
        return self.head()

    def head(self):
        return self.git('rev-parse', 'HEAD').strip()

    def status(self):
        return self.git('status', '--porcelain')

    def command(self, *arguments):
        return [
            sys.executable, '-B', str(BUILD), '--source', str(self.tree),
            '--patches', str(self.patches), *arguments,
        ]  # fmt: skip

    def environment(self, **extra):
        path = f'{self.bin}{os.pathsep}{os.environ["PATH"]}'
        return {**os.environ, 'PATH': path, 'CALLS': str(self.calls), **extra}

    def run(self, *arguments, **environment):
        """(exit status, everything that was printed)."""
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding='utf-8',
            timeout=120,
        )
        return done.returncode, done.stdout

    def called(self, name):
        """The arguments of every call of a stand-in."""
        if not self.calls.is_file():
            return []
        lines = self.calls.read_text(encoding='utf-8').splitlines()
        return [c[1:] for c in map(json.loads, lines) if c[0] == name]
