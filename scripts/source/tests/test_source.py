"""Tests of --source on a toy checkout."""

import subprocess
from argparse import Namespace

import pytest

from scripts.source import checkout
from scripts.wheel import target


class Toy:
    """A checkout, and two patches for it."""

    def __init__(self, folder):
        self.tree, self.patches = folder / 'Paddle', folder / 'patches'
        self.tree.mkdir()
        self.git('init', '-q')
        self.start = self.commit(old='old\n')
        self.commit(new='first\n')
        self.commit(new='second\n', old='new\n', more='more\n')
        names = self.git('format-patch', '-o', self.patches, self.start)
        self.git('reset', '-q', '--hard', self.start)
        (self.patches / 'series').write_text(names)
        (self.patches / 'BASE').write_text(f'tag: v1\ncommit: {self.start}')

    def git(self, *words):
        identity = ('-c', 'user.name=n', '-c', 'user.email=n@n')
        command = ['git', *identity, '-C', self.tree, *words]
        return subprocess.check_output(command, text=True).strip()

    def head(self):
        return self.git('rev-parse', 'HEAD')

    def commit(self, **texts):
        for name, text in texts.items():
            (self.tree / name).write_text(text)
        self.git('add', *texts)
        self.git('commit', '-qm', '[Toy] commit')
        return self.head()

    def run(self, only=None, dry_run=False, error=''):
        args = Namespace(
            source=self.tree, build_dir=self.tree / 'build', only=only,
            dry_run=dry_run, jobs=3, gpu=False, cmake=['-DWITH_X=ON'],
        )  # fmt: skip
        if not error:
            return target.run(args)
        with pytest.raises(SystemExit, match=error):
            target.run(args)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setattr(checkout, 'PATCHES', tmp_path / 'patches')
    return Toy(tmp_path)


def test_apply_commits_the_series_once(toy, capsys):
    toy.run('apply')
    log = toy.git('log', '--format=%s', f'{toy.start}..')
    assert log == '[Toy] commit\n[Toy] commit'
    assert f'reset --keep {toy.start}\n' in capsys.readouterr().out
    toy.run('apply')
    assert 'The 2 patches are already applied' in capsys.readouterr().out


def test_other_version_of_the_series_is_rejected(toy):
    toy.run('apply')
    (toy.tree / 'old').write_text('older\n')
    toy.run(error='(?s)another version .*patch failed: old:1')
    (toy.tree / 'old').write_text('new\n')
    (toy.tree / 'new').unlink()
    toy.run(error='(?s)another version .*new: No such file')


def test_apply_rejects_conflicts_and_preserves_the_checkout(toy):
    (toy.tree / 'old').write_text('mine\n')
    toy.run(error='old: does not match index')
    head = toy.commit(old='mine\n')
    toy.run(error='It is based on v1: git checkout v1')
    (toy.tree / '.git/rebase-apply').mkdir()
    toy.run(error='in progress')
    assert toy.head() == head


def test_failure_of_git_am_reverts_the_applied_patches(toy):
    patch = toy.patches / '0002-Toy-commit.patch'
    patch.write_text(patch.read_text().partition('---\n')[2])
    toy.run(error='Step apply failed')
    assert toy.git('status', '--porcelain', '--untracked-files=no') == ''
    assert toy.head() == toy.start


def test_dry_run_prints_every_command_and_runs_none(toy, capsys):
    toy.run(dry_run=True)
    output = capsys.readouterr().out
    for part in ('am --quiet', '-DWITH_X=ON\n', 'exec ninja -j 3', 'ctest -R '):
        assert part in output
    assert toy.head() == toy.start and not (toy.tree / 'build').exists()
    toy.run('test', error='Run --only apply first')
