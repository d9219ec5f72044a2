"""Build the GPU kernels for an emulation of CUDA on the CPU.

Launches `kernel<<<...>>>(...)` are rewritten to calls, and a few limits are
lowered. The host compiler compiles everything else unchanged, with sanitizers.
"""

import os
import re
import subprocess

from gpu_tests import build
from gpu_tests.build import ROOT
from scripts.common.files import write_if_changed

EMULATOR = ROOT / 'gpu_tests' / 'emulator'
# Without "shift": GCC 12 miscompiles `bits |= array[i] << i` if both bounds and
# shifts are checked.
CHECKS = (
    '-fsanitize=alignment,null,bounds,signed-integer-overflow,'
    'integer-divide-by-zero'
)
FLAGS = (
    '-std=c++17', '-O1', '-g1', '-fPIC', '-fvisibility=hidden', '-Wall',
    '-Wno-unknown-pragmas', '-U_FORTIFY_SOURCE', CHECKS,
    '-fno-sanitize-recover=all', '-include', 'cuda_runtime_api.h',
    '-static-libubsan',
)  # fmt: skip
REWRITES = {
    # kernel<<<launch configuration>>>(arguments
    r'(?s)([\w:]+(?:<[^;{}]*>)?)\s*<<<(.*?)>>>\(': (
        r'::cuda_emulator::Launch(&\1, \2, '
    ),
    # Limits that only large Tensors reach.
    r'(kMaxGpuBlocks =) 1 << 20;': r'\1 2;',
    r'(kChunk =) 256;': r'\1 8;',
    r'(kSumChunk =) 128;': r'\1 4;',
    r'(kScanChunk =) 1 << 24;': r'\1 1000;',
}


def library_path():
    """Return the path of the library."""
    return build.library_path('gpu_emulated')


def rewrite(text):
    """Rewrite a CUDA source to plain C++."""
    for pattern, replacement in REWRITES.items():
        text = re.sub(pattern, replacement, text)
    return text


def write_tree():
    """Write kernels/ as plain C++, *.cu as *.cc; return the folder."""
    folder = library_path().with_name('tree')
    files = build.kernel_files('.h', '.cu')
    texts = {path: path.read_text(encoding='utf-8') for path in files}
    gpu = ''.join(t for path, t in texts.items() if path.parent.name == 'gpu')
    for pattern in REWRITES:
        if not re.search(pattern, gpu):
            raise RuntimeError(f'no GPU source matches the rewrite {pattern}')
    for path, text in texts.items():
        below = path.relative_to(ROOT / 'kernels')
        if path.suffix == '.cu':
            below = below.with_suffix('.cc')
        target = folder / 'paddle' / 'phi' / 'kernels' / below
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(target, rewrite(text).encode())
    return folder


def compiler():
    """Return the command of the host compiler with the emulated CUDA."""
    program = os.environ.get('CXX', 'g++')
    return build.stub_command(program, FLAGS, [EMULATOR, write_tree()])


def make():
    """Build the library."""
    command = compiler()
    folder = library_path().with_name('tree') / 'paddle/phi/kernels/gpu'
    build.make_library(command, sorted(folder.glob('*.cc')), library_path())


def make_program(text, folder):
    """Build a program from one source; return its path."""
    source, program = folder / 'program.cc', folder / 'program'
    source.write_text(rewrite(text))
    subprocess.run([*compiler(), source, '-o', program], check=True)
    return program
