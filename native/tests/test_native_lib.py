"""The compiled module: its symbols, and calls with invalid arguments.

The functions are private, but an invalid call must raise a Python exception.
"""

import os
import subprocess
from pathlib import Path

import pytest
from processes import run_python

import paddle
from paddle import _C_ops, _native_lib
from scripts.op_rules.schema import load_dir

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('BUILD_DIR', ROOT / 'build'))
MODULE = BUILD / '_native_lib.so'


def symbols(path, option):
    """Return the dynamic symbols of a library, without versions."""
    command = ['nm', '-D', option, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        line.split()[-1].partition('@')[0] for line in done.stdout.splitlines()
    }


def test_openmp_symbols_are_defined_by_the_runtime_of_the_wheel():
    # A symbol that libiomp5 lacks would load a second OpenMP runtime, and every
    # thread would run all iterations of a loop.
    runtime = Path(paddle.__file__).parent / 'libs/libiomp5.so'
    prefixes = ('GOMP_', 'omp_', '__kmpc_')
    undefined = symbols(MODULE, '--undefined-only')
    openmp_symbols = {name for name in undefined if name.startswith(prefixes)}
    assert 'GOMP_parallel' in openmp_symbols
    assert openmp_symbols <= symbols(runtime, '--defined-only')


def test_module_exports_only_its_init_function():
    exported = symbols(MODULE, '--defined-only')
    names = [n for n in exported if 'PyInit' in n or 'ScatterKernel' in n]
    assert names == ['PyInit__native_lib']


def test_module_contains_no_build_paths():
    text = MODULE.read_bytes()
    for folder in (BUILD.resolve(), ROOT):
        assert os.fsencode(folder) not in text


def test_errors_contain_no_build_paths():
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


def test_runtime_special_cases_no_operator():
    names = load_dir(ROOT / 'ops_yaml')
    # masked_scatter exchanges counts between processes.
    exempt = {'native_dist_masked.py'}
    for path in (ROOT / 'native').glob('**/*.*'):
        if 'tests' in path.parts or path.suffix == '.pyc':
            continue
        text = '' if path.name in exempt else path.read_text()
        assert [name for name in names if name in text] == [], path.name


# ---- arguments

# Prints each call first, so that the last line names the call that crashes.
EVERY_FUNCTION = """
import itertools
from types import SimpleNamespace
import paddle
from paddle import _native_lib

def fake(shape, dtype):
    return SimpleNamespace(shape=shape, dtype=SimpleNamespace(value=dtype))

empty, tensor = paddle.base.core.eager.Tensor(), paddle.ones([3])
some = [None, 1, 2**70, 'nope', '\\udcff', b'x', [], [[3]] * 3, object()]
some += [empty, tensor]
calls = [(one,) * count for one in some for count in range(9)]
calls += itertools.permutations(some, 2)
shapes = [[[3]] * 3, [[3, 3], [3]], [[-7]] * 3, [[1] * 20] * 3, [['a']], [None]]
dtypes = [[10] * 3, [10] * 2, [999] * 3, [-1] * 3, ['b'] * 3]
attrs = [(), (0, 0), (0, 0, 1), (9, 9), (0, 'sum', True), (0, 'nope', False)]
attrs += [('x', 'y', 'z'), (0, 0, ''), (0, 'sum', True, ''), ('',)]
for s, d, a in itertools.product(shapes, dtypes, attrs):
    calls.append(([fake(*one) for one in zip(s, d)], list(a)))
calls += [(t,) * n + a for t in (empty, tensor) for n in (2, 3) for a in attrs]
calls += [(tensor, tensor, tensor, 0, 'sum', True, True), *attrs]
methods = {
    f'{entry.name}.{name}': getattr(entry, name)
    for entry in _native_lib.entries
    for name in ('infer', 'make_function')
}
for entry in _native_lib.entries:
    if not (entry.is_backward or entry.is_base):
        for name in (entry.name, f'{entry.name}_'):
            methods[name] = getattr(paddle._C_ops, name, None)
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


def test_invalid_arguments_never_end_the_process():
    assert '\nall of them\n' in run_python(EVERY_FUNCTION)


T = paddle.ones([3])


@pytest.mark.parametrize(
    ('function', 'args', 'message'),
    [
        (_C_ops.masked_scatter_, (T, T), '3 arguments expected'),
        (_native_lib.record_callback, (1, T, T, T), 'incompatible'),
        (_native_lib.record_callback, ('f', T, T, 1), 'a defined Tensor'),
    ],
)
def test_invalid_arguments_raise(function, args, message):
    with pytest.raises(TypeError, match=message):
        function(*args)


def sparse_tensor():
    return paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])


def selected_rows():
    table = paddle.nn.Embedding(3, 1, sparse=True)
    table(paddle.to_tensor([1])).sum().backward()
    return table.weight.grad.detach()


def test_error_names_tensor_that_is_not_dense():
    mask = paddle.ones([3], 'bool')
    for value in (sparse_tensor(), selected_rows()):
        expected = r'\(masked_scatter\) value should be a dense Tensor'
        with pytest.raises(ValueError, match=expected):
            paddle.masked_scatter(T, mask, value)
        with pytest.raises(ValueError, match=expected):
            paddle.masked_scatter_(T.clone(), mask, value)


# ---- calls equal those of Paddle's generated functions

X, INDEX = paddle.ones([3, 2]), paddle.arange(2)
SUM = {'index_add': (), 'index_scatter': ('sum', True)}


def call(name, *args, form=''):
    """Call a function of SUM, with its last attributes."""
    return getattr(_C_ops, name + form)(*args, *SUM[name])


def errors(*args, form=''):
    """Yield type and text of the errors, without operator name and location."""
    for name in SUM:
        with pytest.raises(Exception) as caught:
            call(name, *args, form=form)
        text = str(caught.value).replace(name, 'op')
        yield caught.type, text.partition(' (at ')[0]


@pytest.mark.parametrize('form', ['', '_'])
@pytest.mark.parametrize(
    ('x', 'axis'),
    [(None, 0), (7, 0), *((X, axis) for axis in (2**40, 0.5, True, 'a', None))],
)
def test_argument_errors_equal_those_of_paddle(x, axis, form):
    expected, actual = errors(x, INDEX, X[:2], axis, form=form)
    assert actual == expected


def test_argument_errors_equal_those_of_paddle_in_a_static_graph():
    paddle.enable_static()
    try:
        expected, actual = errors(X, INDEX, X, 0)
        assert actual == expected
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('name', SUM)
def test_int_beyond_64_bits_raises_system_error(name):
    x = paddle.ones([1])  # for which axis -1 is valid
    with pytest.raises(SystemError):
        call(name, x, paddle.zeros([1], 'int64'), x, 2**70)


def test_dtype_without_kernel_raises():
    x, updates = X.astype('float8_e4m3fn'), X[:2].astype('float8_e4m3fn')
    for error_type, text in errors(x, INDEX, updates, 0):
        assert error_type is RuntimeError
        assert text.startswith(
            '(NotFound) The kernel with key (CPU, Undefined(AnyLayout), '
            'float8_e4m3fn) of kernel `op` is not registered.'
        )


@pytest.mark.parametrize(
    ('name', 'attrs'),
    [
        ('index_add_', (0,)),
        ('index_scatter_', (0, 'sum', True)),
        ('scatter_', (False,)),
    ],
)
def test_in_place_call_writes_leaf_before_it_raises(name, attrs):
    x = paddle.zeros([3, 2])
    x.stop_gradient = False
    with pytest.raises(ValueError, match="can't use inplace strategy"):
        getattr(_C_ops, name)(x, INDEX, X[:2], *attrs)
    assert x.numpy().tolist() == [[1, 1], [1, 1], [0, 0]]
    assert x.inplace_version == 0


@pytest.mark.parametrize('name', ['masked_fill_', 'masked_scatter_'])
def test_in_place_call_rejects_mask_larger_than_x(name):
    base = paddle.zeros([4, 4096])
    mask = paddle.ones([4, 4096], 'bool')
    value = paddle.ones([] if name == 'masked_fill_' else [4 * 4096])
    with pytest.raises(ValueError, match='shape of mask should be broadcast'):
        getattr(_C_ops, name)(base[0:1], mask, value)
    assert not base.any()
