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


def operands(stop_gradient):
    import paddle

    x = paddle.zeros([3, 2])
    x.stop_gradient = stop_gradient
    return x, paddle.to_tensor([0, 2]), paddle.ones([2, 2])


@pytest.mark.parametrize('stop_gradient', [True, False])
@pytest.mark.parametrize(
    ('attrs', 'message'),
    [
        ((0, 'sum', 'no'), r"include_self must be a bool, but received 'no'"),
        ((0.5, 'sum', True), r'axis must be an int, but received 0\.5'),
        ((0, 7, True), r'reduce must be a str, but received 7 of type int'),
    ],
)
def test_attribute_of_a_wrong_type_is_named(stop_gradient, attrs, message):
    from paddle import _C_ops

    with pytest.raises(TypeError, match=r'^\(index_reduce\) ' + message):
        _C_ops.index_reduce(*operands(stop_gradient), *attrs)


@pytest.mark.parametrize('stop_gradient', [True, False])
def test_attributes_may_be_numpy_scalars(stop_gradient):
    import numpy as np

    from paddle import _C_ops

    call = operands(stop_gradient)
    want = _C_ops.index_reduce(*call, 0, 'mul', False)
    got = _C_ops.index_reduce(*call, np.int32(0), 'mul', np.bool_(False))
    assert (got == want).all()


def test_attribute_of_a_wrong_type_is_named_in_a_static_graph():
    import paddle
    from paddle import _C_ops

    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data('x', [3, 2])
            index = paddle.static.data('index', [2], 'int64')
            with pytest.raises(TypeError, match='include_self must be a bool'):
                _C_ops.index_reduce(x, index, x[:2], 0, 'sum', 'no')
    finally:
        paddle.disable_static()


def test_a_base_kernel_that_takes_other_arguments_is_told():
    """Each pair of operators that Paddle has, with the kernels of another."""
    from paddle import _native_lib

    misfit = _native_lib.kernel_misfit
    for name in _native_lib.taken_kernels():
        assert misfit(name, name) == ''
    for name, other, found, expected in (
        (
            'scatter',
            'masked_fill',
            '{0}, {0}, {0}, bool, 1',
            '{0}, bool, {0}, 1',
        ),
        (
            'masked_fill_grad',
            'scatter_grad',
            '{0}, bool, {0}, {0}, 2',
            '{0}, {0}, {0}, bool, 2',
        ),
        (
            'scatter_grad',
            'scatter',
            '{0}, {0}, {0}, bool, 2',
            '{0}, {0}, {0}, bool, 1',
        ),
        # three Tensors of one type where the second has to be bool
        ('where', 'masked_fill', '{0}, {0}, {0}, 1', '{0}, bool, {0}, 1'),
    ):
        text = f'it takes ({found} outputs), expected ({expected} outputs)'
        assert misfit(name, other) == text.format('float32')
    assert misfit('no_such_operator', 'scatter') == (
        'there is no float32 kernel'
    )


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
