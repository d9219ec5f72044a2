"""Build the GPU kernels for an emulation of CUDA on the CPU.

Launches `kernel<<<...>>>(...)` are rewritten to calls, and a few limits are
lowered. The host compiler compiles everything else unchanged, with sanitizers.

`python -m gpu_tests.emulate` runs the tests of the kernels under ThreadSanitizer.
Arguments are passed to pytest.
"""

import os
import re
import subprocess
import sys

from gpu_tests import build
from gpu_tests.build import EMULATOR, ROOT
from scripts.common.files import write_if_changed
from scripts.common.programs import check_output, run

KERNEL_TESTS = ROOT / 'gpu_tests' / 'test_gpu_kernels.py'
# An environment variable, so that child processes inherit it.
TSAN = 'SCATTER_OPS_EMULATE_TSAN'
# Python, PyTorch and Paddle are not instrumented.
TSAN_OPTIONS = 'halt_on_error=1:ignore_noninstrumented_modules=1:suppressions='
# Zeros for equal index entries are stored to the same element.
SUPPRESSIONS = 'race:ComputeLinearGrad*lambda(long)#3\n'
# Without "shift": GCC 12 miscompiles `bits |= array[i] << i` if both bounds and
# shifts are checked.
CHECK_FLAGS = (
    '-fsanitize=alignment,null,bounds,signed-integer-overflow,'
    'integer-divide-by-zero', '-fno-sanitize-recover=all', '-static-libubsan',
)  # fmt: skip
FLAGS = (
    '-x', 'c++', '-std=c++17', '-O1', '-g1', '-fPIC', '-fvisibility=hidden', '-Wall',
    '-Wno-unknown-pragmas', '-U_FORTIFY_SOURCE', '-include',
    'cuda_runtime_api.h',
)  # fmt: skip
TSAN_FLAGS = ('-fsanitize=thread',)
REWRITES = {
    # kernel<<<launch configuration>>>(arguments
    r'(?s)([\w:]+(?:<[^;{}]*>)?)\s*<<<(.*?)>>>\(': (
        r'::cuda_emulator::Launch(&\1, \2, '
    ),
    # Few threads, so that ThreadSanitizer can run all of them at once.
    r'(kGpuThreads =) 256;': r'\1 4;',
    # Limits that only large Tensors reach.
    r'(kMaxGpuBlocks =) 1 << 20;': r'\1 2;',
    r'(kChunkEntries =) 256;': r'\1 8;',
    r'(kSumChunk =) 128;': r'\1 4;',
    r'(kScanChunk =) 1 << 24;': r'\1 1000;',
}


def is_tsan():
    """Return whether ThreadSanitizer checks the kernels."""
    return os.environ.get(TSAN) == '1'


def library_path():
    """Return the path of the library."""
    folder = 'gpu_emulated_tsan' if is_tsan() else 'gpu_emulated'
    return build.library_path(folder)


def rewrite(text):
    """Rewrite a CUDA source to plain C++."""
    for pattern, replacement in REWRITES.items():
        text = re.sub(pattern, replacement, text)
    return text


def write_tree():
    """Write kernels/ as plain C++; return the folder."""
    folder = library_path().with_name('tree')
    files = build.kernel_files('.h', '.cu')
    texts = {path: path.read_text(encoding='utf-8') for path in files}
    gpu = ''.join(t for path, t in texts.items() if path.parent.name == 'gpu')
    for pattern in REWRITES:
        if not re.search(pattern, gpu):
            raise RuntimeError(f'no GPU source matches the rewrite {pattern}')
    for path, text in texts.items():
        target = folder / 'paddle/phi' / path.relative_to(ROOT)
        write_if_changed(target, rewrite(text).encode())
    return folder


def compiler():
    """Return the command of the host compiler with the emulated CUDA."""
    program = 'g++' if is_tsan() else os.environ.get('CXX', 'g++')
    flags = *FLAGS, *(TSAN_FLAGS if is_tsan() else CHECK_FLAGS)
    return build.stub_command(program, flags, [EMULATOR, write_tree()])


def make():
    """Build the library."""
    command = compiler()
    folder = library_path().with_name('tree') / 'paddle/phi/kernels/gpu'
    build.make_library(command, sorted(folder.glob('*.cu')), library_path())


def make_program(text, folder):
    """Build a program from one source; return its path."""
    source, program = folder / 'program.cc', folder / 'program'
    source.write_text(rewrite(text))
    subprocess.run([*compiler(), source, '-o', program], check=True)
    return program


def run_tsan(*command):
    """Run a program under ThreadSanitizer; return the completed process."""
    library = check_output('g++', '-print-file-name=libtsan.so').strip()
    suppressions = library_path().with_name('suppressions')
    suppressions.write_text(SUPPRESSIONS)
    options = f'{TSAN_OPTIONS}{suppressions}'
    environment = {**os.environ, 'LD_PRELOAD': library, 'TSAN_OPTIONS': options}
    # Address space randomization may collide with its shadow memory.
    return run('setarch', '-R', *command, env=environment)


def main():
    """Run the tests of the kernels under ThreadSanitizer."""
    os.environ[TSAN] = '1'
    make()
    pytest = sys.executable, '-m', 'pytest', '-s', '--emulate', KERNEL_TESTS
    done = run_tsan(*pytest, *sys.argv[1:])
    print(done.stdout, done.stderr)
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
