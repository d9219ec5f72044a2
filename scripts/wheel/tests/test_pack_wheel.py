"""The wheel that takes the released Paddle's place, made of a small one."""

import re
import subprocess
import sys
import zipfile

import pytest

from scripts.series.tests.series_samples import write_files
from scripts.wheel import install_into, pack_wheel

TAG = 'cp39-abi3-manylinux1_x86_64'
INFO = 'paddlepaddle-3.3.1.dist-info'


@pytest.fixture
def wheel(tmp_path):
    """The wheel of two modules and one script, packed from what was unpacked."""
    root = tmp_path / 'unpacked/paddlepaddle-3.3.1'
    files = {
        'paddle_sample.py': 'VALUE = 1\n',
        'paddle_added.py': 'VALUE = 2\n',
        'paddlepaddle-3.3.1.data/scripts/sample': '#!python\n',
        f'{INFO}/METADATA': (
            'Metadata-Version: 2.1\nName: paddlepaddle\nVersion: 3.3.1\n\n'
            'Version: of the text below\n'
        ),
        f'{INFO}/WHEEL': (
            'Wheel-Version: 1.0\nRoot-Is-Purelib: false\n'
            'Tag: cp39-cp39-linux_x86_64\n'
        ),
        f'{INFO}/RECORD': '',
    }
    write_files(root, files)
    pack_wheel.rename(root, '3.3.1', '3.3.1+scatter.1', TAG)
    pack_wheel.pack(root, tmp_path / 'dist')
    return pack_wheel.only((tmp_path / 'dist').iterdir(), 'wheel')


def test_name_and_metadata_say_the_version_and_where_it_runs(wheel):
    assert wheel.name == f'paddlepaddle-3.3.1+scatter.1-{TAG}.whl'
    with zipfile.ZipFile(wheel) as file:
        text = file.read('paddlepaddle-3.3.1+scatter.1.dist-info/METADATA')
    assert b'\nVersion: 3.3.1+scatter.1\n\nVersion: of the text' in text


def test_pip_installs_and_uninstalls_every_file(wheel, tmp_path):
    venv = tmp_path / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', str(venv)], check=True)
    python = venv / 'bin/python'

    def files():
        found = (p for p in venv.rglob('*') if '__pycache__' not in p.parts)
        return {path for path in found if path.is_file()}

    def pip(*args):
        command = [python, '-m', 'pip', '-q', '--no-input', *args]
        subprocess.run(command, check=True)

    before = files()
    pip('install', '--no-deps', '--no-index', wheel)
    added = {path.name for path in files() - before}
    assert {'paddle_sample.py', 'paddle_added.py', 'sample'} <= added
    assert install_into.asked(str(python))[1] == '3.3.1+scatter.1'
    pip('uninstall', '-y', 'paddlepaddle')
    assert files() == before


def test_local_version_has_the_day_of_the_series():
    found = pack_wheel.local_version('3.3.1')
    assert re.fullmatch(r'3\.3\.1\+scatter\.20\d{6}', found)


def test_failing_tool_is_named_with_what_it_said():
    with pytest.raises(pack_wheel.PackError, match='no-such-thing'):
        pack_wheel.run(sys.executable, '-m', 'wheel', 'no-such-thing')


HERE = sys.implementation.cache_tag


@pytest.mark.parametrize('version', ['3.3.1', '3.3.1+scatter.20261122'])
def test_environment_with_the_release_is_taken(version):
    install_into.check('p', HERE, version)


@pytest.mark.parametrize(
    ('tag', 'version', 'message'),
    [
        ('cpython-27', '3.3.1', 'is cpython-27, but'),
        (HERE, None, "has no paddlepaddle.* 'my env/p' -m pip install"),
        (HERE, '3.2.2', 'has paddlepaddle 3.2.2, but'),
    ],
)
def test_other_environment_is_refused_in_a_sentence(tag, version, message):
    with pytest.raises(install_into.IntoError, match=message):
        install_into.check('my env/p', tag, version)


def test_file_that_is_no_python_is_refused(tmp_path):
    with pytest.raises(install_into.IntoError, match='No such file'):
        install_into.asked(str(tmp_path / 'python'))


def test_environment_without_pip_takes_the_wheel_too(wheel, tmp_path):
    venv = tmp_path / 'venv'
    make = [sys.executable, '-m', 'venv', '--without-pip', str(venv)]
    subprocess.run(make, check=True)
    python = str(venv / 'bin/python')
    install_into.install(install_into.pip_for(python), wheel)
    assert install_into.asked(python)[1] == '3.3.1+scatter.1'
