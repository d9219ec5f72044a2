"""Tests of the build command: options, requirements and messages."""

import os
import re
import shlex
import shutil
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from scripts.common import programs
from scripts.wheel import target
from scripts.wheel.steps import BASE

ROOT = Path(__file__).resolve().parents[2]
SHELL_SCRIPT = ROOT / 'scripts/apply_and_build.sh'
THIS_PYTHON = ('--python', sys.executable)


def run(*arguments, path=None, status=0):
    """Run the script and check its exit status; return its output."""
    environment = {**os.environ, 'PATH': str(path or os.environ['PATH'])}
    command = (shutil.which('bash'), SHELL_SCRIPT, *arguments)
    process = programs.run(*command, env=environment)
    assert process.returncode == status, process.stderr
    return process.stdout + process.stderr


def test_dry_run_prints_all_steps_and_changes_nothing(tmp_path):
    folder = tmp_path / 'build'
    options = ('--dry-run', '--clean', '--wheel', '--jobs', '7')
    output = run(*THIS_PYTHON, '--build-dir', folder, *options)
    assert not folder.exists()
    for part in (
        '[1/9] ',
        '[9/9] ',
        '-exec rm -rf {}',
        'install.py',
        ' -j 7\n',
    ):
        assert part in output
    output = run(*THIS_PYTHON, '--paddle', '3.3.0', '--dry-run')
    assert ' paddlepaddle==3.3.0\n' in output and ' -B build-3.3.0 ' in output
    assert '-r requirements-test.txt' in output
    # A closed pipe is not an error.
    command = f'"{SHELL_SCRIPT}" --python "{THIS_PYTHON[1]}" --dry-run | true'
    assert programs.run('bash', '-c', command).stderr == ''


def test_into_selects_the_python_to_build_for(tmp_path):
    venv = (sys.executable, '-m', 'venv', '--without-pip', tmp_path / 'my venv')
    programs.run(*venv, check=True)
    python = tmp_path / 'my venv/bin/python'
    for options, interpreter in (
        (('--into', python), python),
        ((f'--into={python}', '--clean'), python),
        (('--into', python, f'--python={sys.executable}'), sys.executable),
    ):
        output = run(*options, '--dry-run', '--build-dir', tmp_path / 'build')
        assert 'requirements-test' not in output
        path = str(interpreter).removeprefix(f'{ROOT}/')
        assert f' || {shlex.quote(path)} -m venv ' in output


def test_invalid_options_are_reported_without_a_traceback():
    build = ('--build-dir', ROOT / 'README.md/build')
    output = run(*THIS_PYTHON, *build, status=1)
    assert 'Not a directory' in output and 'Traceback' not in output
    for options, fault in (
        (('--jobs', '0'), 'should be at least 1'),
        (('--pyth', sys.executable), 'unrecognized arguments: --pyth'),
        (('--paddle', '3.2.2'), "invalid choice: '3.2.2'"),
        (('--gpu',), '--gpu can only be used with --source'),
        (('--source', '.', '--wheel'), '--wheel cannot be used with --source'),
    ):
        assert fault in run(*THIS_PYTHON, *build, *options, status=2)


def test_check_venv_rejects_another_python_version(tmp_path):
    (tmp_path / 'venv').mkdir()
    (tmp_path / 'venv/pyvenv.cfg').write_text('version = 2.7.18\n')
    with pytest.raises(SystemExit, match='the Python is not 3'):
        target.check_venv(Namespace(build_dir=tmp_path))


def test_default_jobs_is_limited_by_cores_and_memory(monkeypatch):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: range(8))
    memory = 'MemAvailable:    3145728 kB\n'
    monkeypatch.setattr(Path, 'read_text', lambda *_, **__: memory)
    jobs = [target.compute_default_jobs(size) for size in (1, 1 << 30, 1 << 40)]
    assert jobs == [8, 3, 1]


def test_missing_requirements_are_reported_together(tmp_path):
    path, build = tmp_path / 'bin', tmp_path / 'build'
    path.mkdir()
    (path / 'dirname').symlink_to(shutil.which('dirname'))
    output = run('--python', '/no/python', path=path, status=1)
    assert '; /no/python is unsupported\n' in output
    for name, version in (('cmake', '3.19.7'), ('git', '3.1')):
        (path / name).write_text(f'#!/bin/sh\necho {name} version {version}\n')
        (path / name).chmod(0o755)
    output = run(*THIS_PYTHON, '--build-dir', build, path=path, status=1)
    lines = '  g++\n  cmake 3.20 or later: found 3.19\n\n'
    assert f'Missing:\n{lines}' in output and 'apt-get install' in output
    assert not build.exists()


@pytest.mark.parametrize(
    ('options', 'commands'),
    [
        ({}, ['-m paddle_scatter_info', 'ctest', 'ctest', 'demo.py']),
        ({'wheel': True}, ['dist/*.whl']),
        ({'into': '/env/python'}, ['-m paddle_scatter_info', '-m pip install']),
    ],
)
def test_next_commands_depend_on_the_options(tmp_path, options, commands):
    defaults = {'wheel': False, 'into': None, 'paddle': '3.3.1'}
    args = Namespace(**{'build_dir': tmp_path, **defaults, **options})
    lines = list(target.list_next_commands(args).values())
    assert len(lines) == len(commands)
    assert all(part in line for part, line in zip(commands, lines)), lines


def test_readme_and_shell_script_match_the_options_and_versions():
    readme = (ROOT / 'README.md').read_text('utf-8')
    section = readme.partition('\n## Options\n')[2].partition('\n## ')[0]
    listed = re.findall(r'^\| `(--[a-z-]+)', section, re.MULTILINE)
    output = run(*THIS_PYTHON, '--help')
    assert len(listed) > 5
    assert [name for name in listed if name not in output] == []
    low, high = re.search(r'Python 3\.(\d+) to 3\.(\d+)\s+to', output).groups()
    shell = SHELL_SCRIPT.read_text('utf-8')
    assert f'\noldest={low}\nnewest={high}\n' in shell
    assert f'python3 (3.{low} to 3.{high})' in readme
    assert f'wheel: {BASE}\n' in (ROOT / 'patches/BASE').read_text()
