"""Compile the C++ code of the series in its in-tree form.

The patches are applied by git am to the known part of the base. After each, the
new C++ files are compiled in that tree, the code that is merged into Paddle's
InferMeta files with their known includes, and the names that are added to
Paddle's kernel files with the added includes; Paddle's warnings are errors. A unit
whose text and headers do not change is compiled once. After the last patch, the
headers are also compiled without OpenMP. Other headers are the wheel's. Nothing
is linked.

Exit status: 0 success, 1 errors.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import PADDLE_INCLUDE
from scripts.common.programs import report, run
from scripts.series.manifest import RULES, TERNARY, SeriesError, load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.tree_edits import SPMD, SYMBOLIC
from scripts.series.upstream_tree import make_base_tree

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / 'scripts/series/stubs'
# Includes Eigen, which the wheel does not ship and new functions do not need.
NOT_SHIPPED = '/common_shape.h"'
# Paddle's flags that determine errors.
FLAGS = (
    '-std=c++17', '-Werror', '-Wall', '-Wextra',
    '-Wnon-virtual-dtor', '-Wdelete-non-virtual-dtor', '-Wno-unused-parameter',
    '-Wno-unused-function', '-DPADDLE_WITH_DISTRIBUTE',
    '-fno-diagnostics-show-caret',
)  # fmt: skip
OPENMP = ('-fopenmp', '-DPADDLE_WITH_MKLML')
# Paddle's headers have to declare what the series defines for Paddle's code.
DECLARED = (*OPENMP, '-Wmissing-declarations')
KERNELS = 'paddle/phi/kernels/cpu'
HEADER_UNIT = 'headers.cc'
SHOWN_LINES = 15
INCLUDE = re.compile(r'(?m)^ *# *include "([^"]+)"')
# Precompiled, since they dominate the compile time. The build, which does not
# precompile them, detects missing includes.
HEADERS = (
    'phi/backends/cpu/cpu_context.h',
    'phi/core/kernel_registry.h',
    'pir/include/dialect/shape/utils/shape_analysis.h',
)


def write_merged_unit(folder):
    """Write the lines that the series adds to Paddle's files for InferMeta."""
    text = (folder / f'{TERNARY}.cc').read_text('utf-8')
    includes = re.findall('(?m)^#include .*', text)
    lines = [line for line in includes if not line.endswith(NOT_SHIPPED)]
    lines += [f'#include "{TERNARY}.h"', f'#include "{SPMD}rules.h"']
    diff = git(folder, 'diff', '-U0', 'base', '--', f'{TERNARY}.cc', RULES)
    merged = re.findall(r'(?m)^\+(?!\+\+ |#include )(.*)', diff)
    lines += ['namespace phi {', *merged, '}  // namespace phi']
    return write_unit(folder / 'merged.cc', lines)


def write_kernel_units(folder):
    """Write, for each of Paddle's kernel files, names that the series adds.

    Most of such a file is unknown; the names have to be declared by the
    includes that the series adds.
    """
    options = ('--name-only', '--diff-filter=M', 'base', 'HEAD')
    for path in git(folder, 'diff', *options, '--', KERNELS).split():
        diff = git(folder, 'diff', '-U0', 'base', '--', path)
        added = '\n'.join(re.findall(r'(?m)^\+(?!\+\+ )(.*)', diff))
        lines = re.findall('(?m)^#include .*', added)
        for macro in sorted(set(re.findall(r'SCATTER_OPS_\w+', added))):
            lines += [f'#ifndef {macro}', f'#error {macro}', '#endif']
        names = sorted(set(re.findall(r'phi::funcs::[\w:]+', added)))
        lines += [f'using {name};' for name in names]
        yield write_unit(folder / f'{Path(path).stem}_names.cc', lines)


def write_unit(path, lines):
    path.write_text('\n'.join([*lines, '']), encoding='utf-8')
    return path


def write_including_unit(path, names):
    return write_unit(path, [f'#include "{name}"' for name in names])


def list_jobs(folder, precompiled):
    """Return [(unit, flags)] for the new files of the series up to HEAD."""
    options = ('--name-only', '--diff-filter=A', 'base', 'HEAD')
    new_files = git(folder, 'diff', *options).split()
    names = [name for name in new_files if re.search(r'(?<!\.cu)\.h$', name)]
    headers = write_including_unit(folder / HEADER_UNIT, names)
    sources = [name for name in new_files if name.endswith('.cc')]
    symbolic = [name for name in sources if name.startswith(SYMBOLIC)]
    shapes = write_including_unit(folder / 'symbolic_shapes.cc', symbolic)
    units = [headers, *(folder / x for x in sources if x not in symbolic)]
    return [
        (write_merged_unit(folder), DECLARED),
        (shapes, (*DECLARED, *precompiled)),
        *((unit, (*OPENMP, *precompiled)) for unit in units),
        *((unit, OPENMP) for unit in write_kernel_units(folder)),
    ]


def compile_unit(unit, flags, folder, output=('-fsyntax-only',)):
    """Compile a unit; return the errors, or an empty string."""
    python = sysconfig.get_paths()['include']
    system = (PADDLE_INCLUDE, PADDLE_INCLUDE / 'third_party', python, STUBS)
    command = ['g++', *FLAGS, *output, *flags, f'-I{folder}']
    command += [f'-isystem{path}' for path in system]
    process = run(*command, unit, env={**os.environ, 'LC_ALL': 'C'})
    if process.returncode == 0:
        return ''
    lines = process.stderr.replace(f'{folder}{os.sep}', '').splitlines()
    return '\n    '.join([f'{unit.name}:', *lines[:SHOWN_LINES]])


def read_with_headers(unit, folder):
    """Return the texts of a unit and of the tree's headers that it includes."""
    texts, pending = {}, [str(unit.relative_to(folder))]
    while pending:
        path = pending.pop()
        if path not in texts and (folder / path).is_file():
            texts[path] = (folder / path).read_text('utf-8')
            pending += INCLUDE.findall(texts[path])
    return tuple(sorted(texts.items()))


def check():
    """Compile all prefixes of the series; return (faults, number of units)."""
    series = load_series(ROOT)
    compiled = set()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name) / 'tree'
        init_repo(folder, make_base_tree(series))
        headers = [f'paddle/{header}' for header in HEADERS]
        common = write_including_unit(Path(name) / 'common.h', headers)
        output = ('-xc++-header', '-o', f'{common}.gch')
        faults = [compile_unit(common, OPENMP, folder, output)]
        for patch in series.patches:
            path = ROOT / 'patches' / patch.file_name
            git(folder, 'am', '-q', '--keep-non-patch', path)
            jobs = list_jobs(folder, ('-include', common))
            keys = [read_with_headers(unit, folder) for unit, _ in jobs]
            jobs = [j for j, key in zip(jobs, keys) if key not in compiled]
            compiled.update(keys)
            results = pool.map(lambda job: compile_unit(*job, folder), jobs)
            faults += [f and f'after {patch.file_name}: {f}' for f in results]
        fault = compile_unit(folder / HEADER_UNIT, (), folder)
        faults.append(fault and f'without OpenMP: {fault}')
    return [*filter(None, faults)], len(compiled)


def main():
    try:
        faults, count = check()
    except SeriesError as error:
        faults, count = [str(error)], 0
    success = f'{count} compilations, clean'
    return report('check_intree_compile', faults, success)


if __name__ == '__main__':
    sys.exit(main())
