"""Compiles the GPU kernels for ROCm, which Paddle builds from the same files.

Against the stand-ins for Paddle, down to the code of an AMD GPU; nothing is
linked or run. It shows that the kernels keep to what both platforms have.

Exit status: 0 everything compiles, 1 something does not, 77 skipped because
hipcc is not installed (Debian: apt-get install hipcc libamdhip64-dev).
"""

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpu_tests.build import ROOT, STANDIN, torch_include
from gpu_tests.compile.check_gpu_compile import include_root, kernel_sources
from gpu_tests.compile.gpu_compiler import SKIPPED, Compiler, command_line

ARCHITECTURE = 'gfx906'
FLAGS = (
    '-x', 'hip', f'--offload-arch={ARCHITECTURE}', '-std=c++17', '-O1',
    '-DPADDLE_WITH_HIP',
)  # fmt: skip
# What only CUDA has, or means something else on a wavefront of 64 threads.
CUDA_ONLY = re.compile(
    r'\b(?:cuda[A-Z]\w*|__\w+_sync|__syncwarp|__trap|__byte_perm|__v\w+[24]|'
    r'__ballot|__any|__all|warpSize|asm)\b'
)


def gpu_sources():
    """Every file of kernels/ that is for GPUs alone."""
    files = sorted((ROOT / 'kernels').rglob('*.cu*'))
    return [
        path for path in files if path.suffix == '.cu' or 'gpu' in str(path)
    ]


def cuda_only_names(text):
    """The names in a source that ROCm lacks; comments do not count."""
    code = re.sub(r'//.*', '', text)
    return sorted(set(CUDA_ONLY.findall(code)))


def make_compiler(build_dir, hipcc):
    """hipcc with the stand-ins before everything else."""
    os.environ['HIP_PLATFORM'] = 'amd'  # not NVIDIA's, where nvcc is installed
    roots = [STANDIN, ROOT, include_root(ROOT, build_dir)]
    return Compiler(
        [hipcc], FLAGS, build_dir / 'rocm_compile', roots, torch_include()
    )


def main(arguments=None):
    parser = command_line(__doc__)
    add = parser.add_argument
    add('--only', default='', metavar='PART', help='of the names of the files')
    add('--hipcc', default='hipcc')
    options = parser.parse_args(arguments)
    hipcc = shutil.which(options.hipcc)
    if hipcc is None:
        print('skipped: hipcc is not installed')
        return SKIPPED
    build_dir = (options.build_dir or ROOT / 'build').resolve()
    compiler = make_compiler(build_dir, hipcc)
    return compiler.check_all(
        'check_rocm_compile', kernel_sources(ROOT), [ARCHITECTURE], options
    )


if __name__ == '__main__':
    sys.exit(main())
