"""Calls of the operators in modules whose CPU kernels are compiled otherwise.

By default with AddressSanitizer and UndefinedBehaviorSanitizer, or with
ThreadSanitizer (--tsan), twice: as the CPU chooses, and as portable loops without the
headers that the speed patches bring. The first runs `python -m fuzz.table` against
numpy, both the calls of `python -m fuzz.bits`, whose bits have to be the same. With
--clang the kernels are compiled by clang with optimization, where a warning is an
error, and run `python -m fuzz.table`.

Exit status: 0 nothing found, 1 a fault or nothing built yet, 77 skipped because the
compiler is not there or has no sanitizers.
"""

import argparse
import functools
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import made, run
from scripts.dev.variant import build_variant, texts_without
from scripts.series.manifest import read_manifest
from scripts.series.tree_edits import upstream_path

ROOT = Path(__file__).resolve().parents[2]
THREADS = ROOT / 'scripts/dev/sanitizer_threads.cc'
RUN = 'kernels/funcs/scatter_ops/cpu/run.h'
SKIPPED = 77
CASES = 600  # random ones, besides the table
# Left out are checks that cost much and that AddressSanitizer makes as well, and the
# one of virtual functions, which needs type information that Paddle does not ship.
UNUSED = '-fno-sanitize=null,object-size,pointer-overflow,vptr'
FLAGS = {
    'asan': f'-fsanitize=address,undefined {UNUSED}',
    'tsan': '-fsanitize=thread',
}
MISSING = {
    **{kind: f'compiler with {flags}' for kind, flags in FLAGS.items()},
    'clang': 'clang++ with omp.h (Debian: clang, libomp-dev)',
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
# In CI only, where a check may install what it needs; --clang needs the header omp.h.
INSTALL = (
    ['apt-get', 'update'],
    [
        'apt-get',
        'install',
        '-y',
        '--no-install-recommends',
        'clang',
        'libomp-dev',
    ],
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


def find_clang():
    """Whether there is a clang++ with OpenMP's header; in CI, Debian's is
    installed."""
    probe = ('clang++', '-fopenmp', '-fsyntax-only', '-xc++', '-')
    for command in ((), *INSTALL * bool(os.environ.get('CI'))):
        if command and shutil.which(command[0]):
            print(run(*command).stderr, end='')
        if shutil.which('clang++') and not run(*probe, input=OMP).returncode:
            return True
    return False


def find_libraries(kind):
    """The libraries that a Python has to load first: paths, if they are there."""
    names = (f'lib{kind}.so', 'libstdc++.so.6')
    found = [made('g++', f'-print-file-name={name}').strip() for name in names]
    return found if found[0] != names[0] else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    kinds = parser.add_mutually_exclusive_group()
    add_kind = functools.partial(
        kinds.add_argument, action='store_const', dest='kind', default='asan'
    )
    add_kind('--tsan', const='tsan', help='look for races')
    add_kind('--clang', const='clang', help='compile with clang instead')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--cases', type=int, default=CASES)
    options = parser.parse_args()
    build, kind = options.build_dir.absolute(), options.kind
    folder = build / 'sanitizers' / kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'known').write_text(KNOWN)
    speed = read_manifest(ROOT).pull_requests['speed']
    forms = {'usual': ((), ''), 'plain': (speed, ' -DSCATTER_OPS_PORTABLE')}
    start, preloaded, compiler = (), (), ''
    if kind == 'clang':
        # -O3 takes twice as long to compile
        flags, link = '-Werror -O1', ''
        ready, compiler = find_clang(), 'clang++'
        del forms['plain']
    else:
        ready = preloaded = find_libraries(kind)
        flags, link = f'{FLAGS[kind]} -O0 -g1 -w', FLAGS[kind]
    if not ready:
        print(f'skipped: no {MISSING[kind]}')
        return SKIPPED
    if kind == 'tsan':
        # Its memory does not fit into every random layout.
        start = ('setarch', '-R')
        link += f' -fvisibility=hidden {THREADS}'

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
        said = made(*command, '--cases', options.cases, env=environment)
        print(f'{kind}: {form}: {said}', end='')
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
