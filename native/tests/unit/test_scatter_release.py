"""Legacy calls of paddle.scatter and scatter_, compared with Paddle 3.3.1.

The calls run in this interpreter and in one with the released wheel, which imports
this module, too. Results and gradients are bitwise identical, error types equal,
with one exception: if several updates overwrite a row, only the last has a
gradient here.
"""

import itertools
import unittest
from unittest import mock

import numpy as np
import pytest
from fuzz.arrays import ALL_DTYPES, assert_same_bits, draw_array
from fuzz.reference import is_defined
from processes import released_answers
from programs import static_mode

import paddle

IS_RELEASE = not hasattr(paddle, '_native_lib')
FUNCTIONS = paddle.scatter, paddle.scatter_
DTYPES = ('float32', 'float64', 'int32', 'int64')
X = np.arange(12.0).reshape(4, 3)
INDEX = np.array([3, 1, 3, -4])
UPDATES = -X - 1
ELEMENTS = np.array([[0, 1, 2], [2, 0, 1]])
# Their sums depend on the order.
FRACTIONS = np.random.default_rng(331).normal(0, 9, (40, 45))
EMPTY = np.zeros(0, 'float32')  # like an empty list
# (name, x, arguments after it, keyword arguments); arrays become Tensors
FORMS = (
    ('plain', X, (INDEX, UPDATES), {}),
    ('overwrite', X, (INDEX, UPDATES, True), {}),
    ('add', X, (INDEX, UPDATES, False), {}),
    ('add by name', X, (INDEX, UPDATES), {'overwrite': False}),
    ('all by name', X, (), {'index': INDEX, 'updates': UPDATES}),
    ('default overwrite', X, (INDEX, UPDATES, None), {}),
    ('name in fifth place', X, (INDEX, UPDATES, False, 'name'), {}),
    ('None in fifth place', X, (INDEX, UPDATES, False, None), {}),
    ('name by name', X, (INDEX, UPDATES, False), {'name': 'name'}),
    ('sums', FRACTIONS, (np.arange(40) % 7, FRACTIONS[::-1], False), {}),
    ('one sum', FRACTIONS[0], (np.zeros(45, int), FRACTIONS[1], False), {}),
    ('column index', X, (np.array([[1], [1], [-1]]), X[:3], False), {}),
    ('0-D index', X, (np.array(-2), X[0], False), {}),
    ('int for overwrite', X, (INDEX, UPDATES, 0), {}),
    ('str for overwrite', X, (INDEX, UPDATES, 'no'), {}),
    ('no updates', X, (INDEX,), {}),
    ('x alone', X, (), {}),
    ('unknown keyword', X, (INDEX, UPDATES), {'alpha': 1}),
    ('number for x', 1.0, (INDEX, UPDATES), {}),
    ('None for x', None, (INDEX, UPDATES), {}),
    ('list for x', [0.0, 0.0], (INDEX, UPDATES), {}),
    ('out by name', X, (INDEX, UPDATES, False), {'out': X}),
    ('out in sixth place', X, (INDEX, UPDATES, True, 'name', X), {}),
    ('out after None', X, (INDEX, UPDATES, False, None, X), {}),
    ('no out in sixth place', X, (INDEX, UPDATES, False, None, None), {}),
    ('elements', X, (0, ELEMENTS, UPDATES), {}),
    ('elements, last axis', X, (-1, ELEMENTS, UPDATES), {}),
    ('elements by name', X, (), {'dim': 1, 'index': ELEMENTS, 'src': UPDATES}),
    ('elements, added', X, (0, ELEMENTS, UPDATES), {'reduce': 'add'}),
    ('elements, multiplied', X, (0, ELEMENTS, UPDATES, 'multiply'), {}),
    ('elements, number', X, (0, ELEMENTS, 2.0), {}),
    ('elements, value', X, (0, ELEMENTS), {'value': 2.0}),
    ('elements, unknown reduce', X, (0, ELEMENTS, UPDATES, 'other'), {}),
    ('elements, bad rank', X, (0, INDEX, UPDATES), {}),
    ('elements, no updates', X, (0, ELEMENTS), {}),
    ('elements, out', X, (0, ELEMENTS, UPDATES), {'out': X}),
)
# The release raises ValueError for these calls, this Paddle TypeError.
NO_TENSORS = ('number for x', 'None for x', 'list for x')
# In the release, the gradients of these calls read out of bounds.
EMPTY_FORMS = (
    ('empty list', X, (EMPTY, X[:0]), {}),
    ('empty list, one dim', X[0], (EMPTY, X[0, :0]), {}),
    ('no rows in x', X[:0], (np.array([0]), X[:1]), {}),
    ('empty rows', X[:, :0], (np.array([7]), X[:1, :0]), {}),
    ('0-D index of no updates', X, (np.array(1), X[0, :0]), {}),
)


def is_array(value):
    return isinstance(value, np.ndarray)


def typed_calls(forms):
    """Yield the forms in every dtype."""
    for dtype, (name, x, args, kwargs) in itertools.product(DTYPES, forms):

        def typed(value, dtype=dtype):
            data = is_array(value) and value.dtype == 'float64'
            return value.astype(dtype) if data else value

        named = {key: typed(value) for key, value in kwargs.items()}
        yield f'{name}, {dtype}', typed(x), tuple(map(typed, args)), named


def gradient_of_updates(grad, index, size, overwrite):
    """Drop rows past the end of the index, which are garbage in the release, and
    clear the release's gradients of rows that a later update overwrites."""
    if index.ndim == 0:
        return grad
    grad = np.array(grad[: len(index)])
    if overwrite and IS_RELEASE:
        rows = index.reshape(-1) % size
        for i, row in enumerate(rows):
            if row in rows[i + 1 :]:
                grad[i] = 0
    return grad


def run_call(function, x, args, kwargs):
    """Return arrays: the result, all Tensors after the call and the gradients; or
    the type and text of the error, and x."""
    leaves = []

    def tensor(value, leaf=True):
        if not is_array(value):
            return value
        result = paddle.to_tensor(value)
        result.stop_gradient = not leaf or value.dtype.kind != 'f'
        leaves.append(result)
        return result

    x_tensor = tensor(x)
    target = x_tensor * 1 if is_array(x) else x
    index = next(filter(is_array, (*args, *kwargs.values())), None)
    args = [tensor(value, value is not index) for value in args]
    kwargs = {key: tensor(v, v is not index) for key, v in kwargs.items()}
    try:
        out = function(target, *args, **kwargs)
    except Exception as error:
        after = target.numpy() if is_array(x) else None
        return type(error).__name__, str(error), after
    arrays = [tensor.numpy() for tensor in (out, target, *leaves)]
    if out.stop_gradient:
        return arrays
    wrt = [leaf for leaf in leaves if not leaf.stop_gradient]
    out_grad = draw_array(np.random.default_rng(3), out.shape, x.dtype)
    grads = paddle.grad(
        [out], wrt, [paddle.to_tensor(out_grad)], allow_unused=True
    )
    grads = [np.array(0) if g is None else g.numpy() for g in grads]
    if index.shape != ELEMENTS.shape:
        third = args[2] if len(args) > 2 else True
        overwrite = bool(kwargs.get('overwrite', third))
        grads[1] = gradient_of_updates(grads[1], index, len(x), overwrite)
    return arrays + grads


def run_calls(calls):
    return {
        f'{name} {function.__name__}': run_call(function, *arguments)
        for name, *arguments in calls
        for function in FUNCTIONS
    }


def answers():
    """Return the results of this Paddle."""
    with paddle.no_grad():
        empty = run_calls(typed_calls(EMPTY_FORMS))
    return run_calls(typed_calls(FORMS)) | empty


class TestScatterRelease(unittest.TestCase):
    def test_results_equal_those_of_the_release(self):
        released = released_answers(__file__)
        self.assertGreater(len(released), 250)
        results, num_errors = answers(), 0
        for name, theirs in released.items():
            ours = results[name]
            num_errors += isinstance(theirs, tuple)
            if name.startswith(NO_TENSORS):
                self.assertEqual(theirs[0], 'ValueError')
                theirs = ('TypeError', *theirs[1:])
            with self.subTest(call=name):
                self.assert_same(ours, theirs)
        self.assertLess(num_errors, 120)

    def assert_same(self, ours, theirs):
        self.assertIs(type(ours), type(theirs), (ours, theirs))
        if isinstance(theirs, tuple):  # an error
            self.assertEqual(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[2], theirs[2])
            return
        self.assertEqual(len(ours), len(theirs))
        for array, expected in zip(ours, theirs):
            assert_same_bits(array, expected)


# (keyword arguments, operator)
OPERATORS = (
    ({}, 'scatter'),
    ({'overwrite': False}, 'scatter'),
    ({'overwrite': False, 'include_self': False}, 'scatter'),
    ({'axis': 1}, 'index_scatter'),
    ({'overwrite': False, 'include_self': True}, 'index_scatter'),
    ({'overwrite': False, 'reduce': 'mean'}, 'index_scatter'),
    ({'overwrite': False, 'reduce': 'mul'}, 'index_reduce'),
    ({'overwrite': False, 'reduce': 'amax', 'axis': 1}, 'index_reduce'),
)
OPERATOR_CALLS = pytest.mark.parametrize(
    ('options', 'operator', 'dtype'),
    [
        (options, operator, dtype)
        for options, operator in OPERATORS
        for dtype in ALL_DTYPES
        if is_defined(options.get('reduce', 'sum'), dtype)
    ],
)


@OPERATOR_CALLS
def test_dygraph_calls_dispatch_by_arguments_alone(options, operator, dtype):
    names = {operator for _, operator in OPERATORS}
    names |= {operator + '_' for operator in names}
    index = paddle.to_tensor([0, 1, 2])
    for function, suffix in zip(FUNCTIONS, ('', '_')):
        x = paddle.ones([3, 3]).astype(dtype)
        spies = {name: mock.Mock() for name in names}
        with mock.patch.multiple(paddle._C_ops, **spies):
            function(x, index, x.clone(), **options)
        used = [name for name, spy in spies.items() if spy.called]
        assert used == [operator + suffix]


@OPERATOR_CALLS
def test_programs_dispatch_by_arguments_alone(options, operator, dtype):
    program = paddle.static.Program()
    with static_mode(), paddle.static.program_guard(program):
        x = paddle.static.data('x', [-1, 3], dtype)
        index = paddle.static.data('index', [-1], 'int64')
        updates = paddle.static.data('updates', [-1, 3], dtype)
        paddle.scatter(x, index, updates, **options)
    *data, name = (op.name() for op in program.global_block().ops)
    assert data == ['pd_op.data'] * 3
    # New operators of the wheel are in the dialect of custom operators.
    dialect = 'pd_op' if operator == 'scatter' else 'custom_op'
    assert name == f'{dialect}.{operator}'
