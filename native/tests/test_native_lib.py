"""The compiled module: what it asks of other libraries, and its functions with
arguments that make no sense.

They are private, but a mistake in a call must end as a Python exception.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import _C_ops, _native_lib

BUILD = Path(os.environ.get('BUILD_DIR', Path(__file__).parents[2] / 'build'))
MODULE = BUILD / '_native_lib.so'


def symbols(path, option):
    """The dynamic symbols of a library, without versions."""
    command = ['nm', '-D', option, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        line.split()[-1].partition('@')[0] for line in found.stdout.splitlines()
    }


def test_openmp_is_served_by_the_runtime_of_the_wheel():
    # What libiomp5 lacks would come from a second OpenMP runtime, and then
    # every thread would run all iterations of a loop.
    runtime = Path(paddle.__file__).parent / 'libs/libiomp5.so'
    prefixes = ('GOMP_', 'omp_', '__kmpc_')
    wanted = symbols(MODULE, '--undefined-only')
    asked = {name for name in wanted if name.startswith(prefixes)}
    assert 'GOMP_parallel' in asked
    assert asked <= symbols(runtime, '--defined-only')


def test_only_the_python_entry_is_exported_by_name():
    exported = symbols(MODULE, '--defined-only')
    names = [n for n in exported if 'PyInit' in n or 'ScatterKernel' in n]
    assert names == ['PyInit__native_lib']


def test_no_path_of_the_build_is_in_the_module():
    text = MODULE.read_bytes()
    for folder in (BUILD.resolve(), Path(__file__).resolve().parents[2]):
        assert os.fsencode(folder) not in text


def test_an_error_tells_no_folder_of_the_build():
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


# ---- arguments

# Prints what is about to be called, so that the last line names a crash.
EVERY_FUNCTION = """
import itertools
import paddle
from paddle import _native_lib

empty, tensor = paddle.base.core.eager.Tensor(), paddle.ones([3])
some = [None, 1, 2**70, 'nope', '\\udcff', b'x', [], [[3]] * 3, object()]
some += [empty, tensor]
calls = [(one,) * count for one in some for count in range(9)]
calls += itertools.permutations(some, 2)
shapes = [[[3]] * 3, [[3, 3], [3]], [[-7]] * 3, [[1] * 20] * 3, [['a']], [None]]
dtypes = [[10] * 3, [10] * 2, [999] * 3, [-1] * 3, ['b'] * 3]
attrs = [(), (0, 0), (0, 0, 1), (9, 9), (0, 'sum', True), (0, 'nope', False)]
attrs += [('x', 'y', 'z'), (0, 0, ''), (0, 'sum', True, ''), ('',)]
calls += [(s, d, *a) for s in shapes for d in dtypes for a in attrs]
calls += [(t,) * n + a for t in (empty, tensor) for n in (2, 3) for a in attrs]
calls += [(tensor, tensor, tensor, 0, 'sum', True, True), *attrs]
methods = {f'{e.name}.infer': e.infer for e in _native_lib.entries}
methods |= {f'{e.name}.encode': e.encode for e in _native_lib.entries}
for name, function in (vars(_native_lib) | methods).items():
    if not callable(function):
        continue
    for call in calls:
        print(name, [type(one).__name__ for one in call], flush=True)
        try:
            function(*call)
        except Exception:
            pass
print('all of them')
"""


def test_no_arguments_end_the_process():
    run = subprocess.run(
        [sys.executable, '-c', EVERY_FUNCTION], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.splitlines()[-1] == 'all of them'


T = paddle.ones([3])


@pytest.mark.parametrize(
    ('name', 'args', 'error', 'message'),
    [
        ('masked_scatter_', (T, T), TypeError, '3 arguments expected'),
        ('record_callback', (1, T, T, T), TypeError, 'incompatible'),
        ('to_distributed', (T, T), ValueError, 'must be distributed'),
        ('take_history', (T, None), TypeError, 'received None'),
        ('take_history', (T, T + 1), ValueError, 'gradient is recorded'),
    ],
)
def test_wrong_arguments_are_named(name, args, error, message):
    with pytest.raises(error, match=message):
        getattr(_native_lib, name)(*args)


def sparse_tensor():
    return paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])


def selected_rows():
    table = paddle.nn.Embedding(3, 1, sparse=True)
    table(paddle.to_tensor([1])).sum().backward()
    return table.weight.grad.detach()


def test_error_says_which_tensor_is_not_dense():
    mask = paddle.ones([3], 'bool')
    for value, kind in (
        (sparse_tensor(), 'sparse'),
        (selected_rows(), 'selected rows'),
    ):
        expected = f'x dense on .*, value {kind} on Place'
        with pytest.raises(NotImplementedError, match=expected):
            paddle.masked_scatter(T, mask, value)
        with pytest.raises(NotImplementedError, match=expected):
            paddle.masked_scatter_(T.clone(), mask, value)


WRONG_ATTRIBUTES = {
    r"include_self must be a bool, but received 'no'": (0, 'sum', 'no'),
    r'axis must be an int, but received 0\.5': (0.5, 'sum', True),
    r'reduce must be a str, but received 7 of type int': (0, 7, True),
}


def check_attributes(*tensors):
    for message, attrs in WRONG_ATTRIBUTES.items():
        with pytest.raises(TypeError, match=rf'^\(index_reduce\) {message}'):
            _C_ops.index_reduce(*tensors, *attrs)


@pytest.mark.parametrize('stop_gradient', [True, False])
def test_attribute_of_a_wrong_type_is_named(stop_gradient):
    x, index = paddle.ones([3, 2]) * 2, paddle.arange(2)
    x.stop_gradient = stop_gradient
    check_attributes(x, index, x[:2])
    want = _C_ops.index_reduce(x, index, x[:2], 0, 'mul', False)
    got = _C_ops.index_reduce(
        x, index, x[:2], np.int32(0), 'mul', np.bool_(False)
    )
    assert (got == want).all()


def test_attribute_of_a_wrong_type_is_named_in_a_static_graph():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data('x', [3, 2])
            check_attributes(x, paddle.static.data('i', [2], 'int64'), x[:2])
    finally:
        paddle.disable_static()
