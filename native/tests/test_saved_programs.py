"""Programs saved by this Paddle, loaded in the released wheel.

Programs with only Paddle's own operators run there. Others fail with the messages
that docs/wheel.md quotes, so that users find the cause.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.run.runner import RELEASE

ROOT = Path(__file__).resolve().parents[2]
OURS = ''  # PYTHONPATH: the default paddle of the interpreter
PROGRAM = Path(__file__).with_name('graph_programs.py')
NATIVE = (
    'masked_scatter',
    'masked_scatter of conv2d',
    'select_scatter of conv2d',
    'select_scatter 0 1',
    'diagonal_scatter 0',
    'scatter 1',
    'scatter 1 mean False',
    'scatter 1 mul False',
    'scatter 0 amax False',
)
PADDLES = ('masked_fill', 'scatter', 'select_scatter by Tensor')
LOAD_ERROR = 'kernel output args (0) defs should equal op outputs (1)'
CRASH = 'pir::Value::set_attribute'


def run(path, *arguments):
    """Run graph_programs.py in a process, as it may crash."""
    env = {**os.environ, 'PYTHONPATH': str(path)}
    command = [sys.executable, PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def errors(*arguments):
    """Return the error of each program, None for success."""
    done = run(*arguments)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def save(folder, *names):
    done = run(OURS, 'save', folder, *names)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return save(tmp_path_factory.mktemp('saved'), *NATIVE, *PADDLES)


@pytest.mark.parametrize('how', ['jit', 'static', 'predictor'])
def test_this_paddle_runs_all_programs(folder, how):
    names = (*NATIVE, *PADDLES)
    assert errors(OURS, how, folder, *names) == [None] * len(names)


@pytest.mark.parametrize('how', ['jit', 'static', 'predictor'])
def test_release_runs_programs_of_its_own_operators(folder, how):
    texts = errors(RELEASE, how, folder, *PADDLES)
    assert texts == [None] * len(PADDLES)


@pytest.mark.parametrize('how', ['static', 'predictor'])
def test_release_rejects_new_operators_as_documented(folder, how):
    for text in errors(RELEASE, how, folder, *NATIVE):
        assert LOAD_ERROR in (text or '')


def test_release_crashes_after_jit_load_as_documented(folder):
    done = run(RELEASE, 'jit', folder, 'scatter 0 amax False')
    assert done.returncode != 0
    assert CRASH in done.stderr + done.stdout


def test_docs_quote_the_messages():
    page = (ROOT / 'docs/wheel.md').read_text(encoding='utf-8')
    assert f'`{LOAD_ERROR}`' in page
    assert f'`{CRASH}`' in page
