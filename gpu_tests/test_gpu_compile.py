"""nvcc compiles the kernels for sm_80 and sm_90, without register spills.

Nothing is run, and nothing is compiled for ROCm.
"""

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from gpu_tests import build, ops
from scripts.common.files import PADDLE_INCLUDE
from scripts.common.programs import check_output, run

pytestmark = [
    pytest.mark.no_gpu,
    pytest.mark.skipif(
        shutil.which('nvcc') is None, reason='nvcc is not installed'
    ),
    pytest.mark.skipif(ops.is_emulated(), reason='--emulate needs no nvcc'),
]
# Packages with the headers of CUDA libraries that Paddle's headers include.
LIBRARIES = (
    'nvidia-cublas==13.10.0.20',
    'nvidia-cudnn-cu13==9.28.0.42',
    'nvidia-cufft==12.5.0.14',
    'nvidia-curand==10.4.5.25',
    'nvidia-cusolver==12.4.1.2',
    'nvidia-cusparse==12.9.4.2',
)
# CUB of CUDA 11.8 and 12.9.
CUB = 'nvidia-cuda-cccl-cu11==11.8.89.post1', 'nvidia-cuda-cccl-cu12==12.9.27'


def fetch_headers(folder, *packages):
    """Download headers to `folder`, once; return their include folders."""
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as wheels:
            pip = sys.executable, '-m', 'pip', 'download', '--quiet'
            check_output(*pip, '--no-deps', '--dest', wheels, *packages)
            for wheel in Path(wheels).iterdir():
                with zipfile.ZipFile(wheel) as archive:
                    names = [n for n in archive.namelist() if '/include/' in n]
                    archive.extractall(folder, names)
    return sorted(folder.glob('nvidia/*/include'))


def check_kernels(command):
    """Compile the kernels; spills are errors."""
    source = build.BUILD / 'gpu_kernels.cu'
    build.write_unity(build.kernel_files('.cu'), source)
    strict = '-Xptxas', '-warn-spills,-Werror'
    done = run(*command, *strict, '-c', source, '-o', source.with_suffix('.o'))
    assert done.returncode == 0, done.stdout + done.stderr


def test_headers_of_the_wheel():
    libraries = fetch_headers(build.BUILD / 'gpu_headers', *LIBRARIES)
    system = PADDLE_INCLUDE, PADDLE_INCLUDE / 'third_party', *libraries
    command = build.command('nvcc', build.NVCC_FLAGS, [build.INCLUDE], system)
    check_kernels(command)


@pytest.mark.parametrize('package', CUB)
def test_cub_of_older_cuda(package):
    cub = fetch_headers(build.BUILD / 'cub' / package, package)
    folders = *cub, build.INCLUDE
    check_kernels(build.stub_command('nvcc', build.NVCC_FLAGS, folders))


def test_module():
    assert 'masked_scatter float32' in dir(ops.library())
