"""Calls of the operators in modules whose CPU kernels are compiled otherwise.

By clang, where a warning is an error, with AddressSanitizer and
UndefinedBehaviorSanitizer; or by GCC with ThreadSanitizer (--tsan). Twice: as the CPU
chooses, and as portable loops without the headers that the speed patches bring. The
first runs `python -m fuzz.table` against numpy, both the calls of `python -m
fuzz.bits`, whose bits have to be the same.

Exit status: 0 nothing found, 1 a fault or nothing built yet, 77 skipped because the
compiler is not there or has no sanitizers.
"""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output, run
from scripts.dev.variant import build_variant, texts_without
from scripts.series.manifest import load_series
from scripts.series.tree_edits import upstream_path

ROOT = Path(__file__).resolve().parents[2]
THREADS = ROOT / 'scripts/dev/sanitizer_threads.cc'
RUN = 'kernels/funcs/scatter_ops/cpu/parallel.h'
SKIPPED = 77
CASES = 600  # random ones, besides the table
# Left out are checks that cost much and that AddressSanitizer makes as well, and those
# of virtual and other functions, which need type information that Paddle does not ship.
UNUSED = '-fno-sanitize=null,object-size,pointer-overflow,vptr,function'
ASAN = f'-fsanitize=address,undefined {UNUSED} -g1'
TSAN = '-fsanitize=thread'
MISSING = {
    'asan': 'clang++ with omp.h and sanitizers '
    '(Debian: clang, libomp-dev, libclang-rt-dev)',
    'tsan': f'compiler with {TSAN}',
}
# Paddle's conversion of small numbers to float16 shifts by too many bits.
KNOWN = 'shift-exponent:*/phi/common/float16.h\n'
# Paddle itself is not compiled for them. What it frees otherwise than it got it, or
# never, and how its own threads wait for each other is not looked at.
OPTIONS = {
    'ASAN_OPTIONS': 'detect_leaks=0:alloc_dealloc_mismatch=0',
    'TSAN_OPTIONS': 'halt_on_error=1:ignore_noninstrumented_modules=1',
}
CALLS = """
import sys
import paddle
from fuzz import bits, table
assert paddle._native_lib.__file__ == sys.argv[1]
sys.exit({check} bits.main(sys.argv[2:]))
"""
OMP = '#include <omp.h>\n'
PACKAGES = ('clang', 'libomp-dev', 'libclang-rt-dev')
# In CI only, where a check may install what it needs.
INSTALL = (
    ('apt-get', 'update'),
    ('apt-get', 'install', '-y', '--no-install-recommends', *PACKAGES),
)


def run_header():
    """{path that is included: text} of the header that decides which outputs
    non-temporal stores write, by which they write small ones too."""
    text = (ROOT / RUN).read_text('utf-8')
    lowered = text.replace(
        'StreamedBytes = 32 << 20', 'StreamedBytes = 64 << 10'
    )
    if lowered == text:
        sys.exit(f'{RUN}: the size of large outputs is not where it was')
    return {upstream_path(RUN): lowered}


def library(compiler, name):
    """The path of a compiler's library, or nothing."""
    path = check_output(compiler, f'-print-file-name={name}').strip()
    return path if path != name else ''


def find_clang():
    """The library that clang's sanitizers need, if there is a clang++ with it and
    with OpenMP's header; in CI, Debian's is installed."""
    probe = ('clang++', '-fopenmp', '-fsyntax-only', '-xc++', '-')
    for command in ((), *INSTALL * bool(os.environ.get('CI'))):
        if command and shutil.which(command[0]):
            print(run(*command).stderr, end='')
        if shutil.which('clang++') and not run(*probe, input=OMP).returncode:
            if path := library('clang++', 'libclang_rt.asan-x86_64.so'):
                return [path]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='look for races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--cases', type=int, default=CASES)
    options = parser.parse_args()
    build, kind = options.build_dir.absolute(), ('asan', 'tsan')[options.tsan]
    folder = build / 'sanitizers' / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'known').write_text(KNOWN)
    speed = load_series(ROOT).pull_requests['speed']
    # Optimized, the instrumented templates take four times as long to compile.
    forms = {
        'usual': ((), ' -Werror -O0'),
        'plain': (speed, ' -w -O0 -DSCATTER_OPS_PORTABLE'),
    }
    if kind == 'asan':
        preloaded, start = find_clang(), ()
        flags, link, compiler = ASAN, '', 'clang++'
    else:
        # Its memory does not fit into every random layout.
        preloaded, start = [library('g++', 'libtsan.so')], ('setarch', '-R')
        flags, compiler = f'{TSAN} -g1 -w', ''
        link = f'{TSAN} -fvisibility=hidden {THREADS}'
    if not any(preloaded):
        print(f'skipped: no {MISSING[kind]}')
        return SKIPPED
    preloaded.append(library('g++', 'libstdc++.so.6'))

    def run_form(form):
        """Builds the module; the digests of its results by `python -m fuzz.bits`."""
        without, defined = forms[form]
        texts = run_header() | texts_without(without)
        module = build_variant(
            build, folder / form, texts, flags + defined, link, compiler
        )
        environment = {
            **os.environ,
            **OPTIONS,
            'UBSAN_OPTIONS': f'halt_on_error=1:suppressions={folder}/known',
            'LD_PRELOAD': ' '.join(preloaded),
            'LD_LIBRARY_PATH': f'{module.parent}/libs',
            'PYTHONPATH': f'{folder / form}:{ROOT}',
        }
        bits = folder / f'{form}.txt'
        check = 'table.main() or' if form == 'usual' else ''
        calls = (
            '-c',
            CALLS.format(check=check),
            module,
            '--write',
            bits,
            '--seed',
            options.seed,
        )
        command = (*start, build / 'venv/bin/python', *calls)
        output = check_output(
            *command, '--cases', options.cases, env=environment
        )
        print(f'{kind}: {form}: {output}', end='')
        return bits.read_text().split()

    with ThreadPoolExecutor() as pool:
        digests = list(pool.map(run_form, forms))
    differing = [
        n for n, case in enumerate(zip(*digests)) if len(set(case)) > 1
    ]
    if differing:
        print(f'{kind}: seed {options.seed}: other bits in cases {differing}')
    return int(bool(differing))


if __name__ == '__main__':
    sys.exit(main())
