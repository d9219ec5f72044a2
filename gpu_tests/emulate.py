"""Builds the GPU kernels for an emulation of CUDA on the CPU.

Only launches are rewritten, `kernel<<<...>>>(...)` into a call; everything else
is compiled as it stands, with checks for undefined behaviour, by the host's own
compiler. Neither nvcc nor a GPU is needed.
"""

import os
import re
import subprocess
from pathlib import Path

from gpu_tests import build
from gpu_tests.build import ROOT
from gpu_tests.compile.gpu_compiler import Compiler
from scripts.common.files import tree_sha256, write_if_changed

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
# A kernel, the shape of the launch, the arguments.
_LAUNCH = r'(?s)([\w:]+(?:<[^;{}]*>)?)\s*<<<(.*?)>>>\((.*?)\);'
# What stands in plain C++ for it.
_CALL = r'::cuda_emulator::Launch([&] { \1(\3); }, \2);'


def folder():
    """Where everything of the emulation lies."""
    return build.build_folder() / 'gpu_emulated'


def library_path():
    """Where the library lies once it is built."""
    return folder() / NAME


def emulated(text):
    """A source of kernels as the emulation compiles it, in plain C++."""
    return re.sub(_LAUNCH, _CALL, text)


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
    roots = [EMULATOR, build.STANDIN, ROOT, folder() / 'tree']
    program = [os.environ.get('CXX', 'g++')]
    # Which no source includes by itself.
    headers = tree_sha256(sorted(EMULATOR.glob('*.h')))
    objects, system = folder() / 'objects', build.torch_include()
    return Compiler(program, FLAGS, objects, roots, system, extra=headers)


def make(jobs=2, say=print):
    """True if the library could be built."""
    kernels = [path for path in write_tree() if path.suffix == '.cu']
    sources = [*kernels, *build.harness_sources(), EMULATOR / 'emulator.cc']
    return build.make_library(
        make_compiler(), sources, library_path(), LINK_FLAGS, jobs, say
    )


def make_program(text, folder, checks=()):
    """The program of one source and the emulator; its path.

    What lies in `folder` hides the kernels' own sources.
    """
    write_tree()
    compiler = make_compiler()
    parts = [EMULATOR / 'emulator.cc', EMULATOR / 'races.cc']
    for outcome in compiler.compile_all(parts, jobs=2):
        if outcome.error:
            raise RuntimeError(outcome.error)
    source, program = folder / 'program.cu', folder / 'program'
    source.write_text(emulated(text))
    command = [*compiler.program, f'-I{folder}', *compiler.flags, *checks]
    command += ['-c', source, '-o', folder / 'program.o']
    subprocess.run(command, check=True)
    # without `checks`: if these are those for races, races.cc has what they call
    command = [*compiler.program, folder / 'program.o', '-o', program]
    command += [compiler.object_of(part) for part in parts]
    command += ['-pthread', CHECKS, '-static-libubsan']
    subprocess.run(command, check=True)
    return program
