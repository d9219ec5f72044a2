"""Compile the C++ code of the series in its in-tree form.

The patches are applied in order to the known part of the base. After each, its
new C++ files are compiled in that tree, and the new InferMeta functions with
only the known includes of ternary.cc; Paddle's warnings are errors. A unit
whose text and headers do not change is compiled once. After the last patch, the
headers are also compiled without OpenMP, and kernels that libphi_core exports
still have to be instantiated. Other headers are the wheel's. Nothing is linked.

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

from scripts.common.programs import report, run
from scripts.common.wheel_headers import find_include
from scripts.series.manifest import SeriesError, load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.tree_edits import SYMBOLIC
from scripts.series.upstream_tree import find_site_packages, make_base_tree

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / 'scripts/series/stubs'
TERNARY = 'paddle/phi/infermeta/ternary.cc'
# Includes Eigen, which the wheel does not ship and new functions do not need.
NOT_SHIPPED = '/common_shape.h"'
# Paddle's flags that determine errors.
FLAGS = (
    '-std=c++17', '-Werror', '-Wall', '-Wextra',
    '-Wnon-virtual-dtor', '-Wdelete-non-virtual-dtor', '-Wno-unused-parameter',
    '-Wno-unused-function', '-DPADDLE_WITH_DISTRIBUTE',
    '-fno-diagnostics-show-caret',
)  # fmt: skip
MODES = {'OpenMP': ('-fopenmp', '-DPADDLE_WITH_MKLML'), 'no OpenMP': ()}
SHOWN_LINES = 15
INCLUDE = re.compile(r'(?m)^ *# *include "([^"]+)"')
# Precompiled, since they dominate the compile time. The build, which does not
# precompile them, detects missing includes.
HEADERS = (
    'phi/backends/cpu/cpu_context.h',
    'phi/core/kernel_registry.h',
    'pir/include/dialect/shape/utils/shape_analysis.h',
)
# A unit that defines symbols of a kernel only by explicit instantiation.
KERNEL_UNIT = """\
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
namespace phi {
template <typename T, typename Context>
void %s(T) {}
}  // namespace phi
"""


def write_infermeta_unit(folder):
    """Write the known includes of ternary.cc and the inserted functions."""
    text = (folder / TERNARY).read_text('utf-8')
    includes = re.findall('(?m)^#include .*', text)
    includes = [line for line in includes if not line.endswith(NOT_SHIPPED)]
    diff = git(folder, 'diff', '--cached', '-U0', '--', TERNARY)
    lines = re.findall(r'(?m)^\+(?!\+\+ |#include )(.*)', diff)
    lines = [*includes, 'namespace phi {', *lines, '}  // namespace phi']
    own = f'#include "{TERNARY[:-2]}h"'  # the first line of ternary.cc
    return write_unit(folder / 'infermeta_unit.cc', [own, *lines])


def write_header_unit(folder, new_files):
    """Write a unit that includes only the new headers."""
    headers = [name for name in new_files if re.search(r'(?<!\.cu)\.h$', name)]
    lines = [f'#include "{name}"' for name in headers]
    return write_unit(folder / 'header_unit.cc', lines)


def write_source_units(folder, new_files):
    """Return the new sources; one unit includes those of symbolic shapes."""
    sources = [name for name in new_files if name.endswith('.cc')]
    symbolic = [name for name in sources if name.startswith(SYMBOLIC)]
    lines = [f'#include "{name}"' for name in symbolic]
    unit = write_unit(folder / 'symbolic_shapes_unit.cc', lines)
    return [unit, *(folder / name for name in sources if name not in symbolic)]


def write_unit(path, lines):
    path.write_text('\n'.join([*lines, '']), encoding='utf-8')
    return path


def compile_unit(unit, mode, folder, include, output=('-fsyntax-only',)):
    """Compile a unit; return the errors, or an empty string."""
    python = sysconfig.get_paths()['include']
    system = (include, include / 'third_party', python, STUBS)
    command = ['g++', *FLAGS, *output, *MODES[mode], f'-I{folder}']
    command += [f'-isystem{path}' for path in system]
    process = run(*command, unit, env={**os.environ, 'LC_ALL': 'C'})
    if process.returncode == 0:
        return ''
    lines = process.stderr.replace(f'{folder}{os.sep}', '').splitlines()
    return '\n    '.join([f'{unit.name} ({mode}):', *lines[:SHOWN_LINES]])


def read_with_headers(unit, folder):
    """Return the texts of a unit and of the tree's headers that it includes."""
    texts, pending = {}, [str(unit.relative_to(folder))]
    while pending:
        path = pending.pop()
        if path not in texts and (folder / path).is_file():
            texts[path] = (folder / path).read_text('utf-8')
            pending += INCLUDE.findall(texts[path])
    return tuple(sorted(texts.items()))


def list_instances(name, path, *options):
    """Return {'phi::Name<...>'} that a library or an object file defines."""
    symbols = run('nm', '-C', '--defined-only', *options, path).stdout
    return set(re.findall(rf'\bphi::{name}<[^(]*>(?=\()', symbols))


def find_lost_symbols(patches, folder, include, flags=()):
    """Yield the symbols of libphi_core that the series no longer instantiates.

    Custom operators may call them, since the headers of kernels ship.
    """
    library = include.parent / 'libs/libphi_core.so'
    edits = [edit for patch in patches for edit in patch.edits.items()]
    for path, hunks in edits:
        text = '\n'.join(line for hunk in hunks for line in hunk.lines)
        for name in re.findall(r'(?m)^-.*\bphi::(\w+Kernel)\b', text):
            new = '\n'.join(re.findall(r'(?m)^\+(.*)', text))
            macro = re.search(r'PD_KERNEL_INSTANTIATION\([^)]*\);', new)
            lines = [KERNEL_UNIT % name, macro[0] if macro else '']
            unit = write_unit(folder / f'{name}.cc', lines)
            object_file = unit.with_suffix('.o')
            output = ('-c', '-O0', '-o', object_file, *flags)
            if fault := compile_unit(unit, 'OpenMP', folder, include, output):
                yield fault
            symbols = list_instances(name, library, '-D') or {f'phi::{name}'}
            for symbol in sorted(symbols - list_instances(name, object_file)):
                yield f'{path}: {symbol} is no longer instantiated'


def check():
    """Compile all prefixes of the series; return (faults, number of units)."""
    series, include = load_series(ROOT), find_include(ROOT)
    compiled = set()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name) / 'tree'
        init_repo(folder, make_base_tree(series, find_site_packages(ROOT)))
        lines = [f'#include "paddle/{header}"' for header in HEADERS]
        common = write_unit(Path(name) / 'common.h', lines)
        precompiled = ('-include', common)
        output = ('-xc++-header', '-o', f'{common}.gch')
        faults = [compile_unit(common, 'OpenMP', folder, include, output)]
        for patch in series.patches:
            git(folder, 'apply', '--index', ROOT / 'patches' / patch.file_name)
            options = ('--cached', '--name-only', '--diff-filter=A')
            new_files = git(folder, 'diff', *options).split()
            headers = write_header_unit(folder, new_files)
            jobs = [(write_infermeta_unit(folder), 'OpenMP', ())]
            if patch is series.patches[-1]:
                jobs.append((headers, 'no OpenMP', ()))
            units = [headers, *write_source_units(folder, new_files)]
            jobs += [(x, 'OpenMP', precompiled) for x in units]
            keys = [(mode, read_with_headers(x, folder)) for x, mode, _ in jobs]
            jobs = [j for j, key in zip(jobs, keys) if key not in compiled]
            compiled.update(keys)
            results = pool.map(
                lambda unit, mode, flags: compile_unit(
                    unit, mode, folder, include, ('-fsyntax-only', *flags)
                ),
                *zip(*jobs),
            )
            faults += [f and f'after {patch.file_name}: {f}' for f in results]
        faults += find_lost_symbols(
            series.patches, folder, include, precompiled
        )
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
