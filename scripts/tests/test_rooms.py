"""Imports between the rooms run the way that scripts/README.md allows."""

import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\| `([\w/]+)` \|.*\| ([^|]+) \|$', re.M)
IMPORT = re.compile(r'^ *(?:from|import) ((?:scripts|native)\b[\w.]*)', re.M)
MAP = (ROOT / 'scripts/README.md').read_text(encoding='utf-8')
# The rooms that each may import from.
ROOMS = {
    room: set(re.findall(r'`([\w/]+)`', allowed))
    for room, allowed in ROW.findall(MAP)
}


@pytest.mark.parametrize('room', ROOMS)
def test_imports_run_the_allowed_way(room):
    """Those of modules and programs; tests may look into every room."""
    paths = list((ROOT / room).glob('*.py'))
    assert paths
    for path in paths:
        modules = IMPORT.findall(path.read_text(encoding='utf-8'))
        found = {'/'.join(module.split('.')[:2]) for module in modules}
        assert found - {room} <= ROOMS[room], path.name


def test_every_folder_with_modules_is_a_room_and_none_leads_to_itself():
    folders = {path.parent for path in (ROOT / 'scripts').glob('*/*.py')}
    named = {ROOT / room for room in ROOMS}
    assert folders - {ROOT / 'scripts/tests'} <= named
    graphlib.TopologicalSorter(ROOMS).prepare()
