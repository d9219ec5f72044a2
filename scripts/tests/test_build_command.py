"""Tests of the command that a user types, and of what it needs to run."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from scripts.common import command_line, make_venv, prerequisites, programs
from scripts.common.steps import StepFailed
from scripts.wheel import target
from scripts.wheel.steps import shown

SCRIPTS = Path(__file__).resolve().parents[1]
SHELL_SCRIPT = SCRIPTS / 'apply_and_build.sh'
OWN = ('--python', sys.executable)


def run(*arguments, path=None, status=0):
    """What a call of the script said, which has to end with this status."""
    environment = {**os.environ, 'PATH': str(path or os.environ['PATH'])}
    command = (shutil.which('bash'), SHELL_SCRIPT, *arguments)
    done = programs.run(*command, env=environment)
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture
def bare_path(tmp_path):
    """A PATH with dirname, which the script needs, and nothing else."""
    folder = tmp_path / 'bin'
    folder.mkdir()
    (folder / 'dirname').symlink_to(shutil.which('dirname'))
    return folder


def test_dry_run_shows_all_steps_and_changes_nothing(tmp_path):
    folder = tmp_path / 'build'
    done = run(*OWN, '--build-dir', folder, '--dry-run', '--clean')
    assert not folder.exists()
    for said in ('[1/10] ', '[10/10] ', 'make_venv.py', 'install.py python',
                 'cmake --build'):  # fmt: skip
        assert said in done.stdout


def test_environment_that_is_installed_into_says_what_python_is_built_for(
    tmp_path,
):
    made = [sys.executable, '-m', 'venv', '--without-pip', tmp_path / 'venv']
    programs.run(*made, check=True)
    python = tmp_path / 'venv/bin/python'
    folder = ('--dry-run', '--build-dir', tmp_path / 'build')
    program = 'scripts/common/prerequisites.py'
    for option in (('--into', python), (f'--into={python}',)):
        assert f'    {python} {program}\n' in run(*option, *folder).stdout
    done = run('--into', python, '--python', sys.executable, *folder)
    here = shlex.quote(shown(sys.executable))
    assert f'    {here} {program}\n' in done.stdout


def test_reader_that_stops_reading_is_no_error(tmp_path):
    command = f'"{SHELL_SCRIPT}" --python "{OWN[1]}" --dry-run | head -1'
    done = programs.run('bash', '-c', command)
    assert done.stdout.startswith('Dry run')
    assert done.stderr == ''


def test_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / 'file').write_text('')
    done = run(*OWN, '--build-dir', tmp_path / 'file/build', status=1)
    assert 'Traceback' not in done.stderr
    assert 'Not a directory' in done.stderr


def test_space_that_is_missing_is_said_before_it_is_taken(
    tmp_path, monkeypatch, capsys
):
    build = tmp_path / 'deep' / 'build'
    usages = [shutil.disk_usage(tmp_path)._replace(free=10**n) for n in (9, 10)]
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usages.pop(0))
    with pytest.raises(StepFailed, match=r'takes 2.2 GB .* 1.0 GB are free'):
        target.check_space(build)
    target.check_space(build)
    assert 'takes 2.2 GB' in capsys.readouterr().out
    (build / 'venv').mkdir(parents=True)
    target.check_space(build)
    assert capsys.readouterr().out == ''


def test_source_target_explains_its_own_options(tmp_path):
    assert '--undo' in run(*OWN, '--source', tmp_path, '--help').stdout


def test_jobs_are_passed_on_and_checked(tmp_path):
    options = (*OWN, '--build-dir', tmp_path / 'build', '--dry-run')
    assert '-j 7\n' in run(*options, '--jobs', '7').stdout
    assert 'not 1 or more' in run(*options, '--jobs', '0', status=2).stderr


@pytest.mark.parametrize(
    'free, jobs', [(3 << 30, 3), (1 << 20, 1), (1 << 60, 8)]
)
def test_jobs_follow_the_free_memory(free, jobs, monkeypatch):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: range(8))
    monkeypatch.setattr(command_line, 'free_memory', lambda: free)
    assert command_line.default_jobs(1 << 30) == jobs
    monkeypatch.delattr(os, 'sched_getaffinity')
    assert command_line.default_jobs(1 << 30) == 1


def test_without_python_one_message_lists_all(bare_path):
    done = run(path=bare_path, status=1)
    for name in ('python3 (3.9 to 3.13)', 'g++', 'cmake', 'git'):
        assert f'  {name}\n' in done.stderr
    assert 'apt-get install' in done.stderr


def test_a_python_that_does_not_fit_is_named(bare_path):
    done = run('--python', '/nonexistent/python', path=bare_path, status=1)
    assert '/nonexistent/python is not one' in done.stderr


def test_without_tools_one_message_lists_all(bare_path, tmp_path):
    done = run(
        *OWN, '--build-dir', tmp_path / 'build', path=bare_path, status=1
    )
    assert '3 things missing' in done.stderr
    for name in ('g++ 8.0', 'cmake 3.20', 'git 2.20'):
        assert name in done.stderr
    assert 'apt-get install g++ cmake git\n' in done.stderr
    assert 'dnf install gcc-c++ cmake git\n' in done.stderr
    assert not (tmp_path / 'build').exists()


def test_python_without_headers_or_out_of_range_is_reported(tmp_path):
    (headers,) = prerequisites.check_python(includes=tmp_path)
    assert (headers.what, headers.apt) == ('Python.h', 'python3-dev')
    (version,) = prerequisites.check_python(version=(3, 14))
    assert version.what == 'python 3.9 to 3.13'


def test_readme_lists_options_that_exist():
    readme = (SCRIPTS.parent / 'README.md').read_text('utf-8')
    _, _, section = readme.partition('\n## Options\n')
    rows = section.partition('\n## ')[0]
    listed = re.findall(r'^\| `(--[a-z-]+)', rows, re.MULTILINE)
    done = run('--python', sys.executable, '--help')
    assert len(listed) > 5
    assert [name for name in listed if name not in done.stdout] == []


def test_readme_and_shell_name_the_same_pythons():
    (low, high) = prerequisites.PYTHON_RANGE
    assert low[0] == high[0] == 3
    shell = SHELL_SCRIPT.read_text('utf-8')
    assert f'\noldest={low[1]}\nnewest={high[1]}\n' in shell
    readme = (SCRIPTS.parent / 'README.md').read_text('utf-8')
    assert f'python3 ({prerequisites.python_range()})' in readme


def test_another_platform_is_reported():
    assert prerequisites.check_platform('Linux', 'x86_64') == []
    (missing,) = prerequisites.check_platform('Darwin', 'arm64')
    assert 'Darwin on arm64' in missing.found


def test_venv_is_made_left_alone_and_never_taken_for_complete(tmp_path):
    requirements, venv = tmp_path / 'requirements.txt', tmp_path / 'venv'
    make = (sys.executable, make_venv.__file__, '--venv', venv)
    make += ('--requirements', requirements)
    requirements.write_text('# nothing\n')
    (venv / 'bin').mkdir(parents=True)  # cut off half-way
    (venv / 'bin/python').symlink_to('/nonexistent/python')
    done = programs.run(*make)
    assert done.returncode == 0, done.stderr
    assert make_venv.python_version(venv / 'bin/python')
    done = programs.run(*make)
    assert done.returncode == 0, done.stderr
    assert 'up to date' in done.stdout
    before = (venv / make_venv.STAMP).read_text()
    requirements.write_text('-r absent.txt\n')
    done = programs.run(*make)
    assert done.returncode != 0
    assert 'make_venv: failed' in done.stderr
    assert (venv / make_venv.STAMP).read_text() == before
