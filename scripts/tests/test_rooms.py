"""Includes and imports between the rooms run as the READMEs of scripts/ and native/
allow."""

import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\| `([\w/]+)` \|.*\| ([^|]+) \|$', re.M)
ARROW = re.compile(
    r'^#include "(\w+)/\w+\.h"'
    r'|^ *(?:from|import) (scripts\.\w+|native\.\w+)'
    r'|^ *from paddle(?:\._(native_\w+) import| import (_native_.*))',
    re.M,
)
# The rooms that each may look into.
ROOMS = {}
for place in ('scripts', 'native'):
    for room, allowed in ROW.findall((ROOT / place / 'README.md').read_text()):
        ROOMS.setdefault(room, set()).update(re.findall(r'`([\w/]+)`', allowed))
SOURCES = [
    path
    for pattern in ('native/*', 'native/*/*', 'scripts/*/*')
    for path in ROOT.glob(pattern)
    if path.suffix in ('.cc', '.h', '.j2', '.py')
    and path.parent.name != 'tests'
]


def room_of(path):
    return path.parent.relative_to(ROOT).as_posix()


INSTALLED = {path.stem: room_of(path) for path in SOURCES}


def rooms_in(text):
    """The rooms that a source looks into."""
    for folder, module, *installed in ARROW.findall(text):
        found = [f'native/{folder}', module.replace('.', '/')]
        yield from (room for room in found if room in ROOMS)
        names = re.findall(r'native_\w+', ' '.join(installed))
        yield from (INSTALLED[name] for name in names if name in INSTALLED)


def wrong_arrows(room, text):
    return sorted(set(rooms_in(text)) - {room} - ROOMS[room])


@pytest.mark.parametrize('room', ROOMS)
def test_arrows_run_the_allowed_way(room):
    paths = [path for path in SOURCES if room_of(path) == room]
    found = {p.name: wrong_arrows(room, p.read_text()) for p in paths}
    assert found
    assert {name: rooms for name, rooms in found.items() if rooms} == {}


def test_every_folder_is_a_room_and_none_leads_back_to_itself():
    assert {room_of(path) for path in SOURCES} == set(ROOMS)
    graphlib.TopologicalSorter(ROOMS).prepare()


FORBIDDEN = """
#include "dygraph/grad_node.h"
#include "python/python_args.h"
#include "paddle/phi/core/kernel_factory.h"
    from paddle import _native_lib, _native_distributed
from paddle._native_static import run_static
from native.glue.generate_native import camel
import scripts.wheel.target
"""


def test_forbidden_arrows_are_found():
    rooms = ('distributed', 'dygraph', 'glue', 'python', 'static')
    wanted = [*(f'native/{room}' for room in rooms), 'scripts/wheel']
    assert wrong_arrows('native/kernels', FORBIDDEN) == wanted
