"""Tests of the build command, with stubs of the programs that it runs."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.common import programs

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / 'scripts/apply_and_build.sh'
MARKER = '.scatter_ops_build'
PATH = os.environ['PATH']
VERSION = '{}.{}'.format(*sys.version_info)
THIS_PYTHON = ('--python', sys.executable)


def run(*options, path=PATH, status=0, script=SCRIPT):
    """Run the script and check its exit status; return its output."""
    environment = {**os.environ, 'PATH': str(path)}
    command = (shutil.which('bash'), script, *options)
    process = programs.run(*command, env=environment, timeout=50)
    output = process.stdout + process.stderr
    assert process.returncode == status, output
    return output


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{text}\n')
    path.chmod(0o755)


class Build:
    """A build folder whose Python is a stub, and other stubs on PATH."""

    def __init__(self, folder):
        self.folder, self.bin = folder / 'build', folder / 'bin'
        self.python = self.folder / 'venv/bin/python'
        write_program(self.bin / 'cmake', '')
        write_program(self.python, 'echo stub "$@"; ls -l /proc/self/fd')
        (self.folder / MARKER).touch()

    def run(self, *options, status=0):
        options = (*THIS_PYTHON, '--build-dir', self.folder, *options)
        return run(*options, path=f'{self.bin}:{PATH}', status=status)


@pytest.fixture
def build(tmp_path):
    return Build(tmp_path)


def test_default_jobs_is_limited_by_cores_and_memory(build):
    memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') >> 30
    for cores, least, most in ((1, 1, 1), (1 << 20, 1, memory)):
        write_program(build.bin / 'nproc', f'echo {cores}')
        output = build.run('--dry-run')
        assert least <= int(re.search(r' -j (\d+)\n', output)[1]) <= most


@pytest.mark.parametrize(
    ('options', 'last_step', 'result'),
    [
        ([], '[5/5] install', '{python}'),
        (['--wheel'], '[6/6] wheel', '{folder}/dist/paddle.whl'),
        (['--into', 'my python'], '[7/7] into', "'{bin}/my python'"),
    ],
)
def test_build_runs_all_steps(build, options, last_step, result):
    release = f'Python {VERSION} with paddlepaddle 3.3.1+scatter.20261122'
    into = f'case $1 in -c) echo {release} ;; *) echo stub "$@" ;; esac'
    write_program(build.bin / 'my python', into)
    write_program(build.folder / 'dist/paddle.whl', '')
    output = build.run(*options)
    assert f'\n{last_step} (' in output
    assert result.format_map(vars(build)) in output
    assert 'stub -m paddle_scatter_info\n' in output
    log = (build.folder / 'logs/01-packages.log').read_text()
    assert ('stub -m pip' in log) and MARKER in log  # children inherit the lock
    assert ('requirements-test.txt' in log) == (not options)
    assert ('To run the tests: ctest' in output) == (not options)


def test_failing_step_shows_its_log_and_a_hint(build):
    fail_to_install = 'case "$*" in *install*) echo why; exit 3; esac'
    write_program(build.python, fail_to_install)
    output = build.run(status=1)
    assert re.search(r'\[1/5\] packages \(.*\) \.\.\. FAILED after', output)
    assert re.search(r'code 3\. .*\n    why\n\nA rerun resumes', output, re.S)


def test_locked_folder_is_rejected(build):
    with open(build.folder / MARKER) as marker:
        fcntl.flock(marker, fcntl.LOCK_EX)
        assert 'Another build is using' in build.run(status=1)


def test_dry_run_changes_nothing_and_clean_empties_folders_of_builds(build):
    files = ('logs/1.log', '.ninja_log', 'a b', 'bench/b')
    for name in files:
        write_program(build.folder / name, '')
    before = {*build.folder.rglob('*')}
    output = build.run('--clean', '--wheel', '--jobs=7', '--dry-run')
    assert {*build.folder.rglob('*')} == before
    for part in ('[1/8] clean\n', '[8/8] wheel\n', ' -j 7\n'):
        assert part in output
    subprocess.run(output.splitlines()[1], shell=True, check=True)
    names = {path.name for path in build.folder.rglob('*') if path.is_file()}
    assert names == {MARKER, '1.log'}
    (build.folder / MARKER).unlink()
    assert 'not created by a build: ' in build.run(status=1)


def test_into_selects_the_python_to_build_for(tmp_path):
    python = tmp_path / 'my python'
    python.symlink_to(sys.executable)
    new_build = ('--build-dir', tmp_path / 'build')
    for options, interpreter in (
        (('--into', python), python),
        ((f'--into={python}', '--clean'), python),
        (('--into', python, f'--python={sys.executable}'), sys.executable),
    ):
        output = run(*options, '--dry-run', *new_build)
        assert f'{interpreter} -m venv ' in output.replace('\\', '')
    output = run('--into', python, *new_build, status=1)
    assert 'received importlib.metadata.PackageNotFoundError' in output
    assert f"Install the release: '{python}' -m pip install" in output
    assert not (tmp_path / 'build').exists()


def test_invalid_options_are_reported(build):
    (build.folder / 'venv/pyvenv.cfg').write_text('version = 2.7.18\n')
    for options, fault in (
        (['--pyth', sys.executable], 'Unrecognized argument: --pyth'),
        (['--clean=yes'], 'Unrecognized argument: yes'),
        (['--python', '/no/python'], '; /no/python is unsupported'),
        (['--jobs'], '--jobs: the value is missing'),
        (['-j', '0'], '--jobs: should be a positive number'),
        (['--source=.', '--only=build'], '--only: should be apply'),
        (['--gpu'], '--gpu can only be used with --source'),
        (['--source=.', '--wheel'], '--wheel cannot be used with --source'),
        (['--into', '/missing'], '/missing is not a program'),
        (['--build-dir', ROOT / 'README.md/build'], 'Not a directory'),
        ([], 'the Python is not 3'),
    ):
        assert fault in build.run(*options, status=1)


def test_missing_requirements_are_reported_together(tmp_path):
    path = tmp_path / 'bin'
    for name in ('dirname', 'git', 'realpath', 'uname'):
        write_program(path / name, f'exec {shutil.which(name)} "$@"')
    build = ('--build-dir', tmp_path / 'build')
    output = run(*THIS_PYTHON, *build, path=path, status=1)
    assert 'Missing:\n  g++\n  cmake' in output and 'apt-get' in output
    assert not (tmp_path / 'build').exists()


def test_readme_lists_options_and_versions():
    readme = (ROOT / 'README.md').read_text('utf-8')
    section = readme.partition('\n## Options\n')[2].partition('\n## ')[0]
    options = re.findall(r'^\| `(--[a-z-]+)', section, re.MULTILINE)
    text = run('--help')
    assert len(options) > 5
    assert [option for option in options if option not in text] == []
    for page in (readme, text):
        assert re.search(r'3\.9\s+to\s+3\.13', page)


class Checkout:
    """A toy checkout, and a project with two patches for it."""

    def __init__(self, folder):
        self.tree, patches = folder / 'My Paddle', folder / 'patches'
        self.script = folder / 'scripts/apply_and_build.sh'
        self.tree.mkdir()
        self.git('init', '-q')
        self.start = self.commit(old='old\n')
        self.commit(new='first\n')
        self.commit(new='second\n', old='new\n', more='more\n')
        self.git('format-patch', '-o', patches, self.start)
        self.git('reset', '-q', '--hard', self.start)
        base = f'tag: v1\ncommit: {self.start}\nwheel: 3.3.1\n'
        (patches / 'BASE').write_text(base)
        self.script.parent.mkdir()
        shutil.copy(SCRIPT, self.script)

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

    def run(self, *options, status=0):
        options = (*THIS_PYTHON, '--source', self.tree, *options)
        return run(*options, status=status, script=self.script)


def test_apply_commits_the_series_once(tmp_path):
    checkout = Checkout(tmp_path)
    steps = '(?s)am --quiet .* -DWITH_GPU=ON.* -j 3\n.*-dir My. Paddle/build '
    assert re.search(steps, checkout.run('--dry-run', '--jobs=3', '--gpu'))
    assert checkout.git('rev-parse', 'HEAD') == checkout.start
    assert not (checkout.tree / 'build').exists()
    output = checkout.run('--only', 'apply')
    subject = checkout.git('log', '--format=%s', f'{checkout.start}..')
    assert subject == '[Toy] commit\n[Toy] commit'
    assert 'The 2 patches are already applied' in checkout.run('--dry-run')
    undo = re.search('To undo: (.*)', output)[1]
    subprocess.run(undo, shell=True, check=True)
    assert checkout.git('rev-parse', 'HEAD') == checkout.start
    (checkout.tree / 'new').write_text('mine\n')
    checkout.git('add', 'new')
    output = checkout.run(status=1)
    assert re.search('(?s)new: already exists in index.* run ninja', output)


def test_apply_rejects_conflicts_and_preserves_the_checkout(tmp_path):
    checkout = Checkout(tmp_path)
    (checkout.tree / 'old').write_text('mine\n')
    assert 'old: does not match index' in checkout.run(status=1)
    head = checkout.commit(old='mine\n')
    assert 'It is based on v1: git checkout v1' in checkout.run(status=1)
    assert checkout.git('rev-parse', 'HEAD') == head
    assert not (checkout.tree / 'build').exists()
