"""Tests of what the build changes in an installed wheel, on a toy wheel."""

import importlib.util
import marshal
import sys
from pathlib import Path

import pytest

from scripts.common.programs import run
from scripts.series.patch_series import SeriesError
from scripts.series.tests.series_samples import write_files
from scripts.wheel import install as program
from scripts.wheel.install import add_files, apply_series
from scripts.wheel.site_files import SiteFiles, SiteFilesError
from scripts.wheel.tests.build_samples import (
    OTHER,
    WHEEL_FILES,
    contents,
    make_project,
    make_wheel,
)

MANIPULATION = 'paddle/tensor/manipulation.py'
RELEASED = WHEEL_FILES[MANIPULATION]


class Bench:
    """One toy wheel, its build folder and a project."""

    def __init__(self, folder):
        self.site = make_wheel(folder / 'site')
        self.build = folder / 'build'
        self.originals = self.build / 'originals'
        self.root = folder / 'project'

    def apply(self, **changes):
        make_project(self.root, **changes)
        return self.apply_again()

    def apply_again(self):
        return apply_series(self.root, self.files())

    def files(self):
        return SiteFiles(self.site, self.originals)

    def text(self, name):
        return (self.site / name).read_text()

    def is_patched(self):
        return 'New text' in self.text(MANIPULATION)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_series_changes_files_keeps_originals_and_starts_from_them(bench):
    report = bench.apply()
    assert bench.is_patched() and '    beta,\n' in bench.text(MANIPULATION)
    assert bench.text(OTHER) == 'VALUE = 2\n'
    for name in (MANIPULATION, OTHER):
        assert (bench.originals / name).read_text() == WHEEL_FILES[name]
        assert f'changed   {name}' in report
    assert not (bench.originals / 'paddle/_C_ops.py').exists()
    before = contents(bench.site)
    stamp = (bench.site / MANIPULATION).stat().st_mtime_ns
    report = bench.apply()
    assert contents(bench.site) == before
    assert (bench.site / MANIPULATION).stat().st_mtime_ns == stamp
    assert f'unchanged {MANIPULATION}' in report
    bench.apply(other='30')
    assert bench.text(OTHER) == 'VALUE = 30\n'
    assert (bench.originals / OTHER).read_text() == 'VALUE = 1\n'


@pytest.mark.parametrize(
    'name, changes', [(MANIPULATION, {'fill': False}), (OTHER, {'other': ''})]
)
def test_file_that_is_no_longer_changed_is_restored(bench, name, changes):
    bench.apply()
    report = bench.apply(**changes)
    assert bench.text(name) == WHEEL_FILES[name]
    assert bench.is_patched() == (name == OTHER)
    assert f'restored  {name}' in report


@pytest.mark.parametrize(
    'path, old, new, message',
    [
        ('scripts/series/series.yaml', '-VALUE = 1', '-VALUE = 9', 'edit of'),
        ('scripts/series/series.yaml', '+VALUE = 2', '+VALUE )', 'broken by'),
        ('python_api/fill.py', 'beta(x)', 'delta(x)', 'not defined in'),
    ],
)
def test_a_fault_changes_no_file(bench, path, old, new, message):
    before = contents(bench.site)
    make_project(bench.root)
    text = (bench.root / path).read_text()
    assert old in text
    (bench.root / path).write_text(text.replace(old, new))
    with pytest.raises(SeriesError, match=message):
        bench.apply_again()
    assert contents(bench.site) == before


@pytest.mark.parametrize('allowed', [0, 1])
def test_interrupted_run_is_repaired(bench, monkeypatch, allowed):
    """Ctrl-C before the first file, or between the first and the second."""
    real, calls = SiteFiles.put, []

    def put(*arguments):
        if len(calls) == allowed:
            raise KeyboardInterrupt
        calls.append(arguments)
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(SiteFiles, 'put', put)
        with pytest.raises(KeyboardInterrupt):
            bench.apply()
    bench.apply()
    assert bench.is_patched() and bench.text(OTHER) == 'VALUE = 2\n'
    assert (bench.originals / OTHER).read_text() == 'VALUE = 1\n'


@pytest.mark.parametrize(
    'text', ['def o', RELEASED], ids=['cut', 'reinstalled']
)
def test_file_that_something_else_wrote_is_repaired(bench, text):
    bench.apply()
    (bench.site / MANIPULATION).write_text(text)
    bench.apply()
    assert bench.is_patched()


def test_lost_original_is_an_error_that_names_the_file(bench):
    bench.apply()
    (bench.originals / MANIPULATION).unlink()
    with pytest.raises(SiteFilesError, match=f'{MANIPULATION}.*--clean'):
        bench.apply()


def test_command_line_prints_that_there_is_no_wheel(bench):
    where = ('--site', bench.root, '--build-dir', bench.build)
    done = run(sys.executable, program.__file__, 'python', *where)
    assert done.returncode == 1
    assert done.stderr.startswith('install.py: ')
    assert 'found 0' in done.stderr


def install(bench, added, tail='LOADED = True\n'):
    write_files(bench.build, {'tail.py': tail})
    tails = {'paddle/_C_ops.py': bench.build / 'tail.py'}
    return add_files(bench.files(), added, tails)


def run_bytecode(code):
    """The names that the bytecode kept for a file gives."""
    cache = Path(importlib.util.cache_from_source(code))
    names = {}
    exec(marshal.loads(cache.read_bytes()[16:]), names)
    return names


def test_bytecode_follows_the_file(bench):
    code = bench.site / 'paddle/_C_ops.py'
    for state in (1, 2):
        install(bench, {}, f'STATE = {state}\n')
        assert run_bytecode(code)['STATE'] == state
    bench.files().restore('paddle/_C_ops.py')
    assert 'STATE' not in run_bytecode(code)


def test_install_without_a_built_module_changes_nothing(bench, tmp_path):
    before = contents(bench.site)
    with pytest.raises(FileNotFoundError, match='absent.so'):
        install(bench, {'paddle/x.so': tmp_path / 'absent.so'})
    assert contents(bench.site) == before


def test_patches_and_install_keep_their_files_apart(bench, tmp_path):
    module = tmp_path / 'module.so'
    module.write_bytes(b'\x7fELF')
    bench.apply()
    install(bench, {'paddle/x.so': module})
    bench.apply()
    assert (bench.site / 'paddle/x.so').read_bytes() == b'\x7fELF'
    assert bench.text('paddle/_C_ops.py') == '__all__ = []\n\nLOADED = True\n'
    site_files = bench.files()
    for name in list(site_files.state):
        site_files.restore(name)
    for name, text in WHEEL_FILES.items():
        assert bench.text(name) == text
    assert not (bench.site / 'paddle/x.so').exists()
