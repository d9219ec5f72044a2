"""The compile check finds what it is there for."""

import re
import shutil

import pytest

from gpu_tests import build
from gpu_tests.compile import check_gpu_compile

pytestmark = pytest.mark.no_gpu

GOOD = '__global__ void Fill(int* out) { out[threadIdx.x] = 1; }'
BROKEN = GOOD.replace('= 1;', '= one;')
# More numbers alive at once than two blocks of 1024 threads have registers for.
SPILLS = """
__global__ void __launch_bounds__(1024, 2) Sum(float* x) {
  float kept[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) kept[i] = x[threadIdx.x + i * 1024];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) x[threadIdx.x * 96 + i] = kept[95 - i];
}
"""
# What only CUDA has, or means something else on a wavefront of 64 threads.
CUDA_ONLY = re.compile(
    r'\b(?:cuda[A-Z]\w*|__\w+_sync|__syncwarp|__trap|__byte_perm|__v\w+[24]|'
    r'__ballot|__any|__all|warpSize|asm)\b'
)


@pytest.mark.skipif(shutil.which('nvcc') is None, reason='nvcc is missing')
@pytest.mark.parametrize(
    'text, said', [(GOOD, ''), (BROKEN, 'one'), (SPILLS, 'bytes spill')]
)
def test_faults_are_found(tmp_path, capsys, text, said):
    source = tmp_path / 'planted.cu'
    source.write_text(text)
    command = build.command('nvcc', build.NVCC_FLAGS)
    assert check_gpu_compile.is_clean(command, source) == (said == '')
    assert (said or 'clean') in capsys.readouterr().out


def cuda_only_names(text):
    return CUDA_ONLY.findall(re.sub(r'//.*', '', text))


def test_no_kernel_has_a_name_that_only_cuda_has():
    assert cuda_only_names('v = __shfl_up_sync(m, v, 1);') == ['__shfl_up_sync']
    assert cuda_only_names('__syncthreads();  // __syncwarp()') == []
    files = sorted((build.ROOT / 'kernels').rglob('*.cu*'))
    files = [p for p in files if p.suffix == '.cu' or 'gpu' in p.parts]
    names = {p.name: cuda_only_names(p.read_text()) for p in files}
    assert {'device.cu.h', 'masked_scatter_kernel.cu'} <= set(names)
    assert {name: found for name, found in names.items() if found} == {}
