"""Tests of what the build changes in an installed wheel, on a toy wheel."""

import importlib.util
import marshal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.series.patch_series import SeriesError, read_base
from scripts.wheel import apply_python_patches, install_native
from scripts.wheel.apply_python_patches import apply_series
from scripts.wheel.site_files import SiteFiles, SiteFilesError
from scripts.wheel.tests.build_samples import (
    MANIPULATION_PATCH,
    OTHER_PATCH,
    WHEEL_FILES,
    contents,
    git,
    make_series,
    make_wheel,
)

MANIPULATION = 'paddle/tensor/manipulation.py'
PATCHED = WHEEL_FILES[MANIPULATION].replace('1', '2')


class Bench:
    """One toy wheel, its build folder and its patches."""

    def __init__(self, folder):
        self.site = make_wheel(folder / 'site')
        self.build = folder / 'build'
        self.originals = self.build / 'originals'
        self.patches = folder / 'patches'

    def apply(self, **patches):
        make_series(self.patches, **patches)
        stage = self.build / 'stage'
        return apply_series(self.patches, self.site, self.originals, stage)

    def text(self, name):
        return (self.site / name).read_text()


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_patch_changes_file_and_keeps_original(bench):
    report = bench.apply(first=MANIPULATION_PATCH)
    assert bench.text(MANIPULATION) == PATCHED
    kept = (bench.originals / MANIPULATION).read_text()
    assert kept == WHEEL_FILES[MANIPULATION]
    assert not (bench.originals / 'paddle/other.py').exists()
    assert f'patched  {MANIPULATION}' in report


def test_report_names_what_only_the_source_target_gets(bench):
    report = bench.apply(first=MANIPULATION_PATCH)
    assert 'source target only: paddle/phi/new.h (first.patch)' in report
    assert not (bench.site / 'paddle/phi/new.h').exists()


def test_second_run_changes_nothing(bench):
    bench.apply(first=MANIPULATION_PATCH)
    before = contents(bench.site.parent)
    stamp = (bench.site / MANIPULATION).stat().st_mtime_ns
    report = bench.apply(first=MANIPULATION_PATCH)
    assert contents(bench.site.parent) == before
    assert (bench.site / MANIPULATION).stat().st_mtime_ns == stamp
    assert f'unchanged {MANIPULATION}' in report


def test_site_inside_a_git_work_tree_is_patched(tmp_path):
    git(tmp_path, 'init', '--quiet')
    (tmp_path / 'sub').mkdir()
    bench = Bench(tmp_path / 'sub')
    bench.apply(first=MANIPULATION_PATCH)
    assert bench.text(MANIPULATION) == PATCHED


def test_changed_patch_starts_from_the_original(bench):
    bench.apply(first=MANIPULATION_PATCH)
    bench.apply(first=MANIPULATION_PATCH.replace('return 2', 'return 30'))
    assert bench.text(MANIPULATION).endswith('return 30\n')
    kept = (bench.originals / MANIPULATION).read_text()
    assert kept == WHEEL_FILES[MANIPULATION]


def test_file_no_longer_patched_is_restored(bench):
    bench.apply(first=MANIPULATION_PATCH, second=OTHER_PATCH)
    report = bench.apply(second=OTHER_PATCH)
    assert bench.text(MANIPULATION) == WHEEL_FILES[MANIPULATION]
    assert bench.text('paddle/other.py') == 'VALUE = 2\n'
    assert f'restored  {MANIPULATION}' in report


def test_one_bad_patch_changes_no_file(bench):
    before = contents(bench.site)
    bad = OTHER_PATCH.replace('-VALUE = 1', '-VALUE = 9')
    with pytest.raises(SeriesError, match='second.patch: does not apply'):
        bench.apply(first=MANIPULATION_PATCH, second=bad)
    assert contents(bench.site) == before


def test_patch_that_breaks_the_syntax_changes_no_file(bench):
    before = contents(bench.site)
    broken = MANIPULATION_PATCH.replace('return 2', 'return )')
    with pytest.raises(SeriesError, match='broken by the patches'):
        bench.apply(first=broken)
    assert contents(bench.site) == before


@pytest.mark.parametrize('allowed', [0, 1])
def test_interrupted_run_is_repaired(bench, monkeypatch, allowed):
    """Ctrl-C before the first file, or between the first and the second."""
    real = SiteFiles.put
    calls = []

    def put(self, path, data, owner):
        if len(calls) == allowed:
            raise KeyboardInterrupt
        calls.append(path)
        return real(self, path, data, owner)

    both = {'first': MANIPULATION_PATCH, 'second': OTHER_PATCH}
    with monkeypatch.context() as patch:
        patch.setattr(SiteFiles, 'put', put)
        with pytest.raises(KeyboardInterrupt):
            bench.apply(**both)
    bench.apply(**both)
    assert bench.text(MANIPULATION) == PATCHED
    assert bench.text('paddle/other.py') == 'VALUE = 2\n'
    assert (bench.originals / 'paddle/other.py').read_text() == 'VALUE = 1\n'


def test_file_cut_off_half_way_is_repaired(bench):
    bench.apply(first=MANIPULATION_PATCH)
    (bench.site / MANIPULATION).write_text('def o')
    bench.apply(first=MANIPULATION_PATCH)
    assert bench.text(MANIPULATION) == PATCHED


def test_reinstalled_wheel_is_patched_again(bench):
    bench.apply(first=MANIPULATION_PATCH)
    (bench.site / MANIPULATION).write_text(WHEEL_FILES[MANIPULATION])
    bench.apply(first=MANIPULATION_PATCH)
    assert bench.text(MANIPULATION) == PATCHED


def test_lost_original_is_an_error_that_names_the_file(bench):
    bench.apply(first=MANIPULATION_PATCH)
    (bench.originals / MANIPULATION).unlink()
    with pytest.raises(SiteFilesError, match=f'{MANIPULATION}.*--clean'):
        bench.apply(first=MANIPULATION_PATCH)


def test_missing_wheel_is_an_error(bench):
    (bench.site / 'paddlepaddle-3.3.1.dist-info/RECORD').unlink()
    with pytest.raises(SiteFilesError, match='found 0'):
        bench.apply(first=MANIPULATION_PATCH)


def test_git_apply_that_silently_does_nothing_is_noticed(bench, monkeypatch):
    monkeypatch.setattr(apply_python_patches, 'git_apply', lambda *_: None)
    with pytest.raises(SeriesError, match=f'left {MANIPULATION} as it was'):
        bench.apply(first=MANIPULATION_PATCH)


@pytest.mark.parametrize(
    ('name', 'text', 'message'),
    [
        ('series', '', 'lists no patch'),
        ('series', 'absent.patch\n', 'lists missing absent.patch'),
        ('first.patch', 'no diff\n', 'holds no change'),
    ],
)
def test_malformed_series_is_an_error(bench, name, text, message):
    make_series(bench.patches, first=MANIPULATION_PATCH)
    (bench.patches / name).write_text(text)
    with pytest.raises(SeriesError, match=message):
        apply_series(bench.patches, bench.site, bench.originals, bench.build)


def test_base_without_a_commit_is_an_error(tmp_path):
    (tmp_path / 'BASE').write_text('tag: v1\n')
    with pytest.raises(SeriesError, match='"commit'):
        read_base(tmp_path)


def test_command_line_prints_the_fault_and_fails(bench):
    make_series(bench.patches)
    done = subprocess.run(
        [
            sys.executable,
            apply_python_patches.__file__,
            '--patches',
            bench.patches,
            '--site',
            bench.site,
            '--build-dir',
            bench.build,
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert 'lists no patch' in done.stderr
    assert 'Traceback' not in done.stderr


def install(bench, added, tail=b'LOADED = True\n'):
    site_files = SiteFiles(bench.site, bench.originals)
    behind = {'paddle/_C_ops.py': tail}
    return install_native.install(site_files, added, behind)


def test_install_adds_files_and_the_tail(bench, tmp_path):
    module = tmp_path / 'module.so'
    module.write_bytes(b'\x7fELF')
    install(bench, {'paddle/_native_lib.so': module})
    assert (bench.site / 'paddle/_native_lib.so').read_bytes() == b'\x7fELF'
    assert bench.text('paddle/_C_ops.py') == '__all__ = []\n\nLOADED = True\n'
    kept = (bench.originals / 'paddle/_C_ops.py').read_text()
    assert kept == '__all__ = []\n'


def test_install_again_with_another_tail_replaces_it(bench, tmp_path):
    module = tmp_path / 'module.so'
    module.write_bytes(b'1')
    install(bench, {'paddle/_native_lib.so': module})
    report = install(bench, {'paddle/_native_lib.so': module}, b'NEW = 1\n')
    assert bench.text('paddle/_C_ops.py') == '__all__ = []\n\nNEW = 1\n'
    assert 'unchanged paddle/_native_lib.so' in report


def test_install_removes_what_it_no_longer_adds(bench, tmp_path):
    module = tmp_path / 'module.so'
    module.write_bytes(b'1')
    install(bench, {'paddle/old.so': module})
    install(bench, {'paddle/new.so': module})
    assert not (bench.site / 'paddle/old.so').exists()
    assert (bench.site / 'paddle/new.so').exists()


def run_bytecode(code):
    """The names that the bytecode kept for a file gives."""
    cache = Path(importlib.util.cache_from_source(code))
    names = {}
    exec(marshal.loads(cache.read_bytes()[16:]), names)
    return names


def test_bytecode_follows_the_file(bench):
    code = bench.site / 'paddle/_C_ops.py'
    for state in (1, 2):
        install(bench, {}, b'STATE = %d\n' % state)
        assert run_bytecode(code)['STATE'] == state
    SiteFiles(bench.site, bench.originals).restore('paddle/_C_ops.py')
    assert 'STATE' not in run_bytecode(code)


def test_install_without_a_built_module_changes_nothing(bench, tmp_path):
    before = contents(bench.site)
    with pytest.raises(SiteFilesError, match='missing: .*absent.so'):
        install(bench, {'paddle/x.so': tmp_path / 'absent.so'})
    assert contents(bench.site) == before


def test_patches_and_install_keep_their_files_apart(bench, tmp_path):
    module = tmp_path / 'module.so'
    module.write_bytes(b'1')
    bench.apply(first=MANIPULATION_PATCH)
    install(bench, {'paddle/x.so': module})
    bench.apply(first=MANIPULATION_PATCH)
    assert (bench.site / 'paddle/x.so').exists()
    site_files = SiteFiles(bench.site, bench.originals)
    for name in list(site_files.state):
        site_files.restore(name)
    for name, text in WHEEL_FILES.items():
        assert bench.text(name) == text
    assert not (bench.site / 'paddle/x.so').exists()
