"""Builds the GPU kernels without Paddle into one library for the tests.

kernels/gpu/*.cu are compiled as they are; the few types of Paddle that they
use come from gpu_tests/standin. No GPU and no driver is needed to build.

Exit status: 0 built, 1 something does not compile, 77 nvcc is not installed.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gpu_tests.compile import gpu_compiler
from gpu_tests.compile.check_gpu_compile import include_root
from scripts.common.files import sha256, write_atomic
from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[1]
# Set in the environment, so that the tests look in the same place.
BUILD_DIR = 'SCATTER_OPS_BUILD_DIR'
NAME = 'libscatter_ops_gpu.so'
STANDIN = ROOT / 'gpu_tests' / 'standin'
HIDE_NAMES = ('-Xcompiler', '-fvisibility=hidden')
# The runtime is linked in, and hidden: PyTorch may bring another one.
LINK_FLAGS = ('-shared', '-cudart', 'static', '-Xlinker', '--exclude-libs,ALL')


def build_folder():
    """The build folder of the project."""
    return Path(os.environ.get(BUILD_DIR, ROOT / 'build')).resolve()


def library_path():
    """Where the library lies once it is built."""
    return build_folder() / 'gpu_tests' / NAME


def harness_sources():
    """What makes the kernels callable."""
    return sorted((ROOT / 'gpu_tests' / 'harness').glob('*.cu'))


def torch_include():
    """PyTorch's headers, of which the stand-ins take the half types."""
    spec = importlib.util.find_spec('torch')
    return [Path(spec.origin).parent / 'include'] if spec else []


def make_compiler(nvcc='nvcc', architectures=gpu_compiler.ARCHITECTURES):
    """nvcc with the stand-ins before everything else."""
    return gpu_compiler.Compiler(
        [nvcc],
        [*gpu_compiler.nvcc_flags(architectures), *HIDE_NAMES],
        build_folder() / 'gpu_tests' / 'objects',
        [STANDIN, ROOT, include_root(ROOT, build_folder())],
        torch_include(),
    )


def link(compiler, flags, objects, library):
    """'' or what the linker said. Does nothing if no object has changed."""
    stamp = library.with_suffix('.inputs')
    inputs = [' '.join(flags).encode(), *(p.read_bytes() for p in objects)]
    digest = sha256(b''.join(inputs))
    if library.is_file() and stamp.is_file() and stamp.read_text() == digest:
        return ''
    stamp.unlink(missing_ok=True)
    command = [*compiler.program, *map(str, objects), *flags]
    done = run(*command, '-o', library)
    if done.returncode:
        return done.stdout + done.stderr
    write_atomic(stamp, digest.encode())
    return ''


def make_library(compiler, files, library, link_flags, jobs, say):
    """True if all compiles and links; `say` gets lines to show."""
    failed = False
    for outcome in compiler.compile_all(files, jobs):
        say(outcome.describe())
        failed |= bool(outcome.error)
    if failed:
        return False
    objects = [compiler.object_of(source) for source in files]
    error = link(compiler, link_flags, objects, library)
    say(error or str(library))
    return not error


def make(compiler=None, jobs=2, say=print):
    """True if the library could be built."""
    compiler = compiler or make_compiler()
    kernels = sorted((ROOT / 'kernels' / 'gpu').glob('*.cu'))
    sources = [*kernels, *harness_sources()]
    return make_library(
        compiler, sources, library_path(), LINK_FLAGS, jobs, say
    )


def check():
    """True if the tests that need no GPU pass."""
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider']
    command += ['-m', 'no_gpu', 'gpu_tests']
    return subprocess.run(command, cwd=ROOT).returncode == 0


def main(arguments=None):
    parser = gpu_compiler.command_line(__doc__)
    add = parser.add_argument
    add('--nvcc', default='nvcc')
    arch = {'nargs': '+', 'default': gpu_compiler.ARCHITECTURES}
    add('--arch', **arch, help='compute capabilities, without the point')
    add('--check', action='store_true', help='run the tests that need no GPU')
    options = parser.parse_args(arguments)
    if options.build_dir:
        os.environ[BUILD_DIR] = str(options.build_dir.resolve())
    nvcc = gpu_compiler.find_nvcc(options.nvcc)
    if nvcc is None:
        print('skipped: nvcc is not installed')
        return gpu_compiler.SKIPPED
    good = make(make_compiler(nvcc, options.arch), options.jobs)
    return 0 if good and (not options.check or check()) else 1


if __name__ == '__main__':
    sys.exit(main())
