"""paddle.onnx.export of our functions, by Paddle2ONNX and run in onnxruntime.

Both are installed into a folder of the build, once, without their dependencies on
numpy and protobuf, which the build's venv has. A test fails where pip cannot get
them; Paddle2ONNX has no packages for Python 3.13.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name('onnx_programs.py')
PACKAGES = ROOT / 'build/onnx-packages'
STAMP = PACKAGES / 'requirements'
REQUIREMENTS = (
    'paddle2onnx==2.1.0',
    'onnx>=1.16.1,<=1.17.0',  # as Paddle2ONNX wants it
    'onnxruntime',
    'flatbuffers',
    'polygraphy>=0.49.20',
)
NOT_KNOWN = 'Due to the unsupported operators, the conversion is aborted'


def install():
    wanted = ' '.join(REQUIREMENTS)
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    shutil.rmtree(PACKAGES, ignore_errors=True)
    options = ('-q', '--no-input', '--disable-pip-version-check', '--no-deps')
    pip = (sys.executable, '-m', 'pip', 'install', *options)
    subprocess.run([*pip, '--target', PACKAGES, *REQUIREMENTS], check=True)
    STAMP.write_text(wanted)


@pytest.fixture(scope='module')
def run():
    if sys.version_info >= (3, 13):
        pytest.skip('Paddle2ONNX 2.1.0 has no packages for Python 3.13')
    install()

    def program(*arguments):
        env = {**os.environ, 'PYTHONPATH': str(PACKAGES)}
        command = [sys.executable, PROGRAM, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=env)

    return program


@pytest.fixture(scope='module')
def saved(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp('saved')
    done = run('save', folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_exported_layers_give_the_same_results(run, tmp_path):
    done = run('export', tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    results = json.loads(done.stdout.splitlines()[-1])
    assert len(results) > 30
    assert {n: error for n, error in results.items() if error} == {}


def test_what_was_saved_under_the_guard_is_converted(run, saved):
    done = run('convert', saved / 'without')
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def test_what_was_saved_without_it_ends_the_converter_as_documented(run, saved):
    done = run('convert', saved / 'with')
    assert done.returncode == -signal.SIGABRT
    assert NOT_KNOWN in done.stdout + done.stderr
    page = (ROOT / 'docs/wheel.md').read_text('utf-8')
    assert f'`{NOT_KNOWN}`' in page


def test_a_loaded_program_with_our_operators_is_an_error_of_python(run, saved):
    done = run('reexport', saved / 'with')
    assert done.returncode == 1, (done.stdout + done.stderr)[-2000:]
    assert 'paddle.onnx.export: the program that was loaded' in done.stderr
    assert 'masked_scatter' in done.stderr
    done = run('reexport', saved / 'without')
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
