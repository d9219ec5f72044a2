"""Includes and imports between the rooms run as native/README.md allows."""

import graphlib
import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[1]
ROW = re.compile(r'^\| `(?P<room>[\w/]+)` \|.*\| (?P<allowed>[^|]+) \|$', re.M)
ARROW = re.compile(
    r'^#include "(?P<header>\w+/\w+\.h)"'
    r'|^from native\.(?P<module>[\w.]+) import'
    r'|^ *from paddle\._(?P<installed>native_\w+) import'
    r'|^ *from paddle import (?P<several>_native_.*)',
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
    for found in ARROW.finditer(text):
        if found['header'] and (NATIVE / found['header']).is_file():
            yield NATIVE / found['header']
        elif found['module']:
            yield NATIVE / (found['module'].replace('.', '/') + '.py')
        names = re.findall(r'\bnative_\w+|(?<=_)native_\w+', found[0])
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


@pytest.mark.parametrize(
    'line, rooms',
    [
        ('#include "dygraph/grad_node.h"', ['native/dygraph']),
        (
            '    from paddle import _native_lib, _native_calls',
            ['native/dygraph'],
        ),
        ('from paddle._native_static import Vjp', ['native/static']),
        ('from native.glue.entry import EntryView', ['native/glue']),
        ('#include "python/python_args.h"', ['native/python']),
        ('#include "paddle/phi/core/kernel_factory.h"', []),
    ],
)
def test_a_forbidden_arrow_is_found(line, rooms):
    assert wrong_arrows('native/memory', f'// text\n{line}\n') == rooms


def test_compiler_flags_of_editors_find_the_kernels():
    root = NATIVE.parent
    flags = (root / 'compile_flags.txt').read_text().split()
    folders = [root / flag[2:] for flag in flags if flag.startswith('-I')]
    for folder in ('kernels', 'infermeta/spmd_rules'):
        link = f'paddle/phi/{folder}'
        (found,) = [x / link for x in folders if (x / link).is_dir()]
        assert list(found.glob('*.h'))
