"""The table in docs/differences.md is true.

Each call runs in this Paddle and in an untouched one. A cell in backticks is
what has to come out; `a crash` is one; other words are not looked at.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from bench import release_env

from scripts.common import programs

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / 'docs/differences.md'
ROW = re.compile(r'^\| `(?P<call>.+?)` \| (?P<release>.+?) \| (?P<now>.+?) \|$')
PROGRAM = Path(__file__).with_name('release_calls.py')
CRASH = 'a crash'


@pytest.fixture(scope='module')
def table():
    """[{call, release, now}] of the rows of the page."""
    lines = PAGE.read_text(encoding='utf-8').splitlines()
    found = [ROW.match(line) for line in lines if line.startswith('| `')]
    assert len(found) > 10 and all(found)
    return [match.groupdict() for match in found]


def outcomes(python, calls):
    """What comes out of each call, or None if the process is killed."""
    env = dict(os.environ)
    if python != sys.executable:
        env.pop('PYTHONPATH', None)  # which may name another Paddle
    done = programs.run(python, PROGRAM, input=json.dumps(calls), env=env)
    if done.returncode < 0:
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return [f'`{found}`' for found in json.loads(done.stdout.splitlines()[-1])]


def test_this_paddle_does_what_the_table_says(table):
    found = outcomes(sys.executable, [row['call'] for row in table])
    assert found == [row['now'] for row in table]


def test_the_release_does_what_the_table_says(table):
    python = release_env.make()
    kept = [row for row in table if row['release'].startswith('`')]
    found = outcomes(python, [row['call'] for row in kept])
    assert found == [row['release'] for row in kept]
    for row in table:
        if row['release'] == CRASH:
            assert outcomes(python, [row['call']]) is None, row['call']
