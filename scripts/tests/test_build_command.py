"""Tests of the build command, with stubs of the programs that it runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts.common import programs
from scripts.common.steps import MARKER, lock_folder
from scripts.wheel import target
from scripts.wheel.steps import BASE, PYTHON_VERSION

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / 'scripts/apply_and_build.sh'
PATH = os.environ['PATH']
THIS_PYTHON = ('--python', sys.executable)


def run(*options, path=PATH, status=0):
    """Run the script and check its exit status; return its output."""
    environment = {**os.environ, 'PATH': str(path)}
    command = (shutil.which('bash'), SCRIPT, *options)
    process = programs.run(*command, env=environment, timeout=50)
    output = process.stdout + process.stderr
    assert process.returncode == status, output
    assert 'Traceback' not in output
    return output


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{text}\n')
    path.chmod(0o755)


class Build:
    """A build folder whose Python is a stub, and other stubs on PATH."""

    def __init__(self, folder):
        self.folder, self.bin = folder / 'build', folder / 'bin'
        write_program(self.bin / 'cmake', '')
        self.set_python('echo stub "$@"; ls -l /proc/self/fd')
        (self.folder / MARKER).touch()

    def set_python(self, text):
        write_program(self.folder / 'venv/bin/python', text)

    def run(self, *options, status=0):
        options = (*THIS_PYTHON, '--build-dir', self.folder, *options)
        return run(*options, path=f'{self.bin}:{PATH}', status=status)


@pytest.fixture
def build(tmp_path):
    return Build(tmp_path)


def test_dry_run_prints_all_steps_and_changes_nothing(tmp_path):
    folder = tmp_path / 'build'
    options = ('--dry-run', '--clean', '--wheel', '--jobs', '7')
    output = run(*THIS_PYTHON, '--build-dir', folder, *options)
    assert not folder.exists()
    for part in ('[1/9] clean\n', '[9/9] wheel\n', ' -j 7\n'):
        assert part in output
    output = run(*THIS_PYTHON, '--paddle', '3.3.0', '--dry-run')
    assert ' paddlepaddle==3.3.0\n' in output and ' -B build-3.3.0 ' in output
    # A closed pipe is not an error.
    command = f'"{SCRIPT}" --python "{sys.executable}" --dry-run | true'
    assert programs.run('bash', '-c', command).stderr == ''


@pytest.mark.parametrize(
    ('options', 'last_step', 'next_commands'),
    [
        ([], '[7/7] demonstration', ['paddle_scatter_info', 'ctest ', 'ctest ', 'demo.py']),
        (['--wheel'], '[8/8] wheel', ['dist/*.whl']),
        (['--into', 'my python'], '[9/9] into', ['paddle_scatter_info', 'paddle==3.3.1']),
    ],
)  # fmt: skip
def test_build_runs_all_steps(build, options, last_step, next_commands):
    release = f'echo {PYTHON_VERSION} with {BASE}+scatter.20261122'
    write_program(build.bin / 'my python', release)
    output = build.run(*options)
    assert f'\n{last_step} ... ' in output
    # The children inherit the lock.
    assert 'stub scripts/wheel/demo.py\n' in output and MARKER in output
    log = (build.folder / 'logs/02-packages.log').read_text()
    assert ('requirements-test.txt' in log) == (not options)
    lines = output.partition('\nNext:\n')[2].splitlines()
    assert len(lines) == len(next_commands)
    assert all(x in line for x, line in zip(next_commands, lines)), lines


def test_failing_step_shows_its_log_and_a_hint(build):
    build.set_python('case "$*" in *install*) echo why; exit 3; esac')
    output = build.run(status=1)
    assert '[2/7] packages ... FAILED after' in output
    assert re.search(r'exit code 3\. .*\n    why\n\nHint: check', output, re.S)


def test_sigterm_terminates_children_and_releases_the_lock(build):
    build.set_python(
        'read _ _ _ driver _ </proc/$PPID/stat; sleep 1; kill $driver; sleep 60'
    )
    assert 'command again to resume' in build.run(status=130)
    time.sleep(0.5)
    lock_folder(build.folder)
    assert 'Another build is using' in build.run(status=1)


def test_clean_empties_only_folders_of_builds(build):
    files = ('logs/1.log', '.ninja_log', 'a b', 'bench/b')
    for name in files:
        write_program(build.folder / name, '')
    command = build.run('--clean', '--dry-run').splitlines()[2]
    subprocess.run(command, shell=True, check=True)
    names = {path.name for path in build.folder.rglob('*') if path.is_file()}
    assert names == {MARKER, '1.log'}
    (build.folder / MARKER).unlink()
    assert 'not created by a build, but contains logs' in build.run(status=1)


def test_into_selects_the_python_to_build_for(tmp_path):
    python = tmp_path / 'my python'
    python.symlink_to(sys.executable)
    for options, interpreter in (
        (('--into', python), python),
        ((f'--into={python}', '--clean'), python),
        (('--into', python, f'--python={sys.executable}'), sys.executable),
    ):
        output = run(*options, '--dry-run', '--build-dir', tmp_path / 'build')
        path = str(interpreter).removeprefix(f'{ROOT}/')
        assert f' || {shlex.quote(path)} -m venv ' in output
    output = run('--into', python, '--build-dir', tmp_path / 'build', status=1)
    assert 'received importlib.metadata.PackageNotFoundError' in output
    assert f"Install the release: '{python}' -m pip install" in output


def test_invalid_options_are_reported(build):
    (build.folder / 'venv/pyvenv.cfg').write_text('version = 2.7.18\n')
    for options, status, fault in (
        (['--pyth', sys.executable], 2, 'unrecognized arguments: --pyth'),
        (['--paddle', '3.2.2'], 2, "invalid choice: '3.2.2'"),
        (['--gpu'], 2, '--gpu can only be used with --source'),
        (['--source=.', '--wheel'], 2, '--wheel cannot be used with --source'),
        (['--into', '/missing'], 1, "No such file or directory: '/missing'"),
        (['--build-dir', ROOT / 'README.md/build'], 1, 'Not a directory'),
        ([], 1, 'the Python is not 3'),
    ):
        assert fault in build.run(*options, status=status)


def test_default_jobs_is_limited_by_cores_and_memory(monkeypatch):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: range(8))
    memory = 'MemAvailable:    3145728 kB\n'
    monkeypatch.setattr(Path, 'read_text', lambda *_, **__: memory)
    jobs = [target.compute_default_jobs(size) for size in (1, 1 << 30, 1 << 40)]
    assert jobs == [8, 3, 1]


def test_missing_requirements_are_reported_together(tmp_path):
    path = tmp_path / 'bin'
    path.mkdir()
    (path / 'dirname').symlink_to(shutil.which('dirname'))
    output = run('--python', '/no/python', path=path, status=1)
    assert '; /no/python is unsupported\n' in output
    write_program(path / 'git', '')
    build = ('--build-dir', tmp_path / 'build')
    output = run(*THIS_PYTHON, *build, path=path, status=1)
    assert 'Missing:\n  g++\n  cmake' in output and 'apt-get' in output
    assert not (tmp_path / 'build').exists()


def test_readme_lists_options_and_versions():
    readme = (ROOT / 'README.md').read_text('utf-8')
    section = readme.partition('\n## Options\n')[2].partition('\n## ')[0]
    options = re.findall(r'^\| `(--[a-z-]+)', section, re.MULTILINE)
    text = run(*THIS_PYTHON, '--help')
    assert len(options) > 5
    assert [option for option in options if option not in text] == []
    for page in (readme, text, SCRIPT.read_text('utf-8')):
        assert re.search(r'3\.9\s+to\s+3\.13', page)
    assert f'wheel: {BASE}\n' in (ROOT / 'patches/BASE').read_text()
