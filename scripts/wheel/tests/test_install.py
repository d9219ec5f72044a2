"""What the build changes in an installed wheel, and packing it: on a toy wheel."""

import base64
import hashlib
import subprocess
import sys
import zipfile

import pytest

from scripts.common.command_line import Refused
from scripts.common.files import write_if_changed
from scripts.common.programs import run
from scripts.series.patch_series import SeriesError
from scripts.series.tests.series_samples import (
    MANIPULATION,
    make_series,
    write_files,
    write_project,
)
from scripts.wheel import install_into, site_files
from scripts.wheel.install import install
from scripts.wheel.pack_wheel import make_wheel
from scripts.wheel.site_files import SiteFiles

MODULE, OTHER = 'paddle/tensor/manipulation.py', 'paddle/other.py'
STUB, LOADER = 'paddle/tensor/tensor.pyi', 'paddle/_C_ops.py'
ADDED = 'paddle/_native_lib.so'
INFO = 'paddlepaddle-3.3.1.dist-info'
WHEEL_FILES = {
    MODULE: MANIPULATION,
    STUB: 'class AbstractTensor:\n    def fill(self): ...\n',
    LOADER: '__all__ = []\n',
    OTHER: 'VALUE = 1\n',
    '../bin/paddle': '#!/bin/sh\n',
    '../bin/fleetrun': 'made by pip\n',
    f'{INFO}/METADATA': (
        'Metadata-Version: 2.1\nName: paddlepaddle\nVersion: 3.3.1\n\n'
        'Version: of the text below\n'
    ),
    f'{INFO}/WHEEL': (
        'Wheel-Version: 1.0\nRoot-Is-Purelib: false\n'
        'Tag: cp39-abi3-linux_x86_64\n'
    ),
    f'{INFO}/entry_points.txt': '[console_scripts]\nfleetrun = paddle:main\n',
}


class Toy:
    """An installed wheel, a build folder, and a project with a series."""

    def __init__(self, folder):
        self.site, self.root = folder / 'site', folder / 'project'
        self.build = folder / 'build'
        rows = []
        for name, text in WHEEL_FILES.items():
            digest = hashlib.sha256(text.encode()).digest()
            code = base64.urlsafe_b64encode(digest).rstrip(b'=').decode()
            rows.append(f'{name},sha256={code},{len(text)}\n')
        record = {f'{INFO}/RECORD': ''.join(rows)}
        write_files(self.site, {**WHEEL_FILES, **record})
        self.before = files_of(self.site)
        write_files(self.build, {'lib': 'ELF', 'tail': 'LOADED = True\n'})

    def files(self):
        return SiteFiles(self.site, self.build / 'originals')

    def install(self, old='1', new='2', library='lib'):
        """Of a project that changes a number in OTHER, and a function."""
        series = make_series()
        series['wheel_files'][f'python/{OTHER}'] = 'not looked at'
        if new:
            hunk = f'-VALUE = {old}\n+VALUE = {new}\n'
            series['patches'][0]['edits'][f'python/{OTHER}'] = hunk
        write_project(self.root, series)
        added = {ADDED: self.build / library}
        tails = {LOADER: self.build / 'tail'}
        return install(self.root, self.files(), added, tails)

    def text(self, name):
        return (self.site / name).read_text()

    def is_whole(self):
        return (
            'New text' in self.text(MODULE)
            and '    fill = _manipulation.fill\n' in self.text(STUB)
            and self.text(OTHER) == 'VALUE = 2\n'
            and self.text(LOADER) == '__all__ = []\n\nLOADED = True\n'
            and self.text(ADDED) == 'ELF'
        )


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def files_of(folder):
    """{path: bytes} of all files in a folder, but for what Python keeps."""
    paths = [path for path in folder.rglob('*') if path.is_file()]
    kept = [path for path in paths if '__pycache__' not in path.parts]
    return {path: path.read_bytes() for path in kept}


def test_files_are_changed_once_and_taken_back(toy):
    changed = toy.install()
    assert toy.is_whole()
    names = (ADDED, MODULE, OTHER, STUB, LOADER)
    assert changed == [f'changed {name}' for name in names]
    assert toy.install() == []
    assert toy.install(new='') == [f'restored {OTHER}']
    assert toy.text(OTHER) == 'VALUE = 1\n'
    toy.files().bring({})
    assert files_of(toy.site) == toy.before


@pytest.mark.parametrize(
    'changes, error, message',
    [
        ({'old': '9'}, SeriesError, 'edit of'),
        ({'library': 'absent.so'}, FileNotFoundError, 'absent.so'),
    ],
)
def test_a_fault_changes_no_file(toy, changes, error, message):
    with pytest.raises(error, match=message):
        toy.install(**changes)
    assert files_of(toy.site) == toy.before


@pytest.mark.parametrize('allowed', range(9))
def test_interrupted_run_is_repaired_and_taken_back(toy, monkeypatch, allowed):
    def interrupt():
        calls = []

        def write(path, data):
            calls.append(path)
            if len(calls) > allowed:
                raise KeyboardInterrupt
            return write_if_changed(path, data)

        with monkeypatch.context() as patch:
            patch.setattr(site_files, 'write_if_changed', write)
            with pytest.raises(KeyboardInterrupt):
                toy.install()

    interrupt()
    toy.files().bring({})
    assert files_of(toy.site) == toy.before
    toy.install(new='3')
    interrupt()
    toy.install()
    assert toy.is_whole()


def test_what_something_else_wrote_is_repaired_or_named(toy):
    toy.install()
    for text in ('def o', MANIPULATION):  # cut, or reinstalled
        (toy.site / MODULE).write_text(text)
        toy.install()
        assert toy.is_whole()
    (toy.build / 'originals' / MODULE).unlink()
    with pytest.raises(Refused, match=f'{MODULE}.*--clean'):
        toy.install()
    with pytest.raises(Refused, match='is not installed there'):
        SiteFiles(toy.build, toy.build)


def test_pip_installs_and_uninstalls_every_file_of_the_wheel(toy, tmp_path):
    toy.install()
    wheel = make_wheel(toy.files(), toy.build / 'dist', '2026-11-22')
    version = '3.3.1+scatter.20261122'
    assert wheel.name == f'paddlepaddle-{version}-cp39-abi3-linux_x86_64.whl'
    assert list(wheel.parent.iterdir()) == [wheel]
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if 'fleetrun' in name]
    venv = tmp_path / 'my venv'
    command = [sys.executable, '-m', 'venv', '--without-pip', venv]
    subprocess.run(command, check=True)
    python, before = str(venv / 'bin/python'), files_of(venv)
    with pytest.raises(Refused, match="'.*/my venv/bin/python' -m"):
        install_into.check(python)
    pip = (sys.executable, '-m', 'pip', '--python', python)
    subprocess.run([*pip, 'install', '--no-index', wheel], check=True)
    options = ('--build-dir', toy.build)
    done = run(sys.executable, install_into.__file__, python, *options)
    assert done.returncode == 0, done.stderr
    assert 'install --no-deps --force-reinstall paddlepaddle==' in done.stdout
    (site,) = venv.glob('lib/python*/site-packages')
    for name in (MODULE, OTHER, LOADER, ADDED):
        assert (site / name).read_text() == toy.text(name)
    added = {path.name for path in files_of(venv).keys() - before}
    assert {'paddle', 'fleetrun', 'entry_points.txt'} <= added
    assert 'made by pip' not in (venv / 'bin/fleetrun').read_text()
    text = (site / f'paddlepaddle-{version}.dist-info/METADATA').read_text()
    assert f'\nVersion: {version}\n\nVersion: of the text' in text
    subprocess.run([*pip, 'uninstall', '-y', 'paddlepaddle'], check=True)
    assert files_of(venv) == before


@pytest.mark.parametrize(
    'answer, message',
    [
        ('echo \'["cpython-27", "3.3.1"]\'', 'is cpython-27, but'),
        (f'echo \'["{sys.implementation.cache_tag}", "3.2.2"]\'',
         'has paddlepaddle 3.2.2, but'),
        ('exit 1', 'not a Python'),
    ],
)  # fmt: skip
def test_environment_that_cannot_take_the_wheel_is_refused(
    tmp_path, answer, message
):
    python = tmp_path / 'python'
    python.touch(mode=0o755)
    python.write_text(f'#!/bin/sh\n{answer}\n')
    with pytest.raises(Refused, match=message):
        install_into.check(str(python))
    with pytest.raises(Refused, match='No such file'):
        install_into.check(str(tmp_path / 'absent'))
