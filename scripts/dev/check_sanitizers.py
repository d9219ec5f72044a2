"""Run the operators with sanitizers.

clang compiles the module with AddressSanitizer and UBSan, or with ThreadSanitizer
(--tsan), in three forms: with CPU dispatch, as portable loops, and as portable
loops without the speed patches. Each runs `python -m fuzz`.

Exit status: 0 success, 1 a fault or no build, 77 skipped: no clang with sanitizers.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output, run
from scripts.series.manifest import load_series
from scripts.series.patch_repo import write_tree
from scripts.series.tree_edits import read_source

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.prefix).parent
# {header: {threshold: a lower one that sends small calls down the same path}}
THRESHOLDS = {
    'cpu/parallel.h': {'= 32 << 20': '= 64 << 10', '= 128 << 10': '= 64'},
    'index_reduce/cpu/segment_reduce.h': {'= 2 << 20': '= 0'},
}
# {kind: (sanitizers, runtime)}. GCC's runtime of ThreadSanitizer can be preloaded,
# LLVM's can't.
SANITIZERS = {
    'asan': ('address,undefined', 'libclang_rt.asan-x86_64.so'),
    'tsan': ('thread', 'libtsan.so'),
}
# Expensive checks that AddressSanitizer covers, and checks of virtual and
# indirect calls, which need type information that Paddle does not ship.
DISABLED_CHECKS = 'null,object-size,pointer-overflow,vptr,function'
# Arguments: ROOT, BUILD, folder and flags. PYTHONPATH=folder imports the module.
# strip would remove the symbols by which sanitizers name locations.
COMPILE = """
mkdir "$2"
ln -s "$1/venv" "$1/glue" "$2"
cmake -S "$0" -B "$2" -G Ninja -DCMAKE_MAKE_PROGRAM="$1/venv/bin/ninja" \
  -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_STRIP=/bin/true \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="$3"
cmake --build "$2"
cp -rs "$1/site-packages/paddle" "$2"
ln -f "$2/_native_lib.so" "$2/paddle"
"""
PACKAGES = 'clang libomp-dev libclang-rt-dev'
# Paddle's conversion of small numbers to float16 shifts by too many bits.
SUPPRESSIONS = 'shift-exponent:*/phi/common/float16.h\n'


def change_headers(form):
    """Return {path: text}: headers with other thresholds or without speed patches."""
    if form == 'without_speed':
        speed = load_series(ROOT).pull_requests['speed']
        paths = [path for patch in speed for path in patch.edits]
        return {path: read_source(ROOT, path, speed) for path in paths}
    texts = {}
    for name, thresholds in THRESHOLDS.items():
        path = f'kernels/funcs/scatter_ops/{name}'
        text = (ROOT / path).read_text('utf-8')
        for old, new in thresholds.items():
            before, after = text.split(old)
            text = before + new + after
        texts[path] = text
    return texts


def can_compile(flags):
    """Whether there is a clang with OpenMP and the sanitizers of the flags."""
    command = f'clang++ -fopenmp -include omp.h {flags} -xc++ - -o /dev/null'
    return not run('sh', '-c', command, input='int main() {}').returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='detect data races')
    kind = 'tsan' if parser.parse_args().tsan else 'asan'
    names, runtime = SANITIZERS[kind]
    sanitizers = f'-fsanitize={names} -fno-sanitize={DISABLED_CHECKS}'
    # Only in CI, where a check may install packages.
    if os.environ.get('CI') and not can_compile(sanitizers):
        run('sh', '-c', f'apt-get update && apt-get install -y {PACKAGES}')
    if not can_compile(sanitizers):
        print(f'skipped: no clang with sanitizers (Debian: {PACKAGES})')
        return 77
    folder = BUILD / 'sanitizers' / kind
    shutil.rmtree(folder, ignore_errors=True)
    write_tree(folder, {'suppressions': SUPPRESSIONS})
    runtime, openmp, cpp = (
        check_output('clang++', f'-print-file-name={name}').strip()
        for name in (runtime, 'libomp.so.5', 'libstdc++.so.6')
    )
    environment = {
        **os.environ,
        # Paddle itself is not instrumented: ignore its leaks, mismatched
        # deallocations and thread synchronization.
        'ASAN_OPTIONS': 'detect_leaks=0:alloc_dealloc_mismatch=0',
        'TSAN_OPTIONS': 'halt_on_error=1:ignore_noninstrumented_modules=1',
        'UBSAN_OPTIONS': f'halt_on_error=1:suppressions={folder}/suppressions',
        'LD_PRELOAD': f'{runtime} {openmp} {cpp}',
        # Without it, ThreadSanitizer's runtime deadlocks in the first kernels.
        'LD_LIBRARY_PATH': BUILD / 'site-packages/paddle/libs',
        # ThreadSanitizer has to see how OpenMP synchronizes threads: LLVM's
        # runtime replaces the wheel's and reports it through Archer.
        'OMP_TOOL_LIBRARIES': Path(openmp).resolve().with_name('libarcher.so'),
    }
    portable = '-w -DSCATTER_OPS_PORTABLE'
    for form in ('dispatched', 'portable', 'without_speed'):
        flags = '-Werror' if form == 'dispatched' else portable
        headers, variant = folder / f'{form}_headers', folder / form
        write_tree(headers / 'paddle/phi', change_headers(form))
        # -O0: optimizing the instrumented templates takes four times as long.
        # Quoted includes find the changed headers before the project's.
        flags += f' {sanitizers} -O0 -g1 -iquote {headers}'
        check_output('sh', '-ec', COMPILE, ROOT, BUILD, variant, flags)
        # Randomized addresses may collide with ThreadSanitizer's memory.
        result = check_output(
            *('setarch', '-R', sys.executable, '-m', 'fuzz', '--cases', 3000),
            env={**environment, 'PYTHONPATH': f'{variant}:{ROOT}'},
        ).splitlines()[-1]
        assert result.endswith(f'with {variant}/paddle'), result
        print(f'{kind}: {form}: {result}')


if __name__ == '__main__':
    sys.exit(main())
