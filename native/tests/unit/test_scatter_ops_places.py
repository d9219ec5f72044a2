"""Where the scatter functions have no kernels, or must do without them.

XPU and custom devices get compositions of other operators. They are run here on a
CPU that is said to have no kernels, and held to what the kernels give.
"""

import contextlib
from dataclasses import replace
from unittest import mock

import masked_scatter_cases
import numpy as np
import pytest
from op_table import Case, Operator
from op_table_grad import derivatives, in_dygraph
from op_table_graph import gradient_in_program, run_program, static_mode
from scatter_test_utils import ALL_DTYPES, assert_same_bits, to_storage

import paddle
from paddle.base import core
from paddle.tensor import manipulation

REDUCES = ('sum', 'mean', 'mul', 'amax', 'amin')


@contextlib.contextmanager
def no_kernels():
    """A place without the kernels, and proof that they are not called."""
    hidden = mock.DEFAULT
    with (
        mock.patch.object(
            manipulation, '_has_scatter_kernels', return_value=False
        ),
        mock.patch.multiple(
            manipulation._C_ops,
            masked_scatter=hidden,
            masked_scatter_=hidden,
            select_scatter=hidden,
            diagonal_scatter=hidden,
            index_scatter=hidden,
            index_reduce=hidden,
        ) as operators,
    ):
        yield
    for operator in operators.values():
        operator.assert_not_called()


def small_numbers(rng, shape, dtype, finite, **options):
    """Summed without rounding in any order, even cubed, with ties and zeros."""
    low = 0 if options.get('reduce') or dtype == 'uint8' else -5
    return to_storage(rng.integers(low, 4, shape), dtype)


def view_cases(rows):
    for x, values, *attributes in rows:
        names = ('axis', 'index') if len(attributes) == 2 else OF_DIAGONAL
        options = dict(zip(names, attributes))
        yield Case(f'{x} {options}', {'x': x, 'values': values}, options)


OF_DIAGONAL = ('offset', 'axis1', 'axis2')
SELECT = view_cases(
    (
        ((5, 7), (7,), 0, 0),
        ((5, 7), (7,), -2, 4),
        ((5, 7), (5,), -1, -7),
        ((9,), (), 0, 3),
        ((1,), (), -1, -1),
        ((3, 4, 5), (3, 5), 1, 2),
        ((4, 1, 5), (4, 5), 1, 0),
        ((2, 3, 2, 3, 2), (2, 3, 3, 2), -3, 1),
        ((0, 3), (0,), 1, 1),
    )
)
DIAGONAL = view_cases(
    (
        ((6, 6), (6,), 0, 0, 1),
        ((4, 7), (4,), 2, 0, 1),
        ((7, 4), (2,), -5, 0, 1),
        ((4, 7), (3,), 1, 1, 0),
        ((4, 7), (1,), 6, -2, -1),
        ((4, 7), (0,), 1 << 40, 0, 1),
        ((3, 4, 5), (5, 3), 0, 0, 1),
        ((3, 4, 5), (3, 4), -1, 2, 1),
        ((3, 2, 4, 3), (2, 4, 3), 0, 0, -1),
        ((3, 3, 0), (0, 2), 1, 0, 1),
    )
)


def scatter_cases():
    """Each reduction along each kind of axis, with each kind of index."""
    rng = np.random.default_rng(6)
    for axis in (0, 1, -1):
        for index_shape, length in (((4,), 4), ((4, 1), 6), ((), None)):
            x = [5, 3, 2]
            updates = [
                *x[: axis % 3],
                *filter(None, [length]),
                *x[axis % 3 + 1 :],
            ]
            index = rng.integers(-x[axis], x[axis], index_shape)
            inputs = {'x': tuple(x), 'index': index, 'updates': tuple(updates)}
            for reduce in (None, *REDUCES):
                options = {'axis': axis}
                for own in (False, True) if reduce else (False,):
                    if reduce:
                        options = {
                            'overwrite': False,
                            'axis': axis,
                            'reduce': reduce,
                            'include_self': own,
                        }
                    name = f'{reduce} {axis} {own} {index_shape}'
                    yield Case(name, inputs, options)


def view_operator(name):
    return Operator(
        name, ('x', 'values'), ('x', 'values'), None, draw=small_numbers
    )


MASKED = replace(masked_scatter_cases.OP, draw=small_numbers)
SCATTER = Operator(
    'scatter',
    ('x', 'index', 'updates'),
    ('x', 'updates'),
    None,
    draw=small_numbers,
)
TABLE = [
    *((MASKED, case) for case in masked_scatter_cases.CASES),
    *((view_operator('select_scatter'), case) for case in SELECT),
    *((view_operator('diagonal_scatter'), case) for case in DIAGONAL),
    *((SCATTER, case) for case in scatter_cases()),
]


def rows_of(table):
    table = list(table)
    return pytest.mark.parametrize(
        'op, case', table, ids=[f'{op.name} {case.name}' for op, case in table]
    )


def both(run, *arguments, **kwargs):
    """run() gives the same bits without kernels."""
    expected = run(*arguments, **kwargs)
    with no_kernels():
        actual = run(*arguments, **kwargs)
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected):
        assert_same_bits(np.asarray(got), np.asarray(wanted))


@rows_of(TABLE)
def test_values_and_gradients(op, case):
    arrays = case.arrays(op, 'float64', finite=True)
    both(in_dygraph, op, case, arrays, order=1)


def in_place_rows():
    for op, case in TABLE:
        x, mask = case.inputs['x'], np.shape(case.inputs.get('mask', True))
        if op.inplace and np.broadcast_shapes(x, mask) == x:
            yield op, case


@rows_of(in_place_rows())
def test_in_place(op, case):
    arrays = case.arrays(op, 'float64', finite=True)

    def in_place(tensors):
        x = tensors[0] * 1  # a leaf can't be changed in place
        result = case.bind(op.inplace)([x, *tensors[1:]])
        assert result is x
        return result

    both(in_dygraph, op, case, arrays, order=1, function=in_place)


def program_rows(known_dims):
    """But for programs of no element, and what is refused: see below."""
    for op, case in TABLE:
        arrays = case.arrays(op, 'float64')
        if any(array.size == 0 for array in arrays.values()):
            continue
        if op is SCATTER and not known_dims:
            how = case.options
            reduce, own = how.get('reduce'), how.get('include_self')
            # Paddle's operator scatter wants a column of known width
            old = how['axis'] == 0 and reduce in (None, 'sum') and not own
            if reduce == 'mul' or (old and arrays['index'].ndim == 2):
                continue
        yield op, case


def run_program_with_gradients(op, case, known_dims):
    arrays = case.arrays(op, 'float64', finite=True)

    def build(variables):
        return derivatives(
            op, case.bind(op.function), variables, gradient_in_program, 1
        )

    with static_mode():
        return run_program(build, arrays, op.differentiable, known_dims)


@rows_of(program_rows(known_dims=True))
def test_programs(op, case):
    both(run_program_with_gradients, op, case, known_dims=True)


@rows_of(program_rows(known_dims=False))
def test_programs_with_unknown_dims(op, case):
    both(run_program_with_gradients, op, case, known_dims=False)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_dtypes(dtype):
    for op, case in TABLE:
        reduce = case.options.get('reduce')
        if dtype == 'bool' and reduce not in (None, 'sum'):
            continue
        if 'complex' in dtype and reduce in ('amax', 'amin'):
            continue
        arrays = case.arrays(op, dtype)
        both(in_dygraph, replace(op, differentiable=()), case, arrays, order=0)


@pytest.mark.parametrize('options', [{}, {'overwrite': False}, {'axis': 0}])
def test_what_the_operator_scatter_serves_goes_on(options):
    inputs = {'x': (5, 5), 'index': np.array([4, 0, 4]), 'updates': (5, 5)}
    case = Case('', inputs, options)
    both(in_dygraph, SCATTER, case, case.arrays(SCATTER, 'float64'), order=0)


@pytest.mark.parametrize('reduce', REDUCES)
@pytest.mark.parametrize('x, n', [((3, 2), 0), ((0, 2), 0), ((3, 0), 2)])
def test_nothing_to_scatter(x, n, reduce):
    inputs = {'x': x, 'index': np.zeros(n, 'int64'), 'updates': (n, x[1])}
    case = Case('', inputs, {'overwrite': False, 'reduce': reduce})
    both(in_dygraph, SCATTER, case, case.arrays(SCATTER, 'float64'), order=0)


@pytest.mark.parametrize('dtype', ['uint8', 'int8', 'int16', 'int32', 'int64'])
@pytest.mark.parametrize('reduce', ['amax', 'amin'])
def test_limits_of_integers(dtype, reduce):
    info = np.iinfo(dtype)
    value = info.min if reduce == 'amax' else info.max
    x, index = paddle.zeros([3], dtype), paddle.to_tensor([1, 1])
    updates = paddle.to_tensor(np.full(2, value, dtype))
    both(lambda: [paddle.scatter(x, index, updates, False, -1, reduce).numpy()])


@pytest.mark.parametrize('reduce', ['amax', 'amin'])
@pytest.mark.parametrize('own', [True, False])
def test_a_nan_wins(reduce, own):
    nan = float('nan')
    x = paddle.to_tensor([1.0, nan, 2.0, 3.0])
    index, updates = paddle.to_tensor([0, 2, 2]), [0.0, nan, 5.0]
    with no_kernels():
        out = paddle.scatter(
            x, index, paddle.to_tensor(updates), False, 0, reduce, own
        )
    first = {'amax': 1.0 if own else 0.0, 'amin': 0.0}[reduce]
    np.testing.assert_array_equal(out.numpy(), [first, nan, nan, 3.0])


def test_the_result_is_a_copy():
    for op, case in TABLE:
        tensors = op.tensors(case.arrays(op, 'float32'))
        before = tensors['x'].numpy()
        with no_kernels():
            case.bind(op.function)(list(tensors.values())).zero_()
        assert_same_bits(tensors['x'], before, f'{op.name} {case.name}')


def test_values_are_cast():
    x, values = paddle.zeros([2, 3], 'int32'), paddle.to_tensor([1.5, -2.5])
    with no_kernels():
        out = paddle.select_scatter(x, values, 1, 0)
    assert out.tolist() == [[1, 0, 0], [-2, 0, 0]]


def test_only_the_rows_and_columns_need_be_known():
    with (
        static_mode(),
        no_kernels(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        x = paddle.static.data('x', [-1, -1, 3, 4])
        y = paddle.static.data('y', [-1, -1, 3])
        out = paddle.diagonal_scatter(x, y, 0, 2, 3)
        assert list(out.shape) == [-1, -1, 3, 4]


def test_a_product_needs_an_index_of_known_length():
    with (
        static_mode(),
        no_kernels(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        x = paddle.static.data('x', [5, 3, 2], 'float64')
        index = paddle.static.data('index', [-1], 'int64')
        updates = paddle.static.data('updates', [5, -1, 2], 'float64')
        text = "reduce='mul' along axis 1 of dtype .*float64.*guard"
        with pytest.raises(NotImplementedError, match=text):
            paddle.scatter(x, index, updates, False, 1, 'mul')


def zeros(*shape, dtype='float32'):
    return paddle.zeros(shape, dtype)


def wrong_calls():
    """(error, function, arguments, options)"""
    x, mask = zeros(3), paddle.ones([3], 'bool')
    for error, arguments in (
        (AssertionError, (x, x, x)),
        (AssertionError, (x, mask, mask)),
        (AssertionError, (x, mask, zeros(2))),
        (ValueError, (x, zeros(2, dtype='bool'), x)),
        (TypeError, ([1.0], mask, x)),
    ):
        yield error, paddle.masked_scatter, arguments, {}
        yield error, paddle.masked_scatter_, arguments, {}
    x = zeros(2, 3)
    for axis, index in ((2, 0), (-3, 0), (1, 3), (1, -4)):
        yield IndexError, paddle.select_scatter, (x, x[:, 0], axis, index), {}
    yield RuntimeError, paddle.select_scatter, (x, x[0], 1, 0), {}
    yield TypeError, paddle.select_scatter, (x, 1.0, 1, 0), {}
    for error, arguments in (
        (ValueError, (x, zeros(2, dtype='complex64'))),
        (AssertionError, (x, zeros(3))),
        (AssertionError, (x, zeros(2), 0, 1, -1)),
        (TypeError, (x, 1.0)),
    ):
        yield error, paddle.diagonal_scatter, arguments, {}
    index, u = paddle.to_tensor([0, 1]), paddle.ones([2, 2])
    how = {'overwrite': False, 'axis': 1, 'include_self': True}
    for error, arguments, options in (
        (IndexError, (x, paddle.to_tensor([0, 3]), u), {}),
        (ValueError, (x, index.astype('float32'), u), {}),
        (ValueError, (x, index.reshape([1, 2]), u), {}),
        (ValueError, (x, index, u.astype('int32')), {}),
        (ValueError, (x, index, u[:1]), {}),
        (ValueError, (x, index, u[:, :1]), {}),
        (ValueError, (x, index[0], u), {}),
        (ValueError, (x, index, u), {'axis': 2}),
        (ValueError, (x.astype('bool'), index, u.astype('bool')),
         {'reduce': 'mul'}),
        (ValueError, (x.astype('complex64'), index, u.astype('complex64')),
         {'reduce': 'amax'}),
    ):  # fmt: skip
        for function in (paddle.scatter, paddle.scatter_):
            yield error, function, arguments, {**how, **options}


def test_wrong_arguments_are_refused_as_by_the_kernels():
    for error, function, arguments, options in wrong_calls():
        x = arguments[0]
        before = x.numpy() if isinstance(x, paddle.Tensor) else x
        for place in (contextlib.nullcontext, no_kernels):
            with place(), pytest.raises(error):
                function(*arguments, **options)
        after = x.numpy() if isinstance(x, paddle.Tensor) else x
        np.testing.assert_array_equal(after, before)


def test_places():
    # those of other devices can be made in their builds only
    class XPUPlace:
        pass

    places = [(core.CPUPlace(), True), (XPUPlace(), False)]
    if core.is_compiled_with_cuda():
        places += [
            (core.CUDAPlace(0), True),
            (core.CUDAPinnedPlace(), True),
        ]
    for place, served in (*places, places[0]):
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            # twice: the second answer is remembered
            assert manipulation._has_scatter_kernels() is served
            assert manipulation._has_scatter_kernels() is served
