"""paddle.onnx.export of the functions with Paddle2ONNX; results of onnxruntime.

The packages are installed once to a folder of the build, without numpy and
protobuf, which the build's venv has. Tests fail if pip cannot download them.
Paddle2ONNX has no packages for Python 3.13.
"""

import shutil
import signal
import subprocess
import sys

import graph_programs
import pytest
import test_saved_programs as programs
from bench.run import runner

PACKAGES = programs.ROOT / 'build/onnx-packages'
# Values of PYTHONPATH
OURS, RELEASE = PACKAGES, f'{runner.RELEASE}:{PACKAGES}'
STAMP = PACKAGES / 'requirements'
REQUIREMENTS = (
    'paddle2onnx==2.1.0',
    'onnx>=1.16.1,<=1.17.0',  # required by Paddle2ONNX
    'onnxruntime',
    'flatbuffers',
    'polygraphy>=0.49.20',
)
NOT_KNOWN = 'Due to the unsupported operators, the conversion is aborted'
NAME = 'masked_scatter'
# Cases that Paddle2ONNX converts: scatter is Paddle's own operator, the others
# are composed of supported operators, as in Paddle 3.3.1.
CONVERTED = [
    name
    for name in graph_programs.CASES
    if name == 'scatter' or not name.startswith(('scatter ', 'masked_fill'))
]
RELEASED = 'masked_scatter', 'select_scatter 0 1', 'select_scatter 1 -1'


@pytest.fixture(scope='module', autouse=True)
def packages():
    if sys.version_info >= (3, 13):
        pytest.skip('Paddle2ONNX 2.1.0 has no packages for Python 3.13')
    requirements = ' '.join(REQUIREMENTS)
    if STAMP.is_file() and STAMP.read_text() == requirements:
        return
    shutil.rmtree(PACKAGES, ignore_errors=True)
    options = ('-q', '--disable-pip-version-check', '--no-compile', '--no-deps')
    pip = (sys.executable, '-m', 'pip', 'install', *options)
    subprocess.run([*pip, '--target', PACKAGES, *REQUIREMENTS], check=True)
    STAMP.write_text(requirements)


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    return programs.save(tmp_path_factory.mktemp('saved'), NAME)


def test_exported_layers_return_equal_results(tmp_path):
    errors = programs.errors(OURS, 'export', tmp_path, *CONVERTED)
    assert dict(zip(CONVERTED, errors)) == dict.fromkeys(CONVERTED)
    assert programs.errors(OURS, 'export_traced', tmp_path, NAME) == [None]


def test_release_exports_composed_functions(tmp_path):
    errors = programs.errors(RELEASE, 'export', tmp_path, *RELEASED)
    assert errors == [None] * len(RELEASED)


def check_abort(done):
    assert done.returncode == -signal.SIGABRT
    assert NOT_KNOWN in done.stdout + done.stderr


@pytest.mark.parametrize('name', ['scatter 1', 'scatter 0 amax True'])
def test_export_rejects_new_arguments_of_scatter(tmp_path, name):
    done = programs.run(
        OURS, 'export', tmp_path, name
    )  # Paddle2ONNX prints the error
    words = 'NotImplementedError: (scatter) The values of axis, reduce and'
    assert words in done.stdout + done.stderr


@pytest.mark.parametrize('path', [OURS, RELEASE])
def test_paddle2onnx_lacks_masked_fill(tmp_path, path):
    check_abort(programs.run(path, 'export', tmp_path, 'masked_fill'))


def test_conversion_of_saved_program_aborts_as_documented(saved):
    for how in ('convert', 'export_loaded'):
        check_abort(programs.run(OURS, how, saved, NAME))
    page = (programs.ROOT / 'docs/wheel.md').read_text('utf-8')
    assert f'`{NOT_KNOWN}`' in page
