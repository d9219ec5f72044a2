"""Run the operators with sanitizers.

The CPU kernels are compiled by clang with AddressSanitizer, UBSan and -Werror,
or by GCC with ThreadSanitizer (--tsan), in three forms: with CPU dispatch, as
portable loops, and as such without the speed patches. All run `python -m fuzz`, the
first also against numpy; their results have to be bitwise identical.

Exit status: 0 success, 1 a fault or no build, 77 skipped: no compiler with
sanitizers.
"""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output, run
from scripts.dev.variant import build_variant, revert_edits
from scripts.series.manifest import load_series
from scripts.series.tree_edits import get_upstream_path

ROOT = Path(__file__).resolve().parents[2]
THREADS = ROOT / 'scripts/dev/sanitizer_threads.cc'
# Together, all kernels include them.
HEADERS = [
    f'kernels/funcs/scatter_ops/cpu/{name}.h'
    for name in ('parallel', 'strided_copy')
]
SKIPPED = 77
CASES = 3000  # random cases: every kernel for every dtype
# Expensive checks that AddressSanitizer covers, and checks of virtual and
# indirect calls, which need type information that Paddle does not ship.
DISABLED_CHECKS = (
    '-fno-sanitize=null,object-size,pointer-overflow,vptr,function'
)
ASAN = f'-fsanitize=address,undefined {DISABLED_CHECKS} -g1'
TSAN = '-fsanitize=thread'
PACKAGES = ('clang', 'libomp-dev', 'libclang-rt-dev')
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
module, bits, *cases = sys.argv[1:]
assert paddle._native_lib.__file__ == module
sys.exit({check} main([*cases, '--write', bits]))
"""
OMP = '#include <omp.h>\n'
# Only in CI, where a check may install packages.
INSTALL = (
    ('apt-get', 'update'),
    ('apt-get', 'install', '-y', '--no-install-recommends', *PACKAGES),
)


def lower_copy_threshold():
    """Return {include path: text} with long copies of smaller outputs, too."""
    old, new = 'kMinLarge = (32 << 20)', 'kMinLarge = (64 << 10)'
    texts = {x: (ROOT / x).read_text('utf-8') for x in HEADERS}
    if old not in texts[HEADERS[1]]:
        sys.exit(f'{HEADERS[1]}: expected `{old}`')
    return {get_upstream_path(x): t.replace(old, new) for x, t in texts.items()}


def find_library(compiler, name):
    """Return the path of a compiler's library, or an empty string."""
    path = check_output(compiler, f'-print-file-name={name}').strip()
    return path if path != name else ''


def find_clang():
    """Return [sanitizer library of clang++], or [] without it or omp.h.

    In CI, the packages are installed if necessary.
    """
    probe = ('clang++', '-fopenmp', '-fsyntax-only', '-xc++', '-')
    for command in ((), *INSTALL * bool(os.environ.get('CI'))):
        if command and shutil.which(command[0]):
            print(run(*command).stderr, end='')
        if shutil.which('clang++') and not run(*probe, input=OMP).returncode:
            if path := find_library('clang++', 'libclang_rt.asan-x86_64.so'):
                return [path]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='detect data races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--cases', type=int, default=CASES)
    options = parser.parse_args()
    build, kind = options.build_dir.absolute(), ('asan', 'tsan')[options.tsan]
    folder = build / 'sanitizers' / kind
    folder.mkdir(parents=True, exist_ok=True)
    suppressions = folder / 'suppressions'
    suppressions.write_text(SUPPRESSIONS)
    speed = load_series(ROOT).pull_requests['speed']
    # -O0: optimizing the instrumented templates takes four times as long.
    forms = {
        'dispatched': ((), ' -Werror -O0'),
        'portable': ((), ' -w -O0 -DSCATTER_OPS_PORTABLE'),
        'without_speed': (speed, ' -w -O0 -DSCATTER_OPS_PORTABLE'),
    }
    if kind == 'asan':
        preload, prefix = find_clang(), ()
        flags, link, compiler = ASAN, '', 'clang++'
        missing = 'clang++ with omp.h and sanitizers '
        missing += f'(Debian: {", ".join(PACKAGES)})'
    else:
        # Address space randomization may collide with TSan's shadow memory.
        preload, prefix = [find_library('g++', 'libtsan.so')], ('setarch', '-R')
        flags, compiler = f'{TSAN} -g1 -w', ''
        link = f'{TSAN} -fvisibility=hidden {THREADS}'
        missing = f'compiler with {TSAN}'
    if not any(preload):
        print(f'skipped: no {missing}')
        return SKIPPED
    preload.append(find_library('g++', 'libstdc++.so.6'))

    def run_form(form):
        """Build and run a form; return the digests of its results."""
        patches, form_flags = forms[form]
        texts = lower_copy_threshold() | revert_edits(patches)
        module = build_variant(
            build, folder / form, texts, flags + form_flags, link, compiler
        )
        environment = {
            **os.environ,
            **OPTIONS,
            'UBSAN_OPTIONS': f'halt_on_error=1:suppressions={suppressions}',
            'LD_PRELOAD': ' '.join(preload),
            'LD_LIBRARY_PATH': f'{module.parent}/libs',
            'PYTHONPATH': f'{folder / form}:{ROOT}',
        }
        bits = folder / f'{form}.txt'
        check = 'main(cases) or' if form == 'dispatched' else ''
        output = check_output(
            *(*prefix, build / 'venv/bin/python'),
            *('-c', CALLS.format(check=check), module, bits),
            *('--seed', options.seed, '--cases', options.cases),
            env=environment,
        )
        print(f'{kind}: {form}: {output.splitlines()[-1]}')
        return bits.read_text().split()

    with ThreadPoolExecutor() as pool:
        digests = list(pool.map(run_form, forms))
    faults = [n for n, case in enumerate(zip(*digests)) if len({*case}) > 1]
    if faults:
        print(f'{kind}: seed {options.seed}: bits differ in cases {faults}')
    return int(bool(faults))


if __name__ == '__main__':
    sys.exit(main())
