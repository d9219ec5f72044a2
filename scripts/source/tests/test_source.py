"""Tests of --source on a toy checkout."""

import subprocess
import sys

import pytest

from scripts.source import checkout
from scripts.wheel import target


class Toy:
    """A checkout, and two patches for it."""

    def __init__(self, folder):
        self.tree, patches = folder / 'Paddle', folder / 'patches'
        self.tree.mkdir()
        self.git('init', '-q')
        self.start = self.commit(old='old\n')
        self.commit(new='first\n')
        self.commit(new='second\n', old='new\n', more='more\n')
        names = self.git('format-patch', '-o', patches, self.start)
        self.git('reset', '-q', '--hard', self.start)
        (patches / 'series').write_text(names)
        (patches / 'BASE').write_text(f'tag: v1\ncommit: {self.start}')

    def git(self, *words):
        identity = ('-c', 'user.name=n', '-c', 'user.email=n@n')
        command = ['git', *identity, '-C', self.tree, *words]
        return subprocess.check_output(command, text=True).strip()

    def commit(self, **texts):
        for name, text in texts.items():
            (self.tree / name).write_text(text)
        self.git('add', *texts)
        self.git('commit', '-qm', '[Toy] commit')
        return self.git('rev-parse', 'HEAD')


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setattr(checkout, 'PATCHES', tmp_path / 'patches')
    return Toy(tmp_path)


@pytest.fixture
def run(toy, monkeypatch, capsys):
    def run(*options, error=''):
        """Run the build command; return its output."""
        words = ['target.py', '--source', str(toy.tree), *options]
        monkeypatch.setattr(sys, 'argv', words)
        if error:
            with pytest.raises(SystemExit, match=error):
                target.main()
        else:
            target.main()
        return capsys.readouterr().out

    return run


def test_apply_commits_the_series_once(toy, run):
    assert f'reset --keep {toy.start}\n' in run('--only', 'apply')
    log = toy.git('log', '--format=%s', f'{toy.start}..')
    assert log == '[Toy] commit\n[Toy] commit'
    assert 'The 2 patches are already applied' in run('--dry-run')
    (toy.tree / 'old').write_text('older\n')
    run(error='(?s)new: already exists in index.* run ninja')


def test_apply_rejects_conflicts_and_preserves_the_checkout(toy, run):
    (toy.tree / 'old').write_text('mine\n')
    run(error='old: does not match index')
    head = toy.commit(old='mine\n')
    run(error='It is based on v1: git checkout v1')
    assert toy.git('rev-parse', 'HEAD') == head
    assert not (toy.tree / 'build').exists()


def test_dry_run_prints_every_command_and_runs_none(toy, run):
    output = run('--dry-run', '--jobs=3', '--gpu')
    for part in (
        'am --quiet',
        '-DWITH_GPU=ON ',
        'exec ninja -j 3',
        'ctest -R ',
    ):
        assert part in output
    assert toy.git('rev-parse', 'HEAD') == toy.start
    assert not (toy.tree / 'build').exists()
