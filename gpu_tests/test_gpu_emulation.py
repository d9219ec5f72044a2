"""What the emulation of CUDA catches."""

import pytest

from gpu_tests import emulate
from scripts.common.programs import run

pytestmark = pytest.mark.no_gpu

SOURCE = """
#include <cstdio>
template <typename T>
__global__ void Kernel(T* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int sum = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
  FAULT
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, total);
}
int main() {
  int out = 0;
  Kernel<int><<<BLOCKS, 64>>>(&out);
  std::printf("%d %s", out, cudaGetErrorString(cudaGetLastError()));
}
"""
DIVERGED = 'if (threadIdx.x == 7) __shfl_xor_sync(0xffffffffu, 0, 0);'
MISALIGNED = 'if (*reinterpret_cast<int*>(((char*)out) + 1) == 7) return;'


@pytest.mark.parametrize(
    'fault, blocks, said',
    [
        ('', 50, '100800 no error'),
        ('', 0, '0 invalid configuration'),
        ('if (threadIdx.x > 40) return;', 50, '100800 no error'),
        (DIVERGED, 3, 'all threads of a block wait'),
        (MISALIGNED, 1, 'misaligned address'),
        ('printf("op: bad\\n"); __trap();', 2, 'op: bad'),
    ],
)
def test_kernel_runs_or_its_fault_is_told(tmp_path, fault, blocks, said):
    text = SOURCE.replace('FAULT', fault).replace('BLOCKS', str(blocks))
    program = emulate.make_program(text, tmp_path)
    done = run(program)
    assert said in done.stdout + done.stderr
    assert (done.returncode == 0) == ('error' in said or 'invalid' in said)
