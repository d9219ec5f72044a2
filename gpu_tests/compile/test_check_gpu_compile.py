"""The compile check detects register spills."""

import shutil

import pytest

from gpu_tests import build
from gpu_tests.compile import check_gpu_compile

pytestmark = pytest.mark.no_gpu
# More live values than registers in a thread of two blocks of 1024.
SPILLS = """
__global__ void __launch_bounds__(1024, 2) Reverse(float* x) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = x[threadIdx.x + i * 1024];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) x[threadIdx.x * 96 + i] = values[96 - 1 - i];
}
"""


@pytest.mark.skipif(shutil.which('nvcc') is None, reason='nvcc is missing')
@pytest.mark.parametrize('values', [8, 96])
def test_is_clean_detects_spills(tmp_path, capsys, values):
    source = tmp_path / 'kernel.cu'
    source.write_text(SPILLS.replace('96', str(values)))
    command = build.command('nvcc', build.NVCC_FLAGS)
    assert check_gpu_compile.is_clean(command, source) == (values == 8)
    message = 'clean' if values == 8 else 'bytes spill'
    assert message in capsys.readouterr().out
