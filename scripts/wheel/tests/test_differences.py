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


def rows(text):
    """[{call, release, now}] of the table."""
    table = [line for line in text.splitlines() if line.startswith('| `')]
    found = [ROW.match(line) for line in table]
    assert all(found), table
    return [match.groupdict() for match in found]


def run(python, calls):
    """What came out of each call, or None if the process was killed."""
    env = dict(os.environ)
    if python != sys.executable:
        env.pop('PYTHONPATH', None)  # which may name another Paddle
    done = programs.run(python, PROGRAM, input=json.dumps(calls), env=env)
    if done.returncode < 0:
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def untrue(table, column, outcomes):
    """The rows whose cell says another thing than what came out."""
    return [
        f'{row["call"]}: the page says {row[column]}, got `{outcome}`'
        for row, outcome in zip(table, outcomes)
        if row[column].startswith('`') and row[column] != f'`{outcome}`'
    ]


@pytest.fixture(scope='module')
def table():
    return rows(PAGE.read_text(encoding='utf-8'))


def test_this_paddle_does_what_the_table_says(table):
    outcomes = run(sys.executable, [row['call'] for row in table])
    assert len(table) > 10
    assert all(row['now'].startswith('`') for row in table)
    assert untrue(table, 'now', outcomes) == []


def test_the_release_does_what_the_table_says(table):
    python = release_env.make()
    kept = [row for row in table if row['release'] != CRASH]
    outcomes = run(python, [row['call'] for row in kept])
    assert untrue(kept, 'release', outcomes) == []
    for row in table:
        if row['release'] == CRASH:
            assert run(python, [row['call']]) is None, row['call']


def test_a_cell_that_lies_is_found():
    text = '| call |\n|---|\n| `1 + 1` | `3` | `2` |\n\nBesides\n'
    (row,) = rows(text)
    assert untrue([row], 'now', run(sys.executable, [row['call']])) == []
    (lie,) = untrue([row], 'release', [2])
    assert lie == '1 + 1: the page says `3`, got `2`'
