"""Compiles what the series adds to Paddle, in the form it has in the tree.

The patches are applied one after the other to the known part of the base. After
each, its new C++ files are compiled from their place in that tree, and the new
InferMeta functions with the known includes of ternary.cc and no others, with
Paddle's warnings as errors; a unit that preprocesses to a known text is not compiled
again. After the last patch the headers are compiled without OpenMP too, and every
symbol that the wheel's libphi_core exports has to be there still. Other headers come
from the wheel. Nothing is linked.

Exit status: 0 everything compiles, 1 something does not.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import report, run
from scripts.common.wheel_headers import default_include
from scripts.series.manifest import SeriesError, load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / 'scripts/series/stubs'
TERNARY = 'paddle/phi/infermeta/ternary.cc'
# It needs Eigen, which the wheel does not ship: the new functions compile without.
NOT_SHIPPED = '/common_shape.h"'
# Those of Paddle's flags that decide what is an error.
FLAGS = (
    '-std=c++17', '-Werror', '-Wall', '-Wextra',
    '-Wnon-virtual-dtor', '-Wdelete-non-virtual-dtor', '-Wno-unused-parameter',
    '-Wno-unused-function', '-DPADDLE_WITH_DISTRIBUTE',
    '-fno-diagnostics-show-caret',
)  # fmt: skip
MODES = {'OpenMP': ('-fopenmp', '-DPADDLE_WITH_MKLML'), 'no OpenMP': ()}
SHOWN_LINES = 15
INCLUDE = re.compile(r'(?m)^ *# *include "([^"]+)"')
# Precompiled for the .cc files, where they take most of the time. The build, which
# has no such header, finds an include that is missing.
COMMON = ('phi/backends/cpu/cpu_context.h', 'phi/core/kernel_registry.h')
# A unit in which only an explicit instantiation defines symbols of a kernel.
DECLARED = """\
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
namespace phi {
template <typename T, typename Context>
void %s(T) {}
}  // namespace phi
"""


def infermeta_unit(folder, to):
    """The known includes of ternary.cc, and the inserted functions."""
    text = (folder / TERNARY).read_text('utf-8')
    includes = re.findall('(?m)^#include .*', text)
    includes = [line for line in includes if not line.endswith(NOT_SHIPPED)]
    diff = git(folder, 'diff', '--cached', '-U0', '--', TERNARY)
    added = re.findall(r'(?m)^\+(?!\+\+ |#include )(.*)', diff)
    inside = ['namespace phi {', *added, '}  // namespace phi']
    own = f'#include "{TERNARY[:-2]}h"'  # its first line
    return write_unit(to / 'infermeta_unit.cc', [own, *includes, *inside])


def header_unit(folder, added):
    """The new headers, and nothing before them."""
    headers = [name for name in added if re.search(r'(?<!\.cu)\.h$', name)]
    lines = [f'#include "{name}"' for name in headers]
    return write_unit(folder / 'header_unit.cc', lines)


def write_unit(path, lines):
    path.write_text('\n'.join([*lines, '']), encoding='utf-8')
    return path


def compile_unit(unit, mode, folder, include, output=('-fsyntax-only',)):
    """'' or the errors."""
    python = sysconfig.get_paths()['include']
    system = (include, include / 'third_party', python, STUBS)
    command = ['g++', *FLAGS, *output, *MODES[mode], f'-I{folder}']
    command += [f'-isystem{path}' for path in system]
    done = run(*command, unit, env={**os.environ, 'LC_ALL': 'C'})
    if done.returncode == 0:
        return ''
    lines = done.stderr.replace(f'{folder}{os.sep}', '').splitlines()
    return '\n    '.join([f'{unit.name} ({mode}):', *lines[:SHOWN_LINES]])


def seen_by_compiler(unit, folder):
    """The text of a unit and of the tree's headers that it includes."""
    texts, waiting = {}, [str(unit.relative_to(folder))]
    while waiting:
        path = waiting.pop()
        if path not in texts and (folder / path).is_file():
            texts[path] = (folder / path).read_text('utf-8')
            waiting += INCLUDE.findall(texts[path])
    return tuple(sorted(texts.items()))


def instances(name, path, *options):
    """{'phi::Name<...>'} that a library or an object defines."""
    symbols = run('nm', '-C', '--defined-only', *options, path).stdout
    return set(re.findall(rf'\bphi::{name}<[^(]*>(?=\()', symbols))


def lost_symbols(patches, folder, include):
    """Yields the symbols of libphi_core that a registration of another function
    drops: custom operators may call a kernel, whose header ships, and only its
    registration or PD_KERNEL_INSTANTIATION instantiates it."""
    library = include.parent / 'libs/libphi_core.so'
    edits = [edit for patch in patches for edit in patch.edits.items()]
    for path, hunks in edits:
        text = '\n'.join(line for hunk in hunks for line in hunk.lines)
        for name in re.findall(r'(?m)^-.*\bphi::(\w+Kernel)\b', text):
            added = '\n'.join(re.findall(r'(?m)^\+(.*)', text))
            macro = re.search(r'PD_KERNEL_INSTANTIATION\([^)]*\);', added)
            lines = [DECLARED % name, macro[0] if macro else '']
            unit = write_unit(folder / f'{name}.cc', lines)
            object_file = unit.with_suffix('.o')
            output = ('-c', '-O0', '-o', object_file)
            if fault := compile_unit(unit, 'OpenMP', folder, include, output):
                yield fault
            exported = instances(name, library, '-D') or {f'phi::{name}'}
            for symbol in sorted(exported - instances(name, object_file)):
                yield f'{path}: {symbol} of the base would be gone'


def check():
    """(faults, number of compiled units) of every prefix of the series."""
    series, include = load_series(ROOT), default_include(ROOT)
    compiled = {}
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name) / 'tree'
        init_repo(folder, base_tree(series, wheel_dirs(ROOT)))
        lines = [f'#include "paddle/{header}"' for header in COMMON]
        common = write_unit(Path(name) / 'common.h', lines)
        to_file = ('-xc++-header', '-o', f'{common}.gch')
        faults = [compile_unit(common, 'OpenMP', folder, include, to_file)]
        precompiled = [('-fsyntax-only', '-include', common)]
        for patch in series.patches:
            git(folder, 'apply', '--index', ROOT / 'patches' / patch.file_name)
            new_files = ('diff', '--cached', '--name-only', '--diff-filter=A')
            added = git(folder, *new_files).split()
            prefix = Path(name) / patch.name
            shutil.copytree(folder / 'paddle', prefix / 'paddle')
            headers = header_unit(prefix, added)
            units = [infermeta_unit(folder, prefix), headers]
            units += [prefix / path for path in added if path.endswith('.cc')]
            work = [(unit, 'OpenMP') for unit in units]
            if patch is series.patches[-1]:
                work.append((headers, 'no OpenMP'))
            for unit, mode in work:
                key = mode, seen_by_compiler(unit, prefix)
                if key not in compiled:
                    job = pool.submit(
                        compile_unit, unit, mode, prefix, include,
                        *(precompiled if unit not in units[:2] else ()),
                    )  # fmt: skip
                    compiled[key] = patch.file_name, job
        faults += lost_symbols(series.patches, folder, include)
        for patch_file, job in compiled.values():
            if fault := job.result():
                faults.append(f'after {patch_file}: {fault}')
    return [*filter(None, faults)], len(compiled)


def main():
    try:
        faults, count = check()
    except SeriesError as error:
        faults, count = [str(error)], 0
    good = f'{count} compilations, clean'
    return report('check_intree_compile', faults, good)


if __name__ == '__main__':
    sys.exit(main())
