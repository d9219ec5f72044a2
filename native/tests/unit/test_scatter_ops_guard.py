"""Programs built under compatible_ops_guard: of operators that others know too."""

import re
from unittest import mock

import numpy as np
import pytest
from op_table_graph import run_program, static_mode, to_static
from scatter_test_utils import ALL_DTYPES, assert_same_bits

import paddle
from paddle.static import compatible_ops_guard
from paddle.tensor import manipulation

NEW_OPS = {
    'masked_scatter', 'masked_fill', 'select_scatter', 'diagonal_scatter',
    'index_scatter', 'index_reduce',
}  # fmt: skip
MASK = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]], bool)


def chosen():
    return paddle.to_tensor(MASK)


def scatter(**how):
    return lambda x: paddle.scatter(
        x, paddle.to_tensor([0, 2, 0]), x, axis=1, **how
    )


# Functions of x of 3 x 3 that the guard changes.
CALLS = {
    'masked_scatter': lambda x: paddle.masked_scatter(x, chosen(), x),
    'masked_fill': lambda x: paddle.masked_fill(x, chosen(), 1),
    'masked_fill by a row': lambda x: paddle.masked_fill(x, chosen(), x[0]),
    'select_scatter': lambda x: paddle.select_scatter(x, x[0], 1, -1),
    'diagonal_scatter': lambda x: paddle.diagonal_scatter(x, x[0]),
    'scatter': scatter(),
    **{
        f'{reduce} {own}': scatter(
            overwrite=False, reduce=reduce, include_self=own
        )
        for reduce in ('sum', 'mean', 'mul', 'amax', 'amin')
        for own in (False, True)
    },
}


def defined(call, dtype):
    """Whether the reduction exists for the data type."""
    reduce = call.split()[0]
    if dtype == 'bool':
        return reduce not in ('mean', 'mul', 'amax', 'amin')
    return 'complex' not in dtype or reduce not in ('amax', 'amin')


def operators(program):
    """The names of a program's operators."""
    return {
        name.rpartition('.')[2].rstrip('_')
        for name in re.findall(r'"(\w+\.\w+)" \(', str(program))
    }


def with_gradient(function):
    """A builder for run_program, which also notes the operators."""
    seen = set()

    def build(variables):
        out = function(*variables.values())
        wanted = [v for v in variables.values() if not v.stop_gradient]
        found = [out, *paddle.static.gradients([out * out * out], wanted)]
        seen.update(operators(paddle.static.default_main_program()))
        return found

    return build, seen


@pytest.mark.parametrize('call', CALLS)
def test_programs_are_built_of_known_operators(call):
    arrays = {'x': np.arange(9.0).reshape(3, 3) - 4}
    build, seen = with_gradient(CALLS[call])
    with static_mode():
        expected = run_program(build, arrays, wrt='x')
        assert seen & NEW_OPS
        seen.clear()
        with compatible_ops_guard():
            actual = run_program(build, arrays, wrt='x')
    assert seen and not seen & NEW_OPS
    for got, wanted in zip(actual, expected):
        assert_same_bits(got, wanted)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_dtypes(dtype):
    arrays = {'x': np.array([[1.0, 0, 1], [2, 3, 0], [0, 1, 4]])}
    wide = 'complex128' if 'complex' in dtype else 'float64'
    numbers = [np.inf, -np.inf, np.nan] if 'float' in dtype else []
    functions = [CALLS[call] for call in CALLS if defined(call, dtype)]
    functions += [
        lambda x, number=number: paddle.masked_fill(x, chosen(), number)
        for number in numbers
    ]

    def build(variables):
        x = variables['x'].astype(dtype)
        return [function(x).astype(wide) for function in functions]

    with static_mode():
        expected = run_program(build, arrays)
        with compatible_ops_guard():
            actual = run_program(build, arrays, known_dims=False)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize('known_dims', [True, False])
@pytest.mark.parametrize(
    'x_shape, mask_shape, value_shape',
    [((3, 4), (3, 4), ()), ((3, 1), (4,), (3, 1)), ((), (3,), (3,))],
)
def test_masked_fill_that_broadcasts(
    x_shape, mask_shape, value_shape, known_dims
):
    rng = np.random.default_rng(5)
    arrays = {
        'x': np.asarray(rng.integers(-9, 10, x_shape), 'float64'),
        'mask': rng.random(mask_shape) < 0.5,
        'value': np.asarray(rng.integers(-9, 10, value_shape), 'float64'),
    }
    build, _ = with_gradient(paddle.masked_fill)
    how = {'wrt': ('x', 'value'), 'known_dims': known_dims}
    with static_mode():
        expected = run_program(build, arrays, **how)
        with compatible_ops_guard():
            actual = run_program(build, arrays, **how)
    for got, wanted in zip(actual, expected):
        assert_same_bits(got, wanted)


def test_dynamic_graph_mode_is_not_influenced():
    x = paddle.ones([2])
    with compatible_ops_guard():
        assert manipulation._has_scatter_kernels()
        with mock.patch.object(
            manipulation, '_masked_scatter_composed'
        ) as composed:
            paddle.masked_scatter(x, x > 0, x)
    composed.assert_not_called()


def test_it_ends_and_nests():
    with static_mode():
        with pytest.raises(KeyError), compatible_ops_guard():
            with compatible_ops_guard():
                pass
            assert not manipulation._has_scatter_kernels()
            raise KeyError
        assert manipulation._has_scatter_kernels()


def scatter_positive(x):
    return paddle.masked_scatter(x, x > 0, x)


@pytest.mark.parametrize('specs', [None, [([3], 'float32', 'x')]])
def test_what_was_traced_before_is_traced_again(specs):
    specs = specs and [paddle.static.InputSpec(*spec) for spec in specs]
    traced = to_static(scatter_positive, input_spec=specs, full_graph=True)
    traced(paddle.ones([3]))
    with compatible_ops_guard():
        inside = traced.concrete_program.main_program
    outside = traced.concrete_program.main_program
    assert 'masked_scatter' not in operators(inside)
    assert 'masked_scatter' in operators(outside)
