"""Programs saved by this Paddle, loaded in the untouched release.

Those with operators of Paddle's own run there, among them all that were saved
under compatible_ops_guard. The others fail, with the words that docs/wheel.md
gives, so that one who meets them can find the cause.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench import release_env

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = Path(__file__).with_name('saved_programs.py')
NATIVE = (
    'masked_scatter',
    'select_scatter',
    'diagonal_scatter',
    'index_scatter',
    'index_reduce',
    'product',
    'assignment',
)
PADDLES = ('masked_fill', 'scatter', 'select_by_tensor')
GUARDED = tuple(f'guarded_{name}' for name in (*NATIVE, *PADDLES))
REFUSAL = 'kernel output args (0) defs should equal op outputs (1)'
CRASH = 'pir::Value::set_attribute'
PAGES = ('masked_scatter', 'select_scatter', 'diagonal_scatter', 'scatter')


def run(python, *arguments):
    env = dict(os.environ)
    if python != sys.executable:
        env.pop('PYTHONPATH', None)  # which may name another Paddle
    command = [python, PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def errors(python, *arguments):
    """What each program failed with, None for one that ran."""
    done = run(python, 'load', *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('saved')
    done = run(sys.executable, 'save', folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.fixture(scope='module')
def release():
    return release_env.make()


@pytest.mark.parametrize('how', ['jit', 'static', 'predictor'])
def test_this_paddle_runs_them_all(folder, how):
    names = (*NATIVE, *PADDLES, *GUARDED)
    assert errors(sys.executable, how, folder, *names) == [None] * len(names)


@pytest.mark.parametrize('how', ['jit', 'static', 'predictor'])
def test_release_runs_those_with_operators_of_its_own(folder, release, how):
    names = (*PADDLES, *GUARDED)
    assert errors(release, how, folder, *names) == [None] * len(names)


@pytest.mark.parametrize('how', ['static', 'predictor'])
def test_release_refuses_the_others_in_the_documented_words(
    folder, release, how
):
    found = errors(release, how, folder, *NATIVE)
    assert [REFUSAL in (text or '') for text in found] == [True] * len(NATIVE)


def test_release_crashes_after_jit_load_as_documented(folder, release):
    done = run(release, 'load', 'jit', folder, 'index_reduce')
    assert done.returncode != 0
    assert CRASH in done.stderr + done.stdout


def test_docs_give_these_words():
    page = (ROOT / 'docs/wheel.md').read_text(encoding='utf-8')
    assert f'`{REFUSAL}`' in page
    assert f'`{CRASH}`' in page


@pytest.mark.parametrize('name', PAGES)
def test_pages_tell_who_can_load_a_saved_program(name):
    folder = ROOT / 'docs/api'
    assert '- Saved programs: ' in (folder / f'{name}.rst').read_text('utf-8')
    chinese = (folder / f'{name}_cn.rst').read_text('utf-8')
    assert '\n- 保存的程序：' in chinese
