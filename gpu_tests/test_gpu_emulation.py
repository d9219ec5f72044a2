"""What the emulation of CUDA catches."""

import pytest

from gpu_tests import emulate
from scripts.common.programs import run

pytestmark = pytest.mark.no_gpu

SOURCE = """
#include <cstdio>
template <typename T>
__global__ void Kernel(T* out) {
  __shared__ T values[64];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (T value : values) out[blockIdx.x] += value;
}
int main() {
  int out[50] = {};
  Kernel<int><<<50, 64, 0, out>>>(out);
  int sum = 0;
  for (int value : out) sum += value;
  std::printf("%d %s", sum, cudaGetErrorString(cudaGetLastError()));
}
"""
BARRIER = '__syncthreads();'
MISALIGNED = 'if (*reinterpret_cast<int*>(((char*)out) + 1) == 7) return;'


@pytest.mark.parametrize(
    'line, instead, fails, said',
    [
        ('<<<50', '<<<50', False, '100800 no error'),
        ('<<<50', '<<<0', False, '0 invalid configuration'),
        ('0, out>>>', '0, nullptr>>>', True, 'outside the stream'),
        (BARRIER, f'if (threadIdx.x > 40) return; {BARRIER}', True, 'miss'),
        (BARRIER, f'if (threadIdx.x == 7) {BARRIER} {BARRIER}', True, 'miss'),
        (BARRIER, MISALIGNED, True, 'misaligned address'),
        (BARRIER, 'printf("op: bad\\n"); __trap();', True, 'op: bad'),
        (BARRIER, '', False, ' no error'),
    ],
)
def test_program(tmp_path, line, instead, fails, said):
    assert line in SOURCE
    program = emulate.make_program(SOURCE.replace(line, instead), tmp_path)
    done = run(program)
    assert said in done.stdout + done.stderr
    assert (done.returncode != 0) == fails
    # what a missing barrier allows happens
    assert (done.stdout == '100800 no error') == (line == instead)
