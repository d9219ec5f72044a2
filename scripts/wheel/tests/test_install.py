"""Tests of installing into and packing a toy wheel."""

import subprocess
import sys
from importlib import metadata

import pytest

from scripts.series.manifest import SeriesError
from scripts.series.patch_repo import write_tree as write_files
from scripts.wheel.install import install, list_released_files, pack

MODULE, OTHER = 'paddle/tensor/manipulation.py', 'paddle/other.py'
STUB, LOADER = 'paddle/tensor/tensor.pyi', 'paddle/_C_ops.py'
LIBRARY = 'paddle/_native_lib.so'
INFO = 'paddlepaddle-3.3.1.dist-info'
WHEEL_FILES = {
    MODULE: 'VALUE = 1\n',
    STUB: 'class Tensor:\n    def fill(self): ...\n',
    LOADER: '__all__ = []\n',
    OTHER: 'OTHER = 1\n',
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


def make_patch(name, old, new):
    head = f'--- a/python/{name}\n+++ b/python/{name}\n'
    return f'{head}@@ -1 +1 @@\n-{old}\n+{new}\n'


PATCH = make_patch(MODULE, 'VALUE = 1', 'VALUE = 2')
OTHER_PATCH = make_patch(OTHER, 'OTHER = 1', 'OTHER = 2')


class Toy:
    """An installed wheel, a build folder, and a project with a series."""

    def __init__(self, folder):
        self.folder, self.site = folder, folder / 'build/site-packages'
        record = {f'{INFO}/RECORD': ''.join(f'{x},,\n' for x in WHEEL_FILES)}
        write_files(folder / 'pip', {**WHEEL_FILES, **record})
        self.wheel = metadata.Distribution.at(folder / 'pip' / INFO)

    def install(self, patch=PATCH + OTHER_PATCH):
        files = {
            'patches/0001-python-change-fill.patch': patch,
            'python_api/fill.py': 'def fill(x): ...\n',
            'native/c_ops_tail.py': 'LOADED = True\n',
        }
        root = self.folder / 'project'
        write_files(root, files)
        release = list_released_files(self.wheel)
        return install(root, self.site, release, {LIBRARY: b'ELF'})


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def read_files(folder):
    """Return {relative path: text} of all files in a folder, except bytecode."""
    return {
        str(path.relative_to(folder)): path.read_text(errors='replace')
        for path in folder.rglob('*')
        if path.is_file() and '__pycache__' not in path.parts
    }


def test_install_replaces_the_folder_and_preserves_the_release(toy):
    before = read_files(toy.folder / 'pip')
    toy.install()
    files = read_files(toy.site)
    assert (files[MODULE], files[OTHER]) == ('VALUE = 2\n', 'OTHER = 2\n')
    assert files[STUB].endswith('    fill = paddle.tensor.manipulation.fill\n')
    assert files[LOADER] == '__all__ = []\n\nLOADED = True\n'
    write_files(toy.site, {'paddle/_native_old.py': 'of an earlier build'})
    toy.install(PATCH)
    assert read_files(toy.site) == {**files, OTHER: 'OTHER = 1\n'}
    assert (toy.site / OTHER).is_symlink()
    assert read_files(toy.folder / 'pip') == before


def test_faults_are_raised_before_writing(toy):
    with pytest.raises(SeriesError, match='patch does not apply'):
        toy.install(make_patch(MODULE, 'VALUE = 9', 'VALUE = 2'))
    (toy.folder / 'pip' / STUB).write_text('class Base: ...\n')
    with pytest.raises(SeriesError, match='class should be Tensor'):
        toy.install()
    assert not toy.site.exists()


def test_packed_wheel_installs_and_uninstalls_with_pip(toy):
    toy.install()
    dist = toy.folder / 'build/dist'
    write_files(dist, {'paddlepaddle-3.3.1+older.whl': ''})
    wheel = pack(toy.site, toy.wheel, dist, '2026-11-22')
    version = '3.3.1+scatter.20261122'
    assert wheel.name == f'paddlepaddle-{version}-cp39-abi3-linux_x86_64.whl'
    assert list(dist.iterdir()) == [wheel]
    venv = toy.folder / 'my venv'
    command = [sys.executable, '-m', 'venv', '--without-pip', venv]
    subprocess.run(command, check=True)
    python, before = str(venv / 'bin/python'), read_files(venv)
    pip = [sys.executable, '-m', 'pip', '--python', python]
    options = ['--no-deps', '--no-index', '--find-links', dist, 'paddlepaddle']
    subprocess.run([*pip, 'install', *options], check=True)
    (site,) = venv.glob('lib/python*/site-packages')
    for name in (MODULE, OTHER, LOADER, LIBRARY):
        assert (site / name).read_bytes() == (toy.site / name).read_bytes()
    info = site.relative_to(venv) / f'paddlepaddle-{version}.dist-info'
    names = {'bin/paddle', 'bin/fleetrun', f'{info}/entry_points.txt'}
    assert names <= read_files(venv).keys() - before
    assert 'made by pip' not in (venv / 'bin/fleetrun').read_text()
    text = (venv / info / 'METADATA').read_text()
    assert f'\nVersion: {version}\n\nVersion: of the text' in text
    subprocess.run([*pip, 'uninstall', '-y', 'paddlepaddle'], check=True)
    assert read_files(venv) == before
