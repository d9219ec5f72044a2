"""Compile the GPU kernels against the headers of the Paddle wheel.

nvcc compiles kernels/gpu for sm_80 and sm_90, then with stubs of Paddle against
the CUB of older CUDA releases. Register spills are an error. Nothing is run, and
nothing is compiled for ROCm.

Exit status: 0 success, 1 compile error or spills, 77 skipped because a program or
package is missing.
"""

import argparse
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpu_tests import build
from gpu_tests.build import ROOT
from scripts.common.programs import run
from scripts.common.wheel_headers import find_include

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
# {Debian package: one of its headers}
DEBIAN = {
    'libgoogle-glog-dev': Path('/usr/include/glog/logging.h'),
    'libeigen3-dev': Path('/usr/include/eigen3/Eigen/Core'),
}


def fetch_headers(folder, *packages):
    """Download headers to `folder`, once; return their include folders."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        stamp = folder / package
        if stamp.is_file():
            continue
        print(f'headers of {package}', flush=True)
        with tempfile.TemporaryDirectory() as wheels:
            pip = (sys.executable, '-m', 'pip', 'download', '--quiet')
            done = run(*pip, '--no-deps', '--dest', wheels, package)
            if done.returncode:
                raise RuntimeError(f'{package}: {done.stderr.strip()}')
            for wheel in Path(wheels).glob('*.whl'):
                with zipfile.ZipFile(wheel) as archive:
                    names = [n for n in archive.namelist() if '/include/' in n]
                    archive.extractall(folder, names)
        stamp.touch()
    return sorted(folder.glob('nvidia/*/include'))


def is_clean(command, source):
    """Return whether a source compiles without spills; print the faults."""
    strict = '-Xptxas', '-warn-spills,-Werror'
    done = run(*command, *strict, '-c', source, '-o', source.with_suffix('.o'))
    faults = done.returncode and (done.stdout + done.stderr or 'no message')
    print(f'{source.name}: {faults or "clean"}', flush=True)
    return not faults


def nvcc_command(options):
    """Return nvcc with the headers of the wheel, CUDA libraries and Debian."""
    paddle = options.include or find_include(ROOT)
    headers = fetch_headers(options.build_dir / 'gpu_headers', *LIBRARIES)
    system = [paddle, paddle / 'third_party', '/usr/include/eigen3', *headers]
    return build.command('nvcc', build.NVCC_FLAGS, [build.INCLUDE], system)


def skip_reason():
    """Return why nothing can be compiled, or ''."""
    if shutil.which('nvcc') is None:
        return 'nvcc is not installed'
    packages = [name for name, path in DEBIAN.items() if not path.is_file()]
    return f'apt-get install {" ".join(packages)}' if packages else ''


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--build-dir', type=Path, default=ROOT / 'build')
    add('--include', type=Path, help="the wheel's paddle/include")
    options = parser.parse_args()
    options.build_dir = options.build_dir.resolve()
    if reason := skip_reason():
        print(f'skipped: {reason}')
        return 77
    sources = build.kernel_files('.cu')
    unit = build.write_unity(sources, options.build_dir / 'gpu_kernels.cu')
    commands = [nvcc_command(options)]
    for package in CUB:
        cub = fetch_headers(options.build_dir / 'cub' / package, package)
        folders = [*cub, build.INCLUDE]
        commands.append(build.stub_command('nvcc', build.NVCC_FLAGS, folders))
    clean = [is_clean(command, unit) for command in commands]
    return int(not all(clean))


if __name__ == '__main__':
    sys.exit(main())
