"""Build the GPU kernels into a Python module for the tests.

kernels/gpu/*.cu are compiled unchanged, against gpu_tests/stub and the headers
of the Paddle wheel for the CPU. Neither a GPU nor a driver is required.
"""

import importlib.util
import re
import sysconfig
from pathlib import Path

from scripts.common.files import PADDLE_INCLUDE, write_if_changed
from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / 'build'
STUB = ROOT / 'gpu_tests' / 'stub'
EMULATOR = ROOT / 'gpu_tests' / 'emulator'
# Links kernels/ to its path in Paddle's tree.
INCLUDE = ROOT / 'native' / 'include'
# The wheel's own headers; the stub replaces Paddle's others.
REAL_HEADERS = r'paddle/(common/|phi/common/|phi/core/ddim\.h|utils/)'
# The CUDA runtime is static and hidden: PyTorch may load another version.
NVCC_FLAGS = (
    '-std=c++17', '-O3', '--expt-relaxed-constexpr', '--expt-extended-lambda',
    '-diag-suppress', '20012', '-Xcompiler', '-fPIC,-fvisibility=hidden',
    '-DPADDLE_WITH_CUDA', '-gencode', 'arch=compute_80,code=sm_80',
    '-gencode', 'arch=compute_90,code=sm_90', '--threads', '2',
    '-cudart', 'static', '-Xlinker', '--exclude-libs,ALL',
)  # fmt: skip


def library_path(folder='gpu_tests'):
    """Return the path of the Python module of the kernels."""
    return BUILD / folder / 'scatter_ops_gpu.so'


def kernel_files(*suffixes):
    """Return the files of kernels/ with these suffixes."""
    files = sorted((ROOT / 'kernels').rglob('*'))
    return [path for path in files if path.suffix in suffixes]


def stub_headers():
    """Write headers with Paddle's names that include the stub.

    Return their include folder.
    """
    folder = library_path().with_name('stub_headers')
    for path in kernel_files('.h', '.cu'):
        for name in re.findall(r'#include "(paddle/.+)"', path.read_text()):
            is_ours = (ROOT / name.replace('paddle/phi/', '')).is_file()
            if not is_ours and not re.match(REAL_HEADERS, name):
                stub = b'#include "paddle_stub.h"\n'
                write_if_changed(folder / name, stub)
    return folder


def command(compiler, flags, ours, system):
    """Return a compiler command with flags and include folders."""
    words = [compiler, *flags, *(f'-I{folder}' for folder in ours)]
    for folder in system:
        words += ['-isystem', str(folder)]
    return words


def stub_command(compiler, flags, folders):
    """Return a compiler command with the stub and its dependencies.

    These are the headers of Paddle, of Python, and of pybind11 in PyTorch.
    """
    ours = *folders, STUB, stub_headers()
    torch = Path(importlib.util.find_spec('torch').origin).parent
    python = sysconfig.get_path('include')
    system = PADDLE_INCLUDE, torch / 'include', python
    return command(compiler, flags, ours, system)


def write_unity(sources, path):
    """Write a source that includes all others; return its path.

    Compilers spend most of their time on headers.
    """
    text = ''.join(f'#include "{source}"\n' for source in sources)
    write_if_changed(path, text.encode())
    return path


def make_library(compiler, sources, library):
    """Compile and link, unless the library is up to date."""
    common = PADDLE_INCLUDE.parent / 'libs' / 'libcommon.so'
    linked = '-Xlinker', common, '-Xlinker', f'-rpath={common.parent}'
    stamp = library.with_suffix('.inputs')
    files = [*kernel_files('.h', '.cu'), *EMULATOR.iterdir(), *STUB.iterdir()]
    version = run(compiler[0], '--version').stdout
    inputs = f'{compiler} {version} {[path.read_bytes() for path in files]}'
    if library.is_file() and stamp.is_file() and stamp.read_text() == inputs:
        return
    sources = [*sources, STUB / 'module.cc']
    unit = write_unity(sources, library.with_name('unit.cu'))
    done = run(*compiler, '-shared', unit, *linked, '-o', library)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    stamp.write_text(inputs)


def make():
    """Build the library."""
    compiler = stub_command('nvcc', NVCC_FLAGS, [INCLUDE])
    make_library(compiler, kernel_files('.cu'), library_path())
