"""What the wheel's libphi_core exports of a kernel function stays exported when
the series registers a function of ours in its place: custom operators may call
the old one, whose header ships, and it is instantiated nowhere else.

The hunk is compiled behind a body that stands in for the base's, which is not
recorded, and the symbols of the object are compared with those of the wheel.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scripts.common.programs import run
from scripts.common.text_lines import join_lines
from scripts.series.patch_repo import git

KERNELS = 'paddle/phi/kernels/'
NEEDED = (
    'paddle/phi/backends/cpu/cpu_context.h',
    'paddle/phi/core/kernel_registry.h',
)


def replaced_functions(folder):
    """{path: (the function that its registration names no more, the headers
    that it includes anew)} of a tree with patches."""
    changed = git(
        *(folder, 'diff', '--cached', '--name-only', '--diff-filter=M'),
        *('--', f'{KERNELS}cpu'),
    )
    found = {}
    for path in changed.split():
        diff = git(folder, 'diff', '--cached', '-U0', '--', path)
        (name,) = re.findall(r'(?m)^-.*\bphi::(\w+)', diff)
        found[path] = name, re.findall(r'(?m)^\+#include "(.*)"', diff)
    return found


def stand_in(name, header):
    """A function without a body to speak of, declared as in its header."""
    head = r'template <typename T, typename Context>\s+void '
    declared = re.search(rf'{head}{name}\([^;]*\)(?=;)', header)
    return f'namespace phi {{\n{declared[0]} {{}}\n}}  // namespace phi'


def unit_of(path, name, headers, folder, include):
    """The lines of a file from the end of the base's body to the registration,
    behind a body that stands in for it."""
    own = f'{KERNELS}{PurePosixPath(path).stem}.h'
    text = (folder / path).read_text(encoding='utf-8')
    below = text.partition('}  // namespace phi\n')[2]
    return [
        *(f'#include "{header}"' for header in (own, *NEEDED, *headers)),
        stand_in(name, (include / own).read_text(encoding='utf-8')),
        below.partition('PD_REGISTER_KERNEL(')[0],
    ]


def instances(text, name):
    """{'phi::Name<...>'} out of what nm says."""
    return set(re.findall(rf'\bphi::{name}<[^(]*>(?=\()', text))


def defined(path, *options):
    """What nm says of the symbols that a library or an object defines."""
    return run('nm', '-C', '--defined-only', *options, path).stdout


def lost_symbols(folder, include, compile_unit):
    """Faults: what the wheel's library exports and the tree's files lack."""
    library = include.parent / 'libs/libphi_core.so'
    functions = replaced_functions(folder)
    exported = defined(library, '-D') if functions else ''
    faults = []
    for path, (name, headers) in functions.items():
        wanted = instances(exported, name)
        if not wanted:
            faults.append(f'{library}: expected phi::{name}, found none')
        unit = folder / f'{PurePosixPath(path).stem}_symbols.cc'
        unit.write_text(
            join_lines(unit_of(path, name, headers, folder, include))
        )
        said = compile_unit(unit, 'OpenMP', folder, include, ('-c', '-O0'))
        there = instances(defined(unit.with_suffix('.o')), name)
        faults += (
            [said]
            if said
            else [
                f'{path}: {symbol} is exported by the base and would be gone'
                for symbol in sorted(wanted - there)
            ]
        )
    return faults
