"""index_reduce and index_scatter where the GPU's kernels have edges."""

from types import SimpleNamespace

import numpy as np
import pytest
from fuzz import scatter_reference
from index_reduce_cases import REDUCES, operands, reference_index_reduce
from op_table import numbers
from scatter_test_utils import assert_same_bits, random_numbers
from test_index_reduce_values import minus_zeros

from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    assert_close,
    on_device,
    resized,
    run,
    shifted,
    to_array,
)
from gpu_tests.library import KernelError
from gpu_tests.ops import index_op
from gpu_tests.ops import run as run_tensors

RTOL = {'float16': 1e-3, 'bfloat16': 1e-2, 'float64': 1e-13}
# Around a mean that is made in a wider type, a block and several of them.
LENGTHS = (1, 31, 32, 33, 256, 257, 2049, 20000)


def check(out, arrays, attrs, dtype, message=''):
    """Compares an array in storage form with the definition."""
    expected = reference_index_reduce(*map(numbers, arrays), *attrs)
    assert out.dtype == arrays[0].dtype, message
    if attrs[1] == 'assign' or out.dtype.kind in 'bi':
        assert_same_bits(out, expected, message)
        return
    assert_close(out, expected, dtype, RTOL.get(dtype, 1e-5), message)


def check_all(rng, reduce, dtype, shapes, axis, index, message):
    """`shapes` are those of x and updates."""
    x, updates = (operands(rng, shape, reduce, dtype) for shape in shapes)
    for include_self in (True, False):
        attrs = axis, reduce, include_self
        (out,) = run(index_op(reduce), x, index, updates, *attrs)
        text = f'{message}, {reduce}, {include_self}'
        check(out, (x, index, updates), attrs, dtype, text)


def indexes(rng, size, length):
    """Yields (name, index): where the slots of a long index lie."""
    yield 'random', rng.integers(-size, size, length)
    yield 'one slot', np.full(length, size // 2)
    yield 'two slots', rng.choice([0, size - 1], length)
    yield 'skewed', np.minimum(rng.geometric(0.3, length), size) - 1
    yield 'sorted', np.sort(rng.integers(0, size, length))


def fast_index_reduce(x, index, updates, axis, reduce):
    """The definition for integers and include_self, without a loop."""
    attrs = {'axis': axis, 'reduce': reduce, 'include_self': True}
    attrs['overwrite'] = reduce == 'assign'
    case = SimpleNamespace(dtype=str(x.dtype), attrs=attrs)
    arrays = {'x': x, 'index': index, 'updates': updates}
    found = scatter_reference.forward(case, arrays)
    return found.array if reduce == 'assign' else found.numbers


@pytest.mark.parametrize('reduce', REDUCES)
@pytest.mark.parametrize('length', LENGTHS)
def test_long_indexes(rng, reduce, length):
    for shape, axis in (((700, 3), 0), ((3, 700), 1), ((70000, 1), 0)):
        shapes = shape, resized(shape, axis, length)
        x, updates = (operands(rng, s, reduce, 'int64') for s in shapes)
        for name, index in indexes(rng, shape[axis], length):
            attrs = axis, reduce, True
            (out,) = run(index_op(reduce), x, index, updates, *attrs)
            expected = fast_index_reduce(x, index, updates, axis, reduce)
            assert_same_bits(out, expected, f'{name}, {shape}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_rows_of_every_short_length(rng, dtype):
    index = rng.integers(-7, 7, 19)
    for row in (*range(1, 19), 31, 33, 63, 65, 255, 257, 1025):
        for reduce in ('assign', 'sum'):
            for x_shape in ((7, row), (3, 7, row)):
                axis = len(x_shape) - 2
                shapes = x_shape, resized(x_shape, axis, 19)
                check_all(rng, reduce, dtype, shapes, axis, index, f'{shapes}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, dtype):
    x = operands(rng, (70, 64), 'sum', dtype)
    updates = operands(rng, (90, 64), 'sum', dtype)
    index = rng.integers(-70, 70, 90)
    for starts in ((1, 0, 0), (0, 1, 0), (0, 0, 3), (5, 3, 7)):
        arrays = x, index, updates
        tensors = [shifted(a, s) for a, s in zip(arrays, starts)]
        for reduce in ('assign', 'sum'):
            attrs = 0, reduce, True
            (out,) = run_tensors('index_scatter', *tensors, *attrs)
            check(to_array(out), arrays, attrs, dtype, f'{starts}')


def test_updates_that_share_memory_with_x(rng):
    x = operands(rng, (50, 40), 'sum')
    index = rng.integers(0, 50, 50)
    for reduce in REDUCES:
        tensor, attrs = on_device(x), (0, reduce, True)
        arguments = tensor, on_device(index), tensor, *attrs
        run_tensors(index_op(reduce), *arguments, out=[tensor])
        check(to_array(tensor), (x, index, x), attrs, 'float64', reduce)


@pytest.mark.parametrize('reduce', ['sum', 'mean'])
def test_sum_of_negative_zeros(reduce):
    for dtype in ('float16', 'bfloat16', 'float32', 'float64', 'complex64'):
        for x_shape, axis in (
            ((3, 64), 0),
            ((3, 2), 0),
            ((64, 3), 1),
            ((3,), 0),
        ):
            for length in (1, 2, 100):  # alone, a few, and many
                shapes = x_shape, resized(x_shape, axis, length)
                x, updates = (minus_zeros(s, dtype) for s in shapes)
                arguments = x, np.full(length, 1), updates, axis, reduce
                (out,) = run('index_scatter', *arguments, True)
                assert_same_bits(out, x)
                (out,) = run('index_scatter', *arguments, False)
                expected = np.moveaxis(x.copy(), axis, 0)
                expected[1] = 0
                assert_same_bits(out, np.moveaxis(expected, 0, axis))


@pytest.mark.parametrize(
    'op, reduces',
    [('index_scatter', ('median', 'mul')), ('index_reduce', ('sum', 'add'))],
)
def test_names_that_the_operator_does_not_have_are_refused(rng, op, reduces):
    x = random_numbers(rng, (3, 4))
    for reduce in reduces:
        with pytest.raises(KernelError, match=rf"\({op}\) .* '{reduce}'"):
            run(op, x, np.arange(3), x, 0, reduce, True)
