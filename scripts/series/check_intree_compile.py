"""Compiles what the series adds to Paddle, in the form it has in the tree.

The patches are replayed on the known part of the base, one after the other.
After each of them the new InferMeta functions are compiled inside namespace phi
with the known includes of ternary.cc and no others, and every new C++ file from its
place in that tree, with Paddle's warnings as errors; what looks as before to the
compiler is not compiled again. After the last one the headers are compiled without
OpenMP too, and what the wheel's libphi_core exports has to be there still. Headers
that the series does not change come from the wheel. Nothing is linked.

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

from scripts.common.programs import run, verdict
from scripts.common.text_lines import join_lines
from scripts.common.wheel_headers import default_include
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import SeriesError
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / 'scripts/series/stubs'
TERNARY = 'paddle/phi/infermeta/ternary.cc'
# It needs Eigen, which the wheel does not ship. So the new functions must do without
# it, which is the stricter test.
NOT_SHIPPED = '/common_shape.h"'
# Paddle's own flags, as far as they decide what is an error.
FLAGS = (
    '-std=c++17', '-Werror', '-Wall', '-Wextra',
    '-Wnon-virtual-dtor', '-Wdelete-non-virtual-dtor', '-Wno-unused-parameter',
    '-Wno-unused-function', '-DPADDLE_WITH_DISTRIBUTE',
    '-fno-diagnostics-show-caret',
)  # fmt: skip
MODES = {'OpenMP': ('-fopenmp', '-DPADDLE_WITH_MKLML'), 'no OpenMP': ()}
SHOWN_LINES = 15
INCLUDE = re.compile(r'(?m)^ *# *include "([^"]+)"')
# What instantiates a kernel function that is not registered any more.
STAND_IN = """\
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
namespace phi {
template <typename T, typename Context>
void %s(T) {}
}  // namespace phi
"""


def infermeta_unit(folder, to):
    """A file with the includes of ternary.cc that are known, and what is inserted."""
    text = (folder / TERNARY).read_text(encoding='utf-8')
    known = re.findall('(?m)^#include .*', text)
    includes = [line for line in known if not line.endswith(NOT_SHIPPED)]
    diff = git(folder, 'diff', '--cached', '-U0', '--', TERNARY)
    added = re.findall(r'(?m)^\+(?!\+\+ |#include )(.*)', diff)
    inside = ['namespace phi {', *added, '}  // namespace phi']
    own = f'#include "{TERNARY[:-2]}h"'  # its first line
    return write_unit(to / 'infermeta_unit.cc', [own, *includes, *inside])


def header_unit(folder, added):
    """A file that includes the new headers and nothing before them."""
    headers = [name for name in added if re.search(r'(?<!\.cu)\.h$', name)]
    lines = [f'#include "{name}"' for name in headers]
    return write_unit(folder / 'header_unit.cc', lines)


def write_unit(path, lines):
    path.write_text(join_lines(lines), encoding='utf-8')
    return path


def compile_unit(unit, mode, folder, include, how=('-fsyntax-only',)):
    """'' or what the compiler said."""
    system = [include, include / 'third_party']
    system.append(sysconfig.get_paths()['include'])
    command = ['g++', *FLAGS, *how, *MODES[mode], f'-I{folder}']
    command += [f'-isystem{path}' for path in (*system, STUBS)]
    done = run(*command, unit, env={**os.environ, 'LC_ALL': 'C'})
    if done.returncode == 0:
        return ''
    text = done.stderr.replace(f'{folder}{os.sep}', '')
    said = '\n'.join(f'    {x}' for x in text.splitlines()[:SHOWN_LINES])
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


def instances(name, path, *options):
    """{'phi::Name<...>'} of what a library or an object defines."""
    symbols = run('nm', '-C', '--defined-only', *options, path).stdout
    return set(re.findall(rf'\bphi::{name}<[^(]*>(?=\()', symbols))


def lost_symbols(patches, folder, include):
    """Custom operators may call the function that the base registers for a kernel:
    its header ships, and it is instantiated nowhere else. Faults: what the wheel's
    library exports of one, and a hunk that registers another does not."""
    library = include.parent / 'libs/libphi_core.so'
    for patch in patches:
        for path, text in patch.edits.items():
            for name in re.findall(r'(?m)^-.*\bphi::(\w+Kernel)\b', text):
                added = '\n'.join(re.findall(r'(?m)^\+(.*)', text))
                macro = re.search(r'PD_KERNEL_INSTANTIATION\([^)]*\);', added)
                lines = [STAND_IN % name, macro[0] if macro else '']
                unit = write_unit(folder / f'{name}.cc', lines)
                made = unit.with_suffix('.o')
                how = ('-c', '-O0', '-o', made)
                if said := compile_unit(unit, 'OpenMP', folder, include, how):
                    yield said
                wanted = instances(name, library, '-D') or {'phi::' + name}
                for symbol in sorted(wanted - instances(name, made)):
                    yield f'{path}: {symbol} of the base would be gone'


def check():
    """(faults, number of files that were compiled) of every prefix of the line."""
    series, include = load_series(ROOT), default_include(ROOT)
    base = base_tree(series, wheel_dirs(ROOT))
    compiled = {}
    with (
        tempfile.TemporaryDirectory() as name,
        ThreadPoolExecutor() as pool,
    ):
        folder = Path(name) / 'tree'
        init_repo(folder, base, series.author)
        for patch in series.patches:
            git(folder, 'apply', '--index', ROOT / 'patches' / patch.file_name)
            new_files = ('diff', '--cached', '--name-only', '--diff-filter=A')
            added = git(folder, *new_files).split()
            prefix = Path(name) / patch.name
            shutil.copytree(folder / 'paddle', prefix / 'paddle')
            infermeta_unit(folder, prefix)
            headers = header_unit(prefix, added)
            units = [prefix / 'infermeta_unit.cc', headers]
            units += [prefix / name for name in added if name.endswith('.cc')]
            work = [(unit, 'OpenMP') for unit in units]
            if patch is series.patches[-1]:
                work.append((headers, 'no OpenMP'))
            for unit, mode in work:
                key = mode, seen_by_compiler(unit, prefix)
                if key not in compiled:
                    compiled[key] = (
                        patch.file_name,
                        pool.submit(compile_unit, unit, mode, prefix, include),
                    )
        lost = [*lost_symbols(series.patches, folder, include)]
        said = [(file, future.result()) for file, future in compiled.values()]
    faults = [f'after {file}: {fault}' for file, fault in said if fault]
    return faults + lost, len(compiled)


def main():
    try:
        faults, count = check()
    except SeriesError as error:
        faults, count = error.faults, 0
    good = f'{count} compilations, clean'
    return verdict('check_intree_compile', faults, good)


if __name__ == '__main__':
    sys.exit(main())
