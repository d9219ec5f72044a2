"""The GPU kernels keep to what CUDA and ROCm both have."""

import shutil

import pytest

from gpu_tests.compile import check_rocm_compile
from gpu_tests.compile.gpu_compiler import SKIPPED

ROOT = check_rocm_compile.ROOT
HEADER = 'paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h'
SOURCE = """
#include "{header}"

namespace ops = phi::funcs::scatter_ops;

__global__ void Sum(int* values) {{
  {body}
}}
"""
BOTH = """values[threadIdx.x] = ops::CombineWarp(
      values[threadIdx.x], [](int a, int b) { return a + b; });"""


def test_no_source_has_a_name_that_only_cuda_has():
    files = check_rocm_compile.gpu_sources()
    assert len(files) > 10
    names = {
        str(path.relative_to(ROOT)): found
        for path in files
        if (found := check_rocm_compile.cuda_only_names(path.read_text()))
    }
    assert names == {}


@pytest.mark.parametrize(
    'line, names',
    [
        ('cudaMemsetAsync(p, 0, n, stream);', ['cudaMemsetAsync']),
        ('v = __shfl_up_sync(kFullWarp, v, 1);', ['__shfl_up_sync']),
        ('__syncwarp();', ['__syncwarp']),
        ('y = __vcmpne4(x, 0);', ['__vcmpne4']),
        ('__syncthreads();', []),
        ('// __syncwarp()', []),
        ('CudaAtomicAdd(p, v);', []),
    ],
)
def test_names_that_only_cuda_has_are_found(line, names):
    assert check_rocm_compile.cuda_only_names(f'  {line}  // so') == names


def test_without_hipcc_the_check_is_skipped(capsys):
    status = check_rocm_compile.main(['--hipcc', 'no-such-hipcc'])
    assert status == SKIPPED
    assert 'hipcc is not installed' in capsys.readouterr().out


@pytest.mark.skipif(shutil.which('hipcc') is None, reason='hipcc is missing')
@pytest.mark.parametrize(
    'body, said', [(BOTH, ''), ('__syncwarp();', "'__syncwarp'")]
)
def test_compiler_takes_what_both_have_and_nothing_else(tmp_path, body, said):
    source = tmp_path / 'sum.cu'
    source.write_text(SOURCE.format(header=HEADER, body=body))
    compiler = check_rocm_compile.make_compiler(tmp_path, shutil.which('hipcc'))
    compiler.folder.mkdir()
    error = compiler.compile(source).error
    assert bool(error) == bool(said)
    assert said in error
