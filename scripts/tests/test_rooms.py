"""Imports between the rooms run the way that scripts/README.md allows."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\| `(?P<room>[\w/]+)` \|.*\| (?P<allowed>[^|]+) \|$', re.M)


def read_map(text):
    """{room: the rooms that it may import from} of the table."""
    return {
        row['room']: set(re.findall(r'`([\w/]+)`', row['allowed']))
        for row in ROW.finditer(text)
    }


ROOMS = read_map((ROOT / 'scripts/README.md').read_text(encoding='utf-8'))


def imported(source):
    """The modules of rooms that a source names, dotted."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f'{node.module}.{alias.name}' for alias in node.names]
    return [x for x in names if x.split('.')[0] in ('native', 'scripts')]


def room_of(module):
    """The room of a dotted name: its longest part that is a room."""
    parts = module.split('.')
    places = ['/'.join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next(place for place in places if place in ROOMS)


def sources(room):
    """A room's modules and programs; tests may look into every room."""
    return sorted((ROOT / room).glob('*.py'))


def wrong_arrows(room, source):
    arrows = {room_of(module) for module in imported(source)} - {room}
    return sorted(arrows - ROOMS[room])


@pytest.mark.parametrize('room', ROOMS)
def test_imports_run_the_allowed_way(room):
    assert sources(room)
    found = {
        path.name: wrong_arrows(room, path.read_text(encoding='utf-8'))
        for path in sources(room)
    }
    assert {name: rooms for name, rooms in found.items() if rooms} == {}


def test_every_folder_with_modules_is_a_room():
    folders = {path.parent for path in (ROOT / 'scripts').glob('*/*.py')}
    named = {ROOT / room for room in ROOMS}
    assert folders - {ROOT / 'scripts/tests'} <= named


def test_no_room_leads_back_to_itself():
    graphlib.TopologicalSorter(ROOMS).prepare()


@pytest.mark.parametrize(
    'line, rooms',
    [
        ('from scripts.wheel.steps import shown', ['scripts/wheel']),
        ('from scripts.source import checkout', ['scripts/source']),
        ('import native.glue.entry', ['native/glue']),
        ('from scripts import build', ['scripts']),
        ('from scripts.common import files\nimport yaml', []),
    ],
)
def test_a_forbidden_import_is_found(line, rooms):
    source = f'def f():\n    pass\n{line}'
    assert wrong_arrows('scripts/series', source) == rooms
