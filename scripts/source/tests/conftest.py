"""A toy checkout, a toy series, and stand-ins for the programs of a build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.series import export_patches
from scripts.series.manifest import load_series
from scripts.series.patch_repo import commit, git, init_repo
from scripts.series.tests.series_samples import write_files, write_project
from scripts.series.upstream_tree import base_tree, wheel_dirs

BUILD = Path(__file__).resolve().parents[2] / 'build.py'
EXTRA = {
    'CMakeLists.txt': 'project(toy)\n',
    'python/requirements.txt': 'numpy\n',
    '.gitignore': 'build/\n',
}
PROGRAMS = ('cmake', 'ninja', 'ctest', 'ccache', 'patchelf', 'make', 'nvcc',
            'g++')  # fmt: skip
# Notes its call; fails where FAIL names it; makes what the real one would.
STAND_IN = f"""\
#!/bin/sh
name=$(basename "$0")
case "$*" in
--version) echo "$name 12.2"; exit;;
"-c import sys"*) echo {sys.version_info[0]}.{sys.version_info[1]}; exit;;
esac
echo "$name" "$@" >> "$CALLS"
case $name in
"$FAIL") echo "$name: error: planted failure"; exit 3;;
cmake) : > build.ninja;;
ninja) mkdir -p python/dist; : > python/dist/paddle.whl;;
esac
"""


class Toy:
    """A checkout, the series for it, and how to run the tool on both."""

    def __init__(self, folder):
        self.folder = folder
        self.tree = folder / 'Paddle'
        self.patches = folder / 'project/patches'
        self.bin = folder / 'bin'
        self.start = self.head() if self.tree.is_dir() else ''

    def make(self):
        project = self.patches.parent
        write_project(project)
        assert export_patches.main(['--root', str(project)]) == 0
        series = load_series(project)
        tree = base_tree(series, wheel_dirs(project))
        init_repo(self.tree, {**tree, **EXTRA}, series.author)
        self.git('tag', 'v1.0.0')
        base = f'tag: v1.0.0\ncommit: {self.head()}\nwheel: 1.0.0\n'
        write_files(self.patches, {'BASE': base})
        places = [self.bin / name for name in PROGRAMS]
        venv = self.tree / 'build/scatter_operators/venv/bin/python'
        write_files(self.folder, dict.fromkeys([*places, venv], STAND_IN))
        for place in (*places, venv):
            place.chmod(0o755)

    def git(self, *arguments):
        return git(self.tree, *arguments)

    def commit(self, message='later', **files):
        write_files(self.tree, files)
        commit(self.tree, message, 'n <n@n>', '2026-01-04')
        return self.head()

    def head(self):
        return self.git('rev-parse', 'HEAD').strip()

    def assert_untouched(self, head=None):
        assert self.head() == (head or self.start)
        assert self.git('status', '--porcelain') == ''
        for name in ('rebase-apply', 'scatter-operators.json'):
            assert not (self.tree / '.git' / name).exists()

    def run(self, *arguments, status=0, **environment):
        """What was printed by a run that has to end with this status."""
        path = f'{self.bin}{os.pathsep}{os.environ["PATH"]}'
        ours = {'PATH': path, 'CALLS': self.folder / 'calls', 'FAIL': ''}
        done = subprocess.run(
            [sys.executable, '-B', BUILD, '--source', self.tree, '--patches',
             self.patches, *arguments],
            env=os.environ | ours | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding='utf-8',
            timeout=120,
        )  # fmt: skip
        assert done.returncode == status, done.stdout
        return done.stdout

    def apply(self, status=0):
        return self.run('--only', 'apply', status=status)

    def calls(self, *names):
        """The calls of some stand-ins, or of all."""
        path = self.folder / 'calls'
        lines = path.read_text('utf-8').splitlines() if path.is_file() else []
        return [x for x in lines if not names or x.split()[0] in names]


@pytest.fixture(scope='session')
def template(tmp_path_factory):
    toy = Toy(tmp_path_factory.mktemp('template'))
    toy.make()
    return toy


@pytest.fixture
def toy(template, tmp_path):
    """The template's toy somewhere else, free to be spoiled."""
    shutil.copytree(template.folder, tmp_path / 'toy', symlinks=True)
    return Toy(tmp_path / 'toy')
