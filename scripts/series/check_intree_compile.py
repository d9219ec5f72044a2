"""Compiles what the series adds to Paddle, in the form it has in the tree.

The patches are replayed on the known part of the base. Then the new InferMeta
functions are compiled inside namespace phi with the includes of ternary.cc and
no others, and every new C++ file from its place in that tree, with Paddle's
warnings as errors, with OpenMP and without. Headers that the series does not
change come from the wheel. Only the syntax is checked, and what base_symbols.py
looks for; nothing is linked. With
--each-alone, the patches of each pull request are replayed without the others,
and what looks the same to the compiler is compiled once.

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
        git(folder, 'apply', '--index', str(patch.resolve()))
    return added_files(patches)


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


def check(root, wheel, include, each_alone=False):
    """(faults, number of files that were compiled) of all patches together, or
    of each pull request's, with OpenMP only; what was compiled is so once."""
    series = load_series(root)
    base = base_tree(series, wheel_dirs(root, wheel))
    whole = {'all': series.patches}
    alone = {name: series.pull_request(name) for name in series.pull_requests}
    faults, compiled = [], set()
    for title, listed in (alone if each_alone else whole).items():
        with (
            tempfile.TemporaryDirectory() as name,
            ThreadPoolExecutor(2) as pool,
        ):
            folder = Path(name) / 'tree'
            paths = [root / 'patches' / p.file_name for p in listed]
            added = replay(series, base, paths, folder)
            work = {
                (mode, seen_by_compiler(unit, folder)): (unit, mode)
                for unit in units(folder, added, include)
                for mode in modes_of(unit)[: 1 if each_alone else None]
            }
            new = [item for key, item in work.items() if key not in compiled]
            compile_here = partial(compile_unit, folder=folder, include=include)
            found = pool.map(compile_here, *zip(*new))
            found = [fault for fault in found if fault]
            if not each_alone:
                found += lost_symbols(folder, include, compile_unit)
            faults += [f'{title}: {fault}' for fault in found]
            compiled |= set(work)
    return faults, len(compiled)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--paddle', metavar='DIR', help='site-packages of an untouched wheel')
    add(
        '--each-alone',
        action='store_true',
        help="each pull request's patches without the others",
    )
    options = parser.parse_args(arguments)
    try:
        include = default_include(ROOT)
        faults, count = check(ROOT, options.paddle, include, options.each_alone)
    except SeriesError as error:
        faults, count = error.faults, 0
    good = f'{count} compilations, clean'
    return verdict('check_intree_compile', faults, good)


if __name__ == '__main__':
    sys.exit(main())
