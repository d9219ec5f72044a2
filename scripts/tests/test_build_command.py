"""The command that a user types, and what it says of what it needs to run."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from scripts.common import command_line, make_venv, programs
from scripts.wheel import target, versions

ROOT = Path(__file__).resolve().parents[2]
SHELL_SCRIPT = ROOT / 'scripts/apply_and_build.sh'
OWN = ('--python', sys.executable)


def run(*arguments, path=None, status=0):
    """What a call of the script said, which has to end with this status."""
    environment = {**os.environ, 'PATH': str(path or os.environ['PATH'])}
    command = (shutil.which('bash'), SHELL_SCRIPT, *arguments)
    done = programs.run(*command, env=environment)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_dry_run_shows_all_steps_and_changes_nothing(tmp_path):
    folder = tmp_path / 'build'
    options = ('--dry-run', '--clean', '--wheel', '--jobs', '7')
    said = run(*OWN, '--build-dir', folder, *options)
    assert not folder.exists()
    for part in ('[1/8] ', '[8/8] ', 'make_venv.py', 'install.py', ' -j 7\n'):
        assert part in said
    said = run(*OWN, '--paddle', '3.3.0', '--dry-run')
    assert ' --paddle 3.3.0\n' in said and ' -B build-3.3.0 ' in said
    # A reader that has gone is no error.
    command = f'"{SHELL_SCRIPT}" --python "{OWN[1]}" --dry-run | true'
    assert programs.run('bash', '-c', command).stderr == ''


def test_it_builds_for_the_python_of_the_environment(tmp_path):
    made = (sys.executable, '-m', 'venv', '--without-pip', tmp_path / 'my venv')
    programs.run(*made, check=True)
    python = tmp_path / 'my venv/bin/python'
    for options, builds in (
        (('--into', python), python),
        ((f'--into={python}', '--clean'), python),
        (('--into', python, f'--python={sys.executable}'), sys.executable),
    ):
        said = run(*options, '--dry-run', '--build-dir', tmp_path / 'build')
        shown = str(builds).removeprefix(f'{ROOT}/')
        assert f'    {shlex.quote(shown)} scripts/common/make_venv.py' in said


def test_what_cannot_be_done_is_one_sentence(tmp_path):
    (tmp_path / 'file').write_text('')
    build = ('--build-dir', tmp_path / 'file/build')
    said = run(*OWN, *build, status=1)
    assert 'Not a directory' in said and 'Traceback' not in said
    assert 'not 1 or more' in run(*OWN, '--jobs', '0', status=2)
    said = run(*OWN, *build, '--paddle', '3.2.2', status=2)
    assert 'Paddle 3.2.2 is not served' in said


def test_space_and_memory_are_looked_at(tmp_path, monkeypatch, capsys):
    usages = [shutil.disk_usage(tmp_path)._replace(free=10**n) for n in (9, 10)]
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usages.pop(0))
    with pytest.raises(command_line.Refused, match='2.2 GB .* 1.0 GB are free'):
        target.check_space(tmp_path / 'deep/build')
    target.check_space(tmp_path / 'deep/build')
    assert 'takes 2.2 GB' in capsys.readouterr().out
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: range(8))
    memory = 'MemAvailable:    3145728 kB\n'
    monkeypatch.setattr(Path, 'read_text', lambda *_, **__: memory)
    jobs = [command_line.default_jobs(size) for size in (1, 1 << 30, 1 << 40)]
    assert jobs == [8, 3, 1]


def test_one_message_lists_all_that_is_missing(tmp_path):
    path, build = tmp_path / 'bin', tmp_path / 'build'
    path.mkdir()
    (path / 'dirname').symlink_to(shutil.which('dirname'))
    for options, parts in (
        ((), ('  python3 (3.9 to 3.13)\n', '  g++\n', '  cmake\n', '  git\n')),
        (('--python', '/no/python'), ('/no/python is not one', 'apt-get in')),
    ):
        said = run(*options, path=path, status=1)
        assert [part for part in parts if part not in said] == []
    (path / 'cmake').write_text('#!/bin/sh\necho cmake version 3.19.7\n')
    (path / 'cmake').chmod(0o755)
    said = run(*OWN, '--build-dir', build, path=path, status=1)
    for part in (
        '3 things missing', 'g++ 8.0 or later', 'git 2.20 or later',
        'version 3.19\n', 'apt-get install g++ cmake git\n',
        'dnf install gcc-c++ cmake git\n',
    ):  # fmt: skip
        assert part in said
    assert not build.exists()


def test_readme_shell_and_pins_agree():
    readme = (ROOT / 'README.md').read_text('utf-8')
    section = readme.partition('\n## Options\n')[2].partition('\n## ')[0]
    listed = re.findall(r'^\| `(--[a-z-]+)', section, re.MULTILINE)
    said = run(*OWN, '--help')
    assert len(listed) > 5
    assert [name for name in listed if name not in said] == []
    assert '--undo' in run(*OWN, '--source', '.', '--help')
    low, high = re.search(r'Python 3\.(\d+) to 3\.(\d+) to', said).groups()
    shell = SHELL_SCRIPT.read_text('utf-8')
    assert f'\noldest={low}\nnewest={high}\n' in shell
    assert f'python3 (3.{low} to 3.{high})' in readme
    base = (ROOT / 'patches/BASE').read_text()
    pinned = (ROOT / 'requirements.txt').read_text()
    assert f'wheel: {versions.BASE}\n' in base
    assert f'\npaddlepaddle=={versions.BASE}\n' in pinned


def test_venv_that_was_cut_off_is_made_anew(tmp_path):
    requirements, venv = tmp_path / 'requirements.txt', tmp_path / 'venv'
    requirements.write_text('paddlepaddle==1.0\n')
    cut_off = (sys.executable, '-m', 'venv', '--without-pip', venv)
    programs.run(*cut_off, check=True)
    make = (sys.executable, make_venv.__file__, '--venv', venv)
    options = ('--requirements', requirements, '--paddle', '0.0.0')
    done = programs.run(*make, *options)
    assert (venv / 'bin/pip').is_file()
    assert done.returncode != 0
    assert 'make_venv: failed' in done.stderr
    assert 'paddlepaddle==0.0.0' in done.stderr
