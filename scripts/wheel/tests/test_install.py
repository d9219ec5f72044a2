"""Tests of installing into and packing a toy wheel."""

import os
import subprocess
import sys
import zipfile
from argparse import Namespace
from importlib import metadata
from unittest import mock

import pytest

from scripts.common.programs import run
from scripts.series.manifest import SeriesError
from scripts.series.patch_repo import write_tree as write_files
from scripts.wheel.install import find_wheel, install, list_released_files, pack
from scripts.wheel.steps import BASE, check_into, make_wheel_steps

MODULE, OTHER = 'paddle/tensor/manipulation.py', 'paddle/other.py'
STUB, LOADER = 'paddle/tensor/tensor.pyi', 'paddle/_C_ops.py'
LIBRARY = 'paddle/_native_lib.so'
INFO = 'paddlepaddle-3.3.1.dist-info'
WHEEL_FILES = {
    MODULE: "def fill(x):\n    return 'old'\n",
    STUB: 'class Base:\n    def fill(self): ...\n\nclass Tensor(Base):\n',
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
        self.folder, self.build = folder, folder / 'build'
        self.site = self.build / 'site-packages'
        record = {f'{INFO}/RECORD': ''.join(f'{x},,\n' for x in WHEEL_FILES)}
        write_files(folder / 'pip', {**WHEEL_FILES, **record})
        self.wheel = metadata.Distribution.at(folder / 'pip' / INFO)
        write_files(self.build, {'tail': 'LOADED = True\n'})

    def install(self, old='1', new='2', tail='tail'):
        """Install a project that changes a function and VALUE of OTHER."""
        diff = f"""\
--- a/python/{MODULE}
+++ b/python/{MODULE}
@@ -1,2 +1,2 @@
 def fill(x):
-    return 'old'
+    return 'new'
"""
        if new:
            diff += f"""\
--- a/python/{OTHER}
+++ b/python/{OTHER}
@@ -1 +1 @@
-VALUE = {old}
+VALUE = {new}
"""
        files = {
            'patches/0001-python-change-fill.patch': diff,
            'python_api/fill.py': 'def fill(x): ...\n',
        }
        root = self.folder / 'project'
        write_files(root, files)
        release = list_released_files(self.wheel)
        tails = {LOADER: self.build / tail}
        return install(root, self.site, release, {LIBRARY: b'ELF'}, tails)

    def read_new_files(self):
        """Return {path: text} of the files that are not links."""
        files = read_files(self.site).items()
        return {
            str(path.relative_to(self.site)): data.decode()
            for path, data in files
            if not path.is_symlink()
        }


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def read_files(folder):
    """Return {path: bytes} of all files in a folder, except bytecode."""
    paths = [path for path in folder.rglob('*') if path.is_file()]
    files = [path for path in paths if '__pycache__' not in path.parts]
    return {path: path.read_bytes() for path in files}


def test_install_writes_only_changes_and_preserves_the_release(toy):
    before = read_files(toy.folder / 'pip')
    assert toy.install() == [LIBRARY, MODULE, OTHER, STUB, LOADER]
    files = toy.read_new_files()
    assert files[MODULE].endswith("return 'new'\n")
    assert files[STUB].endswith('    fill = paddle.tensor.manipulation.fill\n')
    assert files[OTHER] == 'VALUE = 2\n'
    assert files[LOADER] == '__all__ = []\n\nLOADED = True\n'
    assert toy.install() == [] and toy.install(new='') == [OTHER]
    assert (toy.site / OTHER).read_text() == 'VALUE = 1\n'
    (toy.site / MODULE).write_text('def o')  # cut
    write_files(toy.site, {'paddle/_native_old.py': 'of an earlier build'})
    toy.install()
    assert toy.read_new_files() == files
    assert read_files(toy.folder / 'pip') == before


def test_install_raises_before_writing(toy):
    with pytest.raises(SeriesError, match='patch does not apply'):
        toy.install(old='9')
    with pytest.raises(FileNotFoundError, match='absent'):
        toy.install(tail='absent')
    (toy.folder / 'pip' / STUB).write_text('class Base: ...\n')
    with pytest.raises(SeriesError, match='class should be Tensor'):
        toy.install()
    assert not toy.site.exists()


def test_interrupted_install_makes_the_packed_wheel_stale(toy):
    toy.install(new='')
    os.utime(toy.site, (0, 0))
    assert toy.install(new='') == [] and toy.site.stat().st_mtime == 0
    with mock.patch('os.replace', side_effect=KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            toy.install()
    assert toy.site.stat().st_mtime > 0


def test_clean_empties_the_build_folder(tmp_path):
    args = Namespace(
        build_dir=tmp_path, paddle='', clean=1, wheel=0, jobs=1, into=''
    )
    names = {'.scatter_ops_build', 'logs/1.log'}
    names_of_output = {'venv/a', 'bench/b', '.ninja_log', 'a b'}
    write_files(tmp_path, dict.fromkeys(names | names_of_output, ''))
    subprocess.run(make_wheel_steps(args)[0].command, shell=True, check=True)
    assert {str(x.relative_to(tmp_path)) for x in read_files(tmp_path)} == names


def test_packed_wheel_installs_and_uninstalls_with_pip(toy):
    toy.install()
    dist = toy.build / 'dist'
    write_files(dist, {'paddlepaddle-3.3.1+older.whl': ''})
    wheel = pack(toy.site, toy.wheel, dist, '2026-11-22')
    version = '3.3.1+scatter.20261122'
    assert wheel.name == f'paddlepaddle-{version}-cp39-abi3-linux_x86_64.whl'
    assert list(dist.iterdir()) == [wheel] and find_wheel(dist) == wheel
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if 'fleetrun' in name]
    venv = toy.folder / 'my venv'
    command = [sys.executable, '-m', 'venv', '--without-pip', venv]
    subprocess.run(command, check=True)
    python, before = str(venv / 'bin/python'), read_files(venv)
    with pytest.raises(
        SystemExit, match="(?s)NotFound.*'.*/my venv/bin/python' -m"
    ):
        check_into(python, BASE)
    args = Namespace(
        build_dir=toy.build, paddle='', clean=0, wheel=0, jobs=1, into=python
    )
    command = make_wheel_steps(args)[-1].command.partition(' -m ')[2]
    subprocess.run(f'{sys.executable} -m {command}', shell=True, check=True)
    check_into(python, BASE)
    with pytest.raises(SystemExit, match='paddlepaddle==3.3.0'):
        check_into(python, '3.3.0')
    with pytest.raises(SystemExit, match='/missing: expected .*: No such file'):
        check_into(f'{venv}/missing', BASE)
    (site,) = venv.glob('lib/python*/site-packages')
    for name in (MODULE, OTHER, LOADER, LIBRARY):
        assert (site / name).read_bytes() == (toy.site / name).read_bytes()
    names = {path.name for path in read_files(venv).keys() - before}
    assert {'paddle', 'fleetrun', 'entry_points.txt'} <= names
    assert 'made by pip' not in (venv / 'bin/fleetrun').read_text()
    text = (site / f'paddlepaddle-{version}.dist-info/METADATA').read_text()
    assert f'\nVersion: {version}\n\nVersion: of the text' in text
    pip = (sys.executable, '-m', 'pip', '--python', python)
    assert run(*pip, 'uninstall', '-y', 'paddlepaddle').returncode == 0
    assert read_files(venv) == before
