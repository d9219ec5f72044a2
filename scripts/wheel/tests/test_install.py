"""Tests of installing into and packing a toy wheel."""

import os
import subprocess
import sys
from argparse import Namespace
from importlib import metadata
from unittest import mock

import pytest

from scripts.series.manifest import SeriesError
from scripts.series.patch_repo import write_tree as write_files
from scripts.wheel.install import install, list_released_files, pack
from scripts.wheel.steps import BASE, check_into, make_wheel_steps

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


def test_install_writes_only_changes_and_preserves_the_release(toy):
    before = read_files(toy.folder / 'pip')
    assert toy.install() == [LIBRARY, MODULE, OTHER, STUB, LOADER]
    files = read_files(toy.site)
    assert (files[MODULE], files[OTHER]) == ('VALUE = 2\n', 'OTHER = 2\n')
    assert files[STUB].endswith('    fill = paddle.tensor.manipulation.fill\n')
    assert files[LOADER] == '__all__ = []\n\nLOADED = True\n'
    os.utime(toy.site, (0, 0))
    assert toy.install() == [] and toy.site.stat().st_mtime == 0
    assert toy.install(PATCH) == [OTHER]
    assert (toy.site / OTHER).read_text() == 'OTHER = 1\n'
    (toy.site / MODULE).write_text('def o')  # cut
    write_files(toy.site, {'paddle/_native_old.py': 'of an earlier build'})
    toy.install()
    assert read_files(toy.site) == files
    assert read_files(toy.folder / 'pip') == before


def test_faults_are_raised_before_writing(toy):
    with pytest.raises(SeriesError, match='patch does not apply'):
        toy.install(make_patch(MODULE, 'VALUE = 9', 'VALUE = 2'))
    (toy.folder / 'pip' / STUB).write_text('class Base: ...\n')
    with pytest.raises(SeriesError, match='class should be Tensor'):
        toy.install()
    assert not toy.site.exists()


def test_interrupted_install_makes_the_packed_wheel_stale(toy):
    toy.install(PATCH)
    os.utime(toy.site, (0, 0))
    with mock.patch('os.replace', side_effect=KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            toy.install()
    assert toy.site.stat().st_mtime > 0


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
    args = Namespace(
        build_dir=toy.folder / 'build', paddle='', clean=0, wheel=0, jobs=1,
        into=python,
    )  # fmt: skip
    command = make_wheel_steps(args)[-1].command.partition(' -m ')[2]
    subprocess.run(f'{sys.executable} -m {command}', shell=True, check=True)
    check_into(python, BASE)
    with pytest.raises(SystemExit, match='expected .* 3.3.0, but received'):
        check_into(python, '3.3.0')
    (site,) = venv.glob('lib/python*/site-packages')
    for name in (MODULE, OTHER, LOADER, LIBRARY):
        assert (site / name).read_bytes() == (toy.site / name).read_bytes()
    info = site.relative_to(venv) / f'paddlepaddle-{version}.dist-info'
    names = {'bin/paddle', 'bin/fleetrun', f'{info}/entry_points.txt'}
    assert names <= read_files(venv).keys() - before
    assert 'made by pip' not in (venv / 'bin/fleetrun').read_text()
    text = (venv / info / 'METADATA').read_text()
    assert f'\nVersion: {version}\n\nVersion: of the text' in text
    pip = [sys.executable, '-m', 'pip', '--python', python]
    subprocess.run([*pip, 'uninstall', '-y', 'paddlepaddle'], check=True)
    assert read_files(venv) == before
