"""Random calls of the operators, with the compiler's sanitizers looking on.

The CPU kernels are compiled twice: as the CPU chooses, and as portable loops without
the headers that the speed patches bring. Both make the calls of `python -m
fuzz.bits`, and have to give the same bits; that these are right is for the tests of
the operators. AddressSanitizer and UndefinedBehaviorSanitizer look on, or
ThreadSanitizer with --tsan.

Exit status: 0 nothing found, 1 a fault or nothing built yet, 77 skipped because the
compiler has no sanitizers.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import made
from scripts.dev.variant import build_variant, texts_without
from scripts.series.manifest import read_manifest
from scripts.series.tree_edits import upstream_path

ROOT = Path(__file__).resolve().parents[2]
THREADS = ROOT / 'scripts/dev/sanitizer_threads.cc'
RUN = 'kernels/funcs/scatter_ops/cpu/run.h'
SKIPPED = 77
# Left out are checks that cost much and that AddressSanitizer makes as well, and the
# one of virtual functions, which needs type information that Paddle does not ship.
UNUSED = '-fno-sanitize=null,object-size,pointer-overflow,vptr'
FLAGS = {
    'asan': f'-fsanitize=address,undefined {UNUSED}',
    'tsan': '-fsanitize=thread',
}
# Paddle's conversion of small numbers to float16 shifts by too many bits.
KNOWN = 'shift-exponent:*/phi/common/float16.h\n'
# Paddle itself is not compiled for them. What it frees otherwise than it got it, or
# never, and how its own threads wait for each other is not looked at.
OPTIONS = {
    'ASAN_OPTIONS': 'detect_leaks=0:alloc_dealloc_mismatch=0',
    'TSAN_OPTIONS': 'halt_on_error=1:ignore_noninstrumented_modules=1',
    'FLAGS_use_system_allocator': '1',  # of malloc they know where it ends
}
CALLS = """
import sys
import paddle
from fuzz.bits import main
assert paddle._native_lib.__file__ == sys.argv[1]
sys.exit(main(sys.argv[2:]))
"""


def run_header():
    """{path that is included: text} of the header that decides which outputs are
    stored past the caches, by which small ones are too."""
    text = (ROOT / RUN).read_text('utf-8')
    lowered = text.replace('kLeast = 32 << 20', 'kLeast = 64 << 10')
    if lowered == text:
        sys.exit(f'{RUN}: the size of large outputs is not where it was')
    return {upstream_path(RUN): lowered}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='look for races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--cases', type=int, default=2000)
    options = parser.parse_args()
    build = options.build_dir.absolute()
    kind = 'tsan' if options.tsan else 'asan'
    folder = build / 'sanitizers' / kind
    folder.mkdir(parents=True, exist_ok=True)
    # The libraries that a Python has to load first: paths, if they are there.
    names = (f'lib{kind}.so', 'libstdc++.so.6')
    preloaded = [made('g++', f'-print-file-name={x}').strip() for x in names]
    if preloaded[0] == names[0]:
        print(f'skipped: the compiler has no {FLAGS[kind]}')
        return SKIPPED
    (folder / 'known').write_text(KNOWN)
    # The memory of a thread sanitizer does not fit into every random layout.
    start = ('setarch', '-R') if kind == 'tsan' else ()
    speed = read_manifest(ROOT).pull_requests['speed']
    bits = ('--write', folder / 'bits')
    flags = f'{FLAGS[kind]} -O0 -g1 -w'
    link = FLAGS[kind]
    if kind == 'tsan':
        link += f' -fvisibility=hidden {THREADS}'
    forms = {'usual': ((), ''), 'plain': (speed, ' -DSCATTER_OPS_PORTABLE')}

    def build_form(form):
        without, defined = forms[form]
        texts = run_header() | texts_without(without)
        return build_variant(build, folder / form, texts, flags + defined, link)

    with ThreadPoolExecutor() as pool:
        modules = list(pool.map(build_form, forms))
    for form, module in zip(forms, modules):
        environment = {
            **os.environ,
            **OPTIONS,
            'UBSAN_OPTIONS': f'halt_on_error=1:suppressions={folder}/known',
            'LD_PRELOAD': ' '.join(preloaded),
            'LD_LIBRARY_PATH': f'{module.parent}/libs',
            'PYTHONPATH': f'{folder / form}:{ROOT}',
        }
        numbers = ('--seed', options.seed, '--cases', options.cases)
        command = (*start, build / 'venv/bin/python', '-c', CALLS, module)
        made(*command, *numbers, *bits, env=environment)
        bits = ('--against', folder / 'bits')
        print(f'{kind}: {form}: {options.cases} cases, clean')
    return 0


if __name__ == '__main__':
    sys.exit(main())
