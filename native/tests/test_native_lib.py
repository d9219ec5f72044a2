"""The compiled module as a file: what it asks of other libraries."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get('BUILD_DIR', Path(__file__).parents[2] / 'build'))
MODULE = BUILD / '_native_lib.so'


def symbols(path, option):
    """The dynamic symbols of a library, without versions."""
    command = ['nm', '-D', option, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        line.split()[-1].partition('@')[0] for line in found.stdout.splitlines()
    }


@pytest.fixture(scope='module')
def wanted():
    if not MODULE.is_file():
        pytest.fail(f'{MODULE} is missing: run scripts/apply_and_build.sh')
    if shutil.which('nm') is None:
        pytest.fail('nm is missing: it comes with g++ (binutils)')
    return symbols(MODULE, '--undefined-only')


def test_openmp_is_served_by_the_runtime_of_the_wheel(wanted):
    # What libiomp5 lacks would come from a second OpenMP runtime, and then
    # every thread would run all iterations of a loop.
    import paddle

    runtime = Path(paddle.__file__).parent / 'libs/libiomp5.so'
    prefixes = ('GOMP_', 'omp_', '__kmpc_')
    asked = {name for name in wanted if name.startswith(prefixes)}
    assert 'GOMP_parallel' in asked
    assert asked <= symbols(runtime, '--defined-only')


def test_only_the_python_entry_is_exported_by_name():
    exported = symbols(MODULE, '--defined-only')
    assert 'PyInit__native_lib' in exported
    kernels = [name for name in exported if 'ScatterKernel' in name]
    assert kernels == []


def test_no_path_of_the_build_is_in_the_module():
    text = MODULE.read_bytes()
    for folder in (BUILD.resolve(), Path(__file__).resolve().parents[2]):
        assert os.fsencode(folder) not in text


def test_an_error_tells_no_folder_of_the_build():
    import paddle

    x = paddle.ones([2, 3])
    with pytest.raises(IndexError, match=r'\(at paddle/phi/kernels/funcs/'):
        paddle.scatter(x, paddle.to_tensor([7]), x[:1])
    x.stop_gradient = False
    out = paddle.scatter(
        x, paddle.to_tensor([1]), x[:1], overwrite=False, reduce='mul'
    )
    with pytest.raises(
        RuntimeError, match=r'\(at native/dygraph/grad_node.cc:'
    ):
        paddle.grad([out], [x], create_graph=True)
