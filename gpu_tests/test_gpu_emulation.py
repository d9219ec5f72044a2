"""The emulation of CUDA detects injected faults."""

import pytest

from gpu_tests import emulate
from scripts.common.programs import run

pytestmark = pytest.mark.no_gpu

SOURCE = """
#include <cstdio>
#include "cub.h"
__global__ void Add(int* out, int value) {
  atomicAdd(out + blockIdx.x, value + static_cast<int>(threadIdx.x));
}
int main() {
  void* stream = &stream;
  int* out;
  cudaMallocAsync(reinterpret_cast<void**>(&out), 64, stream);
  cudaMemsetAsync(out, 0, 64, stream);
  int value = 1;
  Add<<<16, 4, 0, stream>>>(out, value);
  value = 100;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, out, out, 16, stream);
  void* storage;
  cudaMallocAsync(&storage, bytes, stream);
  cub::DeviceScan::InclusiveSum(storage, bytes, out, out, 16, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d", out[15]);
}
"""
EXPECTED = '160'


@pytest.mark.parametrize(
    'text, fault, message',
    [
        ('', '', EXPECTED),
        ('<<<16', '<<<0', 'no blocks'),
        ('4, 0, stream', '4, 0, nullptr', 'outside the stream'),
        ('out + blockIdx.x', 'out + blockIdx.x + 1', ''),
        ('out + blockIdx.x', '(int*)((char*)out + 1)', 'misaligned address'),
        ('  cudaStreamSynchronize(stream);', '', None),
        ('&storage, bytes,', '&storage, --bytes,', 'too little storage'),
        ('storage, bytes, out', 'out, bytes, out', ''),
        ('atomicAdd(out', 'std::puts("op: bad"), __trap(), (out', 'op: bad'),
    ],
)
def test_detects_fault(tmp_path, text, fault, message):
    assert text in SOURCE
    program = emulate.make_program(SOURCE.replace(text, fault), tmp_path)
    done = run(program)
    output = done.stdout + done.stderr
    assert (message or '') in output
    assert (output == EXPECTED) == (not text)


@pytest.mark.skipif(
    run('setarch', '-R', 'true').returncode != 0,
    reason='address space randomization cannot be disabled here',
)
def test_detects_race(tmp_path, monkeypatch):
    monkeypatch.setenv(emulate.TSAN, '1')
    fault = SOURCE.replace(
        'atomicAdd(out + blockIdx.x, ', 'out[blockIdx.x] += ('
    )
    for source in SOURCE, fault:
        done = emulate.run_tsan(emulate.make_program(source, tmp_path))
        assert ('data race' in done.stderr) == (source == fault)
        assert (done.stdout == EXPECTED) == (source == SOURCE)
