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
MISALIGNED = 'if (*reinterpret_cast<int*>(((char*)out) + 1) == 7) return;'


def run_with(tmp_path, line, instead):
    """What the program says with another line."""
    assert line in SOURCE
    text = SOURCE.replace(line, instead)
    done = run(emulate.make_program(text, tmp_path))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    'line, instead, said',
    [
        ('<<<50', '<<<50', '100800 no error'),
        ('<<<50', '<<<0', '0 invalid configuration'),
        ('0, out>>>', '0, nullptr>>>', 'outside the stream'),
    ],
)
def test_launches(tmp_path, line, instead, said):
    status, text = run_with(tmp_path, line, instead)
    assert said in text
    assert (status == 0) == ('configuration' in said or 'error' in said)


@pytest.mark.parametrize(
    'fault, said',
    [
        ('if (threadIdx.x > 40) return;', 'some threads miss'),
        ('if (threadIdx.x == 7) __syncthreads();', 'some threads miss'),
        (MISALIGNED, 'misaligned address'),
        ('printf("op: bad\\n"); __trap();', 'op: bad'),
    ],
)
def test_faults_are_told(tmp_path, fault, said):
    barrier = '__syncthreads();'
    status, text = run_with(tmp_path, barrier, fault + barrier)
    assert said in text
    assert status != 0


def test_missing_barrier_shows(tmp_path):
    status, text = run_with(tmp_path, '__syncthreads();', '')
    assert status == 0
    assert '100800' not in text
