"""Includes and imports between the rooms run as native/README.md allows."""

import graphlib
import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[1]
ROW = re.compile(r'^\| `(?P<room>[\w/]+)` \|.*\| (?P<allowed>[^|]+) \|$', re.M)
ARROW = re.compile(
    r'^#include "(\w+/\w+\.h)"'
    r'|^from native\.([\w.]+) import'
    r'|^ *from paddle(?:\._(native_\w+) import| import (_native_.*))',
    re.M,
)
ROOMS = {
    row['room']: set(re.findall(r'`([\w/]+)`', row['allowed']))
    for row in ROW.finditer((NATIVE / 'README.md').read_text(encoding='utf-8'))
}
INSTALLED = {p.stem: p for p in NATIVE.glob('**/native_*.py')}


def room_of(path):
    return path.parent.relative_to(NATIVE.parent).as_posix()


def targets(text):
    """The files of rooms that a source looks into."""
    for header, module, *installed in ARROW.findall(text):
        if header and (NATIVE / header).is_file():
            yield NATIVE / header
        if module:
            yield NATIVE / f'{module.replace(".", "/")}.py'
        names = re.findall(r'native_\w+', ' '.join(installed))
        yield from (INSTALLED[name] for name in names if name in INSTALLED)


def wrong_arrows(room, text):
    return sorted({room_of(x) for x in targets(text)} - {room} - ROOMS[room])


def sources(room):
    folder = NATIVE.parent / room
    return [
        p for p in folder.iterdir() if p.suffix in ('.cc', '.h', '.j2', '.py')
    ]


@pytest.mark.parametrize('room', ROOMS)
def test_arrows_run_the_allowed_way(room):
    found = {p.name: wrong_arrows(room, p.read_text()) for p in sources(room)}
    assert found
    assert {name: rooms for name, rooms in found.items() if rooms} == {}


def test_every_folder_is_a_room():
    files = [p for p in NATIVE.glob('*/*') if p.suffix in ('.cc', '.h', '.py')]
    assert {room_of(p) for p in files} - {'native/tests'} <= set(ROOMS)


def test_no_room_leads_back_to_itself():
    graphlib.TopologicalSorter(ROOMS).prepare()


FORBIDDEN = """
#include "dygraph/grad_node.h"
#include "python/python_args.h"
#include "paddle/phi/core/kernel_factory.h"
    from paddle import _native_lib, _native_distributed
from paddle._native_static import run_static
from native.glue.entry import EntryView
"""


def test_forbidden_arrows_are_found():
    found = wrong_arrows('native/memory', FORBIDDEN)
    rooms = ('distributed', 'dygraph', 'glue', 'python', 'static')
    assert found == [f'native/{room}' for room in rooms]


def test_compiler_flags_of_editors_find_the_kernels():
    root = NATIVE.parent
    flags = (root / 'compile_flags.txt').read_text().split()
    folders = [root / flag[2:] for flag in flags if flag.startswith('-I')]
    for folder in ('kernels', 'infermeta/spmd_rules'):
        link = f'paddle/phi/{folder}'
        (found,) = [x / link for x in folders if (x / link).is_dir()]
        assert list(found.glob('*.h'))
