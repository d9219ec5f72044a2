"""--source on a toy checkout: what it refuses, applies, keeps, takes back and runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TARGET = Path(__file__).resolve().parents[1] / 'target.py'
PROGRAMS = ('cmake', 'ninja', 'ctest')
# Says its call; ninja fails.
STAND_IN = f"""\
#!/bin/sh
case "$*" in "-c import "*) exec {sys.executable} "$@";; esac
echo called "$(basename "$0")" "$@"
test "$(basename "$0")" != ninja
"""


class Toy:
    """A checkout, two patches for it, and programs that only say their calls."""

    def __init__(self, folder):
        self.tree, self.patches = folder / 'Paddle', folder / 'patches'
        self.bin = folder / 'bin'
        (self.tree / 'python').mkdir(parents=True)
        (self.tree / 'python/requirements.txt').touch()
        self.git('init', '-q')
        self.start = self.commit(old='old\n')
        self.commit(new='first\n')
        self.commit(new='second\n', old='new\n', more='more\n')
        names = self.git('format-patch', '-o', self.patches, self.start)
        self.git('reset', '-q', '--hard', self.start)
        (self.patches / 'series').write_text(names)
        (self.patches / 'BASE').write_text(f'tag: v1\ncommit: {self.start}')
        venv = self.tree / 'build/scatter_operators/venv/bin'
        for folder, *names in (venv, 'python'), (self.bin, *PROGRAMS):
            folder.mkdir(parents=True)
            for name in names:
                (folder / name).write_text(STAND_IN)
                (folder / name).chmod(0o755)

    def git(self, *words):
        own = ('-c', 'user.name=n', '-c', 'user.email=n@n')
        command = ['git', *own, '-C', self.tree, *words]
        return subprocess.check_output(command, text=True).strip()

    def head(self):
        return self.git('rev-parse', 'HEAD')

    def commit(self, **texts):
        for name, text in texts.items():
            (self.tree / name).write_text(text)
        self.git('add', *texts)
        self.git('commit', '-qm', '[Toy] commit')
        return self.head()

    def run(self, *options, status=0):
        path = f'{self.bin}{os.pathsep}{os.environ["PATH"]}'
        done = subprocess.run(
            [sys.executable, '-B', TARGET, '--source', self.tree, *options,
             '--patches', self.patches],
            env={**os.environ, 'PATH': path}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == status, done.stdout
        return done.stdout


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def test_series_is_applied_once_and_taken_back(toy):
    assert 'Applied 2 patches' in toy.run('--only', 'apply')
    log = toy.git('log', '--format=%s', f'{toy.start}..')
    assert log == '[Toy] commit\n[Toy] commit'
    assert 'already applied' in toy.run('--only', 'apply')
    (toy.tree / 'new').write_text('mine\n')
    assert 'git reset stopped' in toy.run('--undo', status=1)
    toy.git('checkout', 'new')
    tip, head = toy.head(), toy.commit(old='mine\n')
    assert 'git rebase --onto' in toy.run('--undo', status=1)
    assert toy.head() == head
    toy.git('reset', '-q', '--hard', tip)
    toy.run('--undo')
    assert toy.head() == toy.start
    assert 'nothing to undo' in toy.run('--undo', status=1)


def test_checkout_that_does_not_fit_is_left_alone(toy):
    (toy.tree / 'old').write_text('mine\n')
    assert 'uncommitted changes:\nM old' in toy.run(status=1)
    head = toy.commit(old='mine\n')
    assert 'It is made for v1: git checkout v1' in toy.run(status=1)
    (toy.tree / '.git/rebase-apply').mkdir()
    assert 'is under way' in toy.run(status=1)
    assert toy.head() == head


def test_patch_that_git_am_refuses_takes_the_others_out(toy):
    patch = toy.patches / '0002-Toy-commit.patch'
    patch.write_text(patch.read_text().partition('---\n')[2])
    assert 'git am stopped' in toy.run(status=1)
    assert toy.git('status', '--porcelain', '--untracked-files=no') == ''
    assert toy.head() == toy.start


def test_dry_run_shows_what_a_run_calls_and_a_failure_stops_it(toy):
    options = ('--jobs', '3', '--cmake=-DWITH_X=ON')
    shown = toy.run('--dry-run', *options)
    assert 'called' not in shown and 'ctest -R ' in shown
    assert toy.head() == toy.start
    said = toy.run(*options, status=1)
    assert "exec ninja -j 3' returned non-zero" in said
    assert '-DWITH_X=ON\ncalled cmake -S ' in said
    commands = [line for line in said.splitlines() if line.startswith('[')]
    assert all(line in shown for line in commands)
    assert 'called ninja -j 3\n' in said and 'called ctest' not in said
    assert 'called ctest -R ' in toy.run('--only', 'test')
