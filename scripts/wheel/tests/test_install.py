"""Tests of installing into and packing a toy wheel."""

import subprocess
import sys
from importlib import metadata

import pytest

from scripts.series.manifest import SeriesError
from scripts.series.patch_repo import write_tree as write_files
from scripts.wheel.install import install, pack

MODULE, STUB = 'paddle/tensor/manipulation.py', 'paddle/tensor/tensor.pyi'
DATA, LIBRARY = 'paddle/libs/data.json', 'paddle/_native_lib.so'
LOADER = 'paddle/_C_ops.py'
INFO = 'paddlepaddle-3.3.1.dist-info'
WHEEL_FILES = {
    MODULE: 'VALUE = 1\n',
    STUB: 'class Tensor:\n    def fill(self): ...\n',
    LOADER: '__all__ = []\n',
    DATA: '{}\n',
    '../bin/paddle': '#!/bin/sh\n',
    '../bin/fleetrun': 'made by pip\n',
    f'{INFO}/METADATA': 'Name: paddlepaddle\nVersion: 3.3.1\n\nVersion 3.3.1',
    f'{INFO}/WHEEL': 'Wheel-Version: 1.0\nTag: cp39-abi3-linux_x86_64\n',
    f'{INFO}/entry_points.txt': '[console_scripts]\nfleetrun = paddle:main\n',
}
PATCH, NEXT_PATCH, THIRD_PATCH = (
    f'--- a/python/{MODULE}\n+++ b/python/{MODULE}\n'
    f'@@ -1 +1 @@\n-VALUE = {value}\n+VALUE = {value + 1}\n'
    for value in (1, 2, 3)
)
PROJECT_FILES = {
    'patches/0001-a.patch': PATCH,
    'patches/0002-b.patch': NEXT_PATCH,
    'python_api/fill.py': 'def fill(x): ...\n',
    'native/c_ops_tail.py': 'LOADED = True\n',
    'native/dygraph/native_calls.py': 'CALLS = True\n',
    'native/paddle_scatter_info.py': 'INFO = True\n',
    'scripts/series/series.yaml': 'day: 2026-11-22\n',
}


class Toy:
    """An installed wheel, a build folder, and a project with a series."""

    def __init__(self, folder):
        self.pip, self.project = folder / 'pip', folder / 'project'
        self.build = folder / 'build'
        self.site = self.build / 'site-packages'
        record = {f'{INFO}/RECORD': ''.join(f'{x},,\n' for x in WHEEL_FILES)}
        write_files(self.pip, {**WHEEL_FILES, **record})
        write_files(self.project, PROJECT_FILES)
        write_files(self.build, {'_native_lib.so': 'ELF'})
        self.wheel = metadata.Distribution.at(self.pip / INFO)

    def install(self):
        install(self.project, self.build, self.wheel)


def read_files(folder):
    """Return {relative path: text} of all files in a folder, except bytecode."""
    return {
        str(path.relative_to(folder)): path.read_text(errors='replace')
        for path in folder.rglob('*')
        if path.is_file() and '__pycache__' not in path.parts
    }


def test_install_replaces_the_folder_and_preserves_the_release(tmp_path):
    toy = Toy(tmp_path)
    before = read_files(toy.pip)
    toy.install()
    files = read_files(toy.site)
    assert files[MODULE] == 'VALUE = 3\n'
    assert files[STUB].endswith('    fill = paddle.tensor.manipulation.fill\n')
    assert files[LOADER] == '__all__ = []\n\n\nLOADED = True\n'
    assert files['paddle/_native_calls.py'] == 'CALLS = True\n'
    assert (toy.site / DATA).is_symlink()
    write_files(toy.project, {'patches/0003-c.patch': PATCH})
    with pytest.raises(SeriesError, match='patch does not apply'):
        toy.install()
    assert read_files(toy.site) == files
    write_files(toy.project, {'patches/0003-c.patch': THIRD_PATCH})
    write_files(toy.site, {'paddle/_native_old.py': 'of an earlier build'})
    toy.install()
    assert read_files(toy.site) == {**files, MODULE: 'VALUE = 4\n'}
    assert read_files(toy.pip) == before


def test_packed_wheel_installs_and_uninstalls_with_pip(tmp_path):
    toy = Toy(tmp_path)
    toy.install()
    dist, venv = toy.build / 'dist', tmp_path / 'my venv'
    write_files(dist, {'paddlepaddle-3.3.1+older.whl': ''})
    pack(toy.build, toy.wheel)
    (wheel,) = dist.iterdir()
    version = '3.3.1+scatter.20261122'
    assert wheel.name == f'paddlepaddle-{version}-cp39-abi3-linux_x86_64.whl'
    command = [sys.executable, '-m', 'venv', '--without-pip', venv]
    subprocess.run(command, check=True)
    python, before = str(venv / 'bin/python'), read_files(venv)
    pip = [sys.executable, '-m', 'pip', '--python', python]
    options = ['--no-deps', '--no-index', '--find-links', dist, 'paddlepaddle']
    subprocess.run([*pip, 'install', *options], check=True)
    (site,) = venv.glob('lib/python*/site-packages')
    for name in (MODULE, DATA, LOADER, LIBRARY):
        assert (site / name).read_bytes() == (toy.site / name).read_bytes()
    info = site.relative_to(venv) / f'paddlepaddle-{version}.dist-info'
    names = {'bin/paddle', 'bin/fleetrun', f'{info}/entry_points.txt'}
    assert names <= read_files(venv).keys() - before
    assert 'made by pip' not in (venv / 'bin/fleetrun').read_text()
    text = (venv / info / 'METADATA').read_text()
    assert text.endswith(f'\nVersion: {version}\n\nVersion 3.3.1')
    subprocess.run([*pip, 'uninstall', '-y', 'paddlepaddle'], check=True)
    assert read_files(venv) == before
