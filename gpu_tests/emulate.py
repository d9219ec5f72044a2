"""Builds the GPU kernels for an emulation of CUDA on the CPU.

Only launches are rewritten, `kernel<<<...>>>(...)` into a call; everything else
is compiled as it stands, with checks for undefined behaviour, by the host's own
compiler. Neither nvcc nor a GPU is needed.
"""

import os
import re
import subprocess

from gpu_tests import build
from gpu_tests.build import ROOT
from scripts.common.files import write_if_changed

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
    '-include', 'cuda_runtime_api.h', '-x', 'c++', '-static-libubsan',
)  # fmt: skip
# A kernel, the shape of the launch, the arguments.
_LAUNCH = r'(?s)([\w:]+(?:<[^;{}]*>)?)\s*<<<(.*?)>>>\((.*?)\);'
# What stands in plain C++ for it.
_CALL = r'::cuda_emulator::Launch([&] { \1(\3); }, \2);'


def library_path():
    """Where the library lies once it is built."""
    return build.build_folder() / 'gpu_emulated' / 'libscatter_ops_gpu.so'


def include_root():
    """A folder in which kernels/ stands as the emulation compiles it."""
    return library_path().with_name('tree')


def emulated(text):
    """A source of kernels as the emulation compiles it, in plain C++."""
    return re.sub(_LAUNCH, _CALL, text)


def write_tree():
    """kernels/ as the emulation compiles it; unchanged files stay as old."""
    found = []
    for path in sorted((ROOT / 'kernels').rglob('*')):
        if path.suffix not in ('.h', '.cu'):
            continue
        below = path.relative_to(ROOT / 'kernels')
        found.append(include_root() / 'paddle' / 'phi' / 'kernels' / below)
        text = emulated(path.read_text(encoding='utf-8'))
        write_if_changed(found[-1], text.encode())
    return found


def compiler(*flags):
    """The host's compiler with the emulated CUDA before everything else."""
    ours = EMULATOR, build.STANDIN, ROOT, include_root()
    program = os.environ.get('CXX', 'g++')
    return build.command(program, FLAGS + flags, ours, build.torch_include())


def make():
    """Builds the library."""
    kernels = [path for path in write_tree() if path.suffix == '.cu']
    sources = [*kernels, build.HARNESS, EMULATOR / 'emulator.cc']
    build.make_library(compiler('-shared'), sources, library_path())


def make_program(text, folder):
    """The program of one source and the emulator; its path."""
    source, program = folder / 'program.cu', folder / 'program'
    source.write_text(emulated(text))
    sources = source, EMULATOR / 'emulator.cc'
    subprocess.run([*compiler(), *sources, '-o', program], check=True)
    return program
