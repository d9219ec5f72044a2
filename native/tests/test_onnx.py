"""paddle.onnx.export of our functions, by Paddle2ONNX and run in onnxruntime.

Both are installed into a folder of the build, once, without their dependencies on
numpy and protobuf, which the build's venv has. A test fails where pip cannot get
them; Paddle2ONNX has no packages for Python 3.13.
"""

import shutil
import signal
import subprocess
import sys
from functools import partial

import graph_programs
import pytest
import test_saved_programs as programs

PACKAGES = programs.ROOT / 'build/onnx-packages'
STAMP = PACKAGES / 'requirements'
REQUIREMENTS = (
    'paddle2onnx==2.1.0',
    'onnx>=1.16.1,<=1.17.0',  # as Paddle2ONNX wants it
    'onnxruntime',
    'flatbuffers',
    'polygraphy>=0.49.20',
)
NOT_KNOWN = 'Due to the unsupported operators, the conversion is aborted'
NAME = 'masked_scatter'
ENVIRONMENT = {'PYTHONPATH': str(PACKAGES)}
run = partial(programs.run, sys.executable, **ENVIRONMENT)
errors = partial(programs.errors, sys.executable, **ENVIRONMENT)


def install():
    wanted = ' '.join(REQUIREMENTS)
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    shutil.rmtree(PACKAGES, ignore_errors=True)
    options = ('-q', '--no-input', '--disable-pip-version-check', '--no-deps')
    pip = (sys.executable, '-m', 'pip', 'install', *options)
    subprocess.run([*pip, '--target', PACKAGES, *REQUIREMENTS], check=True)
    STAMP.write_text(wanted)


@pytest.fixture(scope='module', autouse=True)
def packages():
    if sys.version_info >= (3, 13):
        pytest.skip('Paddle2ONNX 2.1.0 has no packages for Python 3.13')
    install()


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    return programs.save(tmp_path_factory.mktemp('saved'), NAME)


def test_exported_layers_give_the_same_results(tmp_path):
    cases = list(graph_programs.CASES)
    found = dict(zip(cases, errors('export', tmp_path, *cases)))
    assert found == dict.fromkeys(cases)
    assert errors('export_traced', tmp_path, NAME) == [None]


def test_what_was_saved_without_the_guard_is_not_known_as_documented(saved):
    done = run('convert', saved, NAME)
    assert done.returncode == -signal.SIGABRT
    assert NOT_KNOWN in done.stdout + done.stderr
    page = (programs.ROOT / 'docs/wheel.md').read_text('utf-8')
    assert f'`{NOT_KNOWN}`' in page
    (said,) = errors('export_loaded', saved, NAME)
    assert 'paddle.onnx.export: the program that was loaded' in said
    assert NAME in said


@pytest.mark.parametrize('how', ['convert', 'export_loaded'])
def test_what_was_saved_under_the_guard_is_converted(saved, how):
    assert errors(how, saved, f'guarded_{NAME}') == [None]
