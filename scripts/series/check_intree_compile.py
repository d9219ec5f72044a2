"""Compiles what the series adds to Paddle, in the form it has in the tree.

The patches are replayed on the known part of the base, one after the other.
After each of them the new InferMeta functions are compiled inside namespace phi
with the includes of ternary.cc and no others, and every new C++ file from its
place in that tree, with Paddle's warnings as errors; what looks as before to the
compiler is not compiled again. After the last one pragmas are compiled without
OpenMP too. Headers that the series does not change come from the wheel. Only the
syntax is checked, and what base_symbols.py looks for; nothing is linked.

Exit status: 0 everything compiles, 1 something does not.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import run, verdict
from scripts.common.text_lines import join_lines
from scripts.common.wheel_headers import default_include
from scripts.series.base_symbols import lost_symbols
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import SeriesError, added_files
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[2]
TERNARY = 'paddle/phi/infermeta/ternary.cc'
# common_shape.h is left out: it needs Eigen, which the wheel does not ship. So
# the new functions must do without it, which is the stricter test.
TERNARY_INCLUDES = (
    'paddle/phi/infermeta/ternary.h',
    'glog/logging.h',
    'paddle/common/ddim.h',
    'paddle/common/errors.h',
    'paddle/common/layout.h',
    'paddle/phi/core/ddim.h',
    'paddle/phi/core/enforce.h',
    'paddle/phi/kernels/impl/box_coder.h',
)
# Paddle's own flags, as far as they decide what is an error.
FLAGS = (
    '-std=c++17', '-Werror', '-Wall', '-Wextra',
    '-Wnon-virtual-dtor', '-Wdelete-non-virtual-dtor', '-Wno-unused-parameter',
    '-Wno-unused-function', '-DPADDLE_WITH_DISTRIBUTE',
)  # fmt: skip
MODES = {'OpenMP': ('-fopenmp', '-DPADDLE_WITH_MKLML'), 'no OpenMP': ()}
SHOWN_LINES = 15
INCLUDE = re.compile(r'(?m)^ *# *include "([^"]+)"')


def replay(series, base, patches, folder):
    """Paths of the files that the patches add; the tree lies in `folder`."""
    init_repo(folder, base, series.author)
    for patch in patches:
        apply(folder, patch)
    return added_files(patches)


def apply(folder, patch):
    git(folder, 'apply', '--index', str(patch.resolve()))


def inserted_lines(folder, path):
    """(include lines, other lines) that the patches insert into a file."""
    diff = git(folder, 'diff', '--cached', '-U0', '--', path)
    lines = re.findall(r'(?m)^\+(?!\+\+ )(.*)', diff)
    includes = [line for line in lines if line.startswith('#include ')]
    return includes, [line for line in lines if line not in includes]


def infermeta_unit(folder, include):
    """A file with the inserted InferMeta functions, as ternary.cc has them."""
    includes, body = inserted_lines(folder, TERNARY)
    there = [
        f'#include "{name}"'
        for name in TERNARY_INCLUDES
        if (folder / name).is_file() or (include / name).is_file()
    ]
    body = ['namespace phi {', *body, '}  // namespace phi']
    lines = there + includes + body
    return write_unit(folder / 'infermeta_unit.cc', lines)


def header_unit(folder, added):
    """A file that includes the new headers and nothing before them."""
    lines = [
        f'#include "{name}"'
        for name in added
        if name.endswith('.h') and not name.endswith('.cu.h')
    ]
    return write_unit(folder / 'header_unit.cc', lines)


def write_unit(path, lines):
    path.write_text(join_lines(lines), encoding='utf-8')
    return path


def units(folder, added, include):
    """Everything that has to compile."""
    sources = [folder / name for name in added if name.endswith('.cc')]
    made = infermeta_unit(folder, include), header_unit(folder, added)
    return [*made, *sources]


def modes_of(unit):
    """Without OpenMP too where its pragmas are, which may warn then."""
    headers = unit.name == 'header_unit.cc'
    pragmas = '#pragma omp' in unit.read_text(encoding='utf-8')
    return list(MODES) if headers or pragmas else list(MODES)[:1]


def compile_unit(unit, mode, folder, include, how=('-fsyntax-only',)):
    """'' or what the compiler said. An object lies beside its unit."""
    system = [include, include / 'third_party']
    system.append(sysconfig.get_paths()['include'])
    command = ['g++', *FLAGS, *how, *MODES[mode], f'-I{folder}']
    command += [f'-isystem{path}' for path in system]
    if '-c' in how:
        command += ['-o', unit.with_suffix('.o')]
    done = run(*command, unit, env={**os.environ, 'LC_ALL': 'C'})
    if done.returncode == 0:
        return ''
    text = done.stderr.replace(f'{folder}{os.sep}', '')
    lines = [x for x in text.splitlines() if not re.match(r'^\s+\d* \|', x)]
    said = '\n'.join(f'    {line}' for line in lines[:SHOWN_LINES])
    return f'{unit.relative_to(folder)} ({mode}):\n{said}'


def seen_by_compiler(unit, folder):
    """The text of a unit and of the tree's headers that it includes."""
    texts, waiting = {}, [str(unit.relative_to(folder))]
    while waiting:
        path = waiting.pop()
        if path not in texts and (folder / path).is_file():
            texts[path] = (folder / path).read_text(encoding='utf-8')
            waiting += INCLUDE.findall(texts[path])
    return tuple(sorted(texts.items()))


def check(root, wheel, include):
    """(faults, number of files that were compiled) of every prefix of the line."""
    series = load_series(root)
    base = base_tree(series, wheel_dirs(root, wheel))
    paths = [root / 'patches' / p.file_name for p in series.patches]
    faults, compiled = [], set()
    with (
        tempfile.TemporaryDirectory() as name,
        ThreadPoolExecutor(2) as pool,
    ):
        folder = Path(name) / 'tree'
        init_repo(folder, base, series.author)
        compile_here = partial(compile_unit, folder=folder, include=include)
        for count, path in enumerate(paths, 1):
            apply(folder, path)
            last = count == len(paths)
            work = {
                (mode, seen_by_compiler(unit, folder)): (unit, mode)
                for unit in units(folder, added_files(paths[:count]), include)
                for mode in modes_of(unit)[: None if last else 1]
            }
            new = [item for key, item in work.items() if key not in compiled]
            found = pool.map(compile_here, *zip(*new)) if new else ()
            faults += [f'after {path.name}: {f}' for f in found if f]
            compiled |= set(work)
        faults += lost_symbols(folder, include, compile_unit)
    return faults, len(compiled)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        '--paddle', metavar='DIR', help='site-packages of an untouched wheel'
    )
    options = parser.parse_args(arguments)
    try:
        include = default_include(ROOT)
        faults, count = check(ROOT, options.paddle, include)
    except SeriesError as error:
        faults, count = error.faults, 0
    good = f'{count} compilations, clean'
    return verdict('check_intree_compile', faults, good)


if __name__ == '__main__':
    sys.exit(main())
