"""Builds the GPU kernels for an emulation of CUDA on the CPU.

Only launches are rewritten, `kernel<<<...>>>(...)` into a call, and volatile
stores, which get a pause; everything else is compiled as it stands, with checks for undefined behaviour, by the host's
own compiler. Neither nvcc nor a GPU is needed.
"""

import argparse
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gpu_tests import build
from gpu_tests.compile.gpu_compiler import Compiler
from scripts.common.files import write_if_changed

ROOT = Path(__file__).resolve().parents[1]
NAME = 'libscatter_ops_emulated.so'
EMULATOR = ROOT / 'gpu_tests' / 'emulator'
# Not all of them: GCC 12 miscompiles `bits |= array[i] << i` where both bounds
# and shifts are checked.
CHECKS = (
    '-fsanitize=alignment,null,bounds,signed-integer-overflow,'
    'integer-divide-by-zero'
)
FLAGS = (
    '-std=c++17', '-O1', '-g1', '-fPIC', '-fvisibility=hidden', '-Wall',
    '-Wno-unknown-pragmas', '-U_FORTIFY_SOURCE', '-DPADDLE_WITH_CUDA',
    CHECKS, '-fno-sanitize-recover=all',
    '-include', 'device_code.h', '-x', 'c++',
)  # fmt: skip
LINK_FLAGS = ('-shared', '-pthread', CHECKS, '-static-libubsan')
OPEN, CLOSE = '<<<', '>>>'
_VOLATILE_STORE = re.compile(
    r'\*(reinterpret_cast<volatile (\w+)\*>\(\w+\)) =([^;]+);'
)
_ALIGNED = re.compile(r'__shared__\s+(alignas\(\d+\))')


def folder():
    """Where everything of the emulation lies."""
    return build.build_folder() / 'gpu_emulated'


def library_path():
    """Where the library lies once it is built."""
    return folder() / NAME


def _kernel_start(text, end):
    """Where the expression that ends at `end` begins: a name, its arguments."""
    start = len(text[:end].rstrip())
    if text[start - 1] == '>':
        depth = 0
        while True:
            start -= 1
            depth += {'>': 1, '<': -1}.get(text[start], 0)
            if depth == 0:
                break
    while re.match(r'[\w:]', text[start - 1]):
        start -= 1
    return start


def _closing(text, start):
    """Where the bracket at `start` is closed."""
    depth = 0
    for i in range(start, len(text)):
        depth += {'(': 1, ')': -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError('a launch is not closed')


def without_launches(text):
    """The same source in plain C++."""
    text = _ALIGNED.sub(r'\1 __shared__', text)
    while OPEN in text:
        opened = text.index(OPEN)
        closed = text.index(CLOSE, opened)
        start = _kernel_start(text, opened)
        first = text.index('(', closed)
        last = _closing(text, first)
        kernel = text[start:opened].strip()
        shape = text[opened + len(OPEN) : closed]
        call = f'{kernel}{text[first : last + 1]}'
        text = (
            f'{text[:start]}::cuda_emulator::Launch({shape}, [&] {{ {call}; }})'
            f'{text[last + 1 :]}'
        )
    return text


def with_slow_stores(text):
    """The same source, whose volatile stores are followed by a pause.

    Two stores where one was meant are then seen apart by other blocks.
    """
    return _VOLATILE_STORE.sub(
        r'::cuda_emulator::VolatileStore<\2>(\1,\3);', text
    )


def emulated(text):
    """A source of kernels as the emulation compiles it."""
    return with_slow_stores(without_launches(text))


def kernel_sources():
    """Every file of kernels/ that may go into a GPU kernel."""
    files = sorted((ROOT / 'kernels').rglob('*'))
    return [path for path in files if path.suffix in ('.h', '.cu')]


def in_paddle(path):
    """Where a file of kernels/ stands below Paddle's include folder."""
    below = path.relative_to(ROOT / 'kernels')
    return Path('paddle', 'phi', 'kernels') / below


def write_tree():
    """kernels/ as the emulation compiles it; unchanged files stay as old."""
    found = []
    for path in kernel_sources():
        found.append(folder() / 'tree' / in_paddle(path))
        text = emulated(path.read_text(encoding='utf-8'))
        write_if_changed(found[-1], text.encode())
    return found


def make_compiler():
    """The host's compiler with the emulated CUDA before everything else."""
    roots = [EMULATOR, ROOT / 'gpu_tests' / 'standin', ROOT, folder() / 'tree']
    program = [os.environ.get('CXX', 'g++')]
    return Compiler(program, FLAGS, folder() / 'objects', roots)


def make(jobs=2, say=print):
    """True if the library could be built."""
    sources = [path for path in write_tree() if path.suffix == '.cu']
    sources += build.harness_sources()
    sources += [EMULATOR / 'emulator.cc']
    return build.make_library(
        make_compiler(), sources, library_path(), LINK_FLAGS, jobs, say
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build-dir', type=Path, help='default: build')
    parser.add_argument('--jobs', '-j', type=int, default=2)
    options = parser.parse_args(arguments)
    if options.build_dir:
        os.environ[build.BUILD_DIR] = str(options.build_dir.resolve())
    return 0 if make(options.jobs) else 1


if __name__ == '__main__':
    sys.exit(main())
