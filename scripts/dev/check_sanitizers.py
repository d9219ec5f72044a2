"""Run the operators with sanitizers.

The module is compiled by clang with AddressSanitizer, UBSan and -Werror, or by GCC
with ThreadSanitizer (--tsan), in three forms: with CPU dispatch, as portable loops,
and as portable loops without the speed patches. All run `python -m fuzz`; their
results have to be bitwise identical.

Exit status: 0 success, 1 a fault or no build, 77 skipped: no compiler with
sanitizers.
"""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output, run
from scripts.dev.variant import build_variant
from scripts.series.manifest import load_series
from scripts.series.tree_edits import read_source

ROOT = Path(__file__).resolve().parents[2]
# {source: (threshold, a lower one that sends small outputs down the same path)}
THRESHOLDS = {
    'cpu/strided_copy.h': ('kMinLarge = (32 << 20)', 'kMinLarge = (64 << 10)'),
    'cpu/parallel.h': ('kParallelBytes = 128 << 10', 'kParallelBytes = 64'),
}
SKIPPED = 77
CASES = 3000  # random cases: every kernel for every dtype
# Expensive checks that AddressSanitizer covers, and checks of virtual and
# indirect calls, which need type information that Paddle does not ship.
DISABLED_CHECKS = (
    '-fno-sanitize=null,object-size,pointer-overflow,vptr,function'
)
# {kind: (compiler, flags, preloaded libraries)}. ThreadSanitizer has to see how
# OpenMP synchronizes threads: LLVM's runtime replaces the wheel's and reports it
# through Archer.
SANITIZERS = {
    'asan': (
        'clang++',
        f'-fsanitize=address,undefined {DISABLED_CHECKS} -g1',
        ('libclang_rt.asan-x86_64.so', 'libstdc++.so.6'),
    ),
    'tsan': (
        'g++',
        '-fsanitize=thread -g1 -w',
        ('libtsan.so', 'libomp.so.5', 'libstdc++.so.6'),
    ),
}
PACKAGES = 'clang libomp-dev libclang-rt-dev'
# Only in CI, where a check may install packages.
INSTALL = f'apt-get update && apt-get install -y {PACKAGES}'
# Paddle's conversion of small numbers to float16 shifts by too many bits.
SUPPRESSIONS = 'shift-exponent:*/phi/common/float16.h\n'
# Paddle itself is not instrumented: ignore its leaks, mismatched deallocations
# and thread synchronization.
OPTIONS = {
    'ASAN_OPTIONS': 'detect_leaks=0:alloc_dealloc_mismatch=0',
    'TSAN_OPTIONS': 'halt_on_error=1:ignore_noninstrumented_modules=1',
}
CALLS = """
import sys
import paddle
from fuzz.__main__ import main
assert paddle._native_lib.__file__ == sys.argv.pop(1)
sys.exit(main())
"""
# -O0: optimizing the instrumented templates takes four times as long.
FORMS = {
    'dispatched': ' -Werror -O0',
    'portable': ' -w -O0 -DSCATTER_OPS_PORTABLE',
    'without_speed': ' -w -O0 -DSCATTER_OPS_PORTABLE',
}


def change_sources(form):
    """Return {path: text} of the changed sources of a form.

    Only the form without the speed patches keeps the thresholds.
    """
    if form == 'without_speed':
        speed = load_series(ROOT).pull_requests['speed']
        paths = [path for patch in speed for path in patch.edits]
        return {path: read_source(ROOT, path, speed) for path in paths}
    texts = {}
    for name, (old, new) in THRESHOLDS.items():
        path = f'kernels/funcs/scatter_ops/{name}'
        texts[path] = (ROOT / path).read_text('utf-8').replace(old, new)
        if new not in texts[path]:
            sys.exit(f'{path}: expected `{old}`')
    return texts


def can_compile(compiler, flags):
    """Whether a compiler has OpenMP and the sanitizers of the flags."""
    command = compiler, '-fopenmp', *flags.split(), '-xc++', '-', '-o/dev/null'
    program = '#include <omp.h>\nint main() {}\n'
    has_compiler = shutil.which(compiler)
    return has_compiler and not run(*command, input=program).returncode


def find_library(compiler, name):
    return check_output(compiler, f'-print-file-name={name}').strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='detect data races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    options = parser.parse_args()
    build, kind = options.build_dir.absolute(), ('asan', 'tsan')[options.tsan]
    folder = build / 'sanitizers' / kind
    folder.mkdir(parents=True, exist_ok=True)
    suppressions = folder / 'suppressions'
    suppressions.write_text(SUPPRESSIONS)
    compiler, flags, libraries = SANITIZERS[kind]
    if os.environ.get('CI') and not can_compile(compiler, flags):
        run('sh', '-c', INSTALL)
    archer = Path(find_library('g++', 'libomp.so.5')).resolve()
    archer = archer.with_name('libarcher.so')
    is_missing = kind == 'tsan' and not archer.is_file()
    if is_missing or not can_compile(compiler, flags):
        print(f'skipped: no {compiler} with sanitizers (Debian: {PACKAGES})')
        return SKIPPED
    building = Lock()  # each build uses all cores, and much memory
    preload = ' '.join(find_library(compiler, name) for name in libraries)

    def run_form(form):
        """Build and run a form; return the digests of its results."""
        with building:
            module = build_variant(
                *(build, folder / form, change_sources(form)),
                *(flags + FORMS[form], compiler),
            )
        environment = {
            **os.environ,
            **OPTIONS,
            'UBSAN_OPTIONS': f'halt_on_error=1:suppressions={suppressions}',
            'OMP_TOOL_LIBRARIES': archer,
            'LD_PRELOAD': preload,
            'LD_LIBRARY_PATH': f'{module.parent}/libs',
            'PYTHONPATH': f'{folder / form}:{ROOT}',
        }
        bits = folder / f'{form}.txt'
        output = check_output(
            # Randomized addresses may collide with ThreadSanitizer's memory.
            *('setarch', '-R', build / 'venv/bin/python', '-c', CALLS, module),
            *('--cases', CASES, '--write', bits),
            env=environment,
        )
        print(f'{kind}: {form}: {output.splitlines()[-1]}')
        return bits.read_text().split()

    with ThreadPoolExecutor() as pool:
        digests = list(pool.map(run_form, FORMS))
    faults = [n for n, case in enumerate(zip(*digests)) if len({*case}) > 1]
    if faults:
        print(f'{kind}: bits differ in cases {faults} of python -m fuzz')
    return int(bool(faults))


if __name__ == '__main__':
    sys.exit(main())
