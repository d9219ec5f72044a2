"""Calls that paddle.scatter and scatter_ of release 3.3.1 take.

The release's own functions run beside ours: same bytes, same gradients, same
errors.
"""

import ast
import pathlib
import sys
import unittest
from unittest import mock

import numpy as np
from index_reduce_cases import defined
from op_table_graph import static_mode
from scatter_test_utils import ALL_DTYPES, assert_same_bits, to_paddle

import paddle
from paddle.tensor import manipulation

# Where the wheel build keeps the files that it has changed.
ORIGINAL = (
    pathlib.Path(sys.prefix).parent / 'originals/paddle/tensor/manipulation.py'
)
NAMES = (
    '_put_along_axis_inplace_wrapper',
    '_put_along_axis_wrapper',
    '_scatter_inplace_wrapper',
    '_scatter_wrapper',
    'scatter',
    'scatter_',
)


def released_functions():
    """scatter and scatter_ as released, in a copy of our module."""
    tree = ast.parse(ORIGINAL.read_text(encoding='utf-8'))
    tree.body = [
        ast.ImportFrom('__future__', [ast.alias('annotations')], 0),
        *(
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name in NAMES
        ),
    ]
    names = dict(vars(manipulation))
    code = compile(ast.fix_missing_locations(tree), str(ORIGINAL), 'exec')
    exec(code, names)
    return names['scatter'], names['scatter_']


X = np.arange(12).reshape(4, 3)
INDEX = np.array([3, 1, 3, -4])
UPDATES = -np.arange(12).reshape(4, 3) - 1
ELEMENTS = np.array([[0, 1, 2], [2, 0, 1]])

# (name, arguments after x, keyword arguments); arrays become Tensors
CALLS = (
    ('plain', (INDEX, UPDATES), {}),
    ('overwrite', (INDEX, UPDATES, True), {}),
    ('add', (INDEX, UPDATES, False), {}),
    ('add by name', (INDEX, UPDATES), {'overwrite': False}),
    ('all by name', (), {'index': INDEX, 'updates': UPDATES}),
    ('default overwrite', (INDEX, UPDATES, None), {}),
    ('int32 index', (INDEX.astype('int32'), UPDATES, False), {}),
    ('column index', (INDEX[:, None], UPDATES), {}),
    ('0-D index', (np.array(2), UPDATES[0]), {}),
    ('longer updates', (INDEX[:2], UPDATES, False), {}),
    ('no position', (INDEX[:0], UPDATES[:0]), {}),
    ('name in fifth place', (INDEX, UPDATES, False, 'name'), {}),
    ('None in fifth place', (INDEX, UPDATES, False, None), {}),
    ('name by name', (INDEX, UPDATES, False), {'name': 'name'}),
    ('index out of range', (np.array([4, 0]), UPDATES[:2]), {}),
    ('index far below zero', (np.array([-5, 0]), UPDATES[:2]), {}),
    ('float index', (INDEX.astype('float32'), UPDATES), {}),
    ('int8 index', (INDEX.astype('int8'), UPDATES), {}),
    ('wide index', (INDEX.reshape(2, 2), UPDATES), {}),
    ('short updates', (INDEX, UPDATES[:2]), {}),
    ('narrow updates', (INDEX, UPDATES[:, :2]), {}),
    ('flat updates', (INDEX, UPDATES[0]), {}),
    ('int for overwrite', (INDEX, UPDATES, 0), {}),
    ('str for overwrite', (INDEX, UPDATES, 'no'), {}),
    ('no updates', (INDEX,), {}),
    ('unknown keyword', (INDEX, UPDATES), {'alpha': 1}),
    ('elements', (0, ELEMENTS, UPDATES), {}),
    ('elements, last axis', (-1, ELEMENTS, UPDATES), {}),
    ('elements by name', (), {'dim': 1, 'index': ELEMENTS, 'src': UPDATES}),
    ('elements, added', (0, ELEMENTS, UPDATES), {'reduce': 'add'}),
    ('elements, multiplied', (0, ELEMENTS, UPDATES, 'multiply'), {}),
    ('elements, number', (0, ELEMENTS, 2.0), {}),
    ('elements, value', (0, ELEMENTS), {'value': 2.0}),
    ('elements, unknown reduce', (0, ELEMENTS, UPDATES, 'other'), {}),
    ('elements, bad rank', (0, INDEX, UPDATES), {}),
    ('elements, no updates', (0, ELEMENTS), {}),
)
OUT_CALLS = (
    ('out by name', (INDEX, UPDATES, False), {'out': X}),
    ('out in sixth place', (INDEX, UPDATES, True, 'name', X), {}),
    ('out after None', (INDEX, UPDATES, False, None, X), {}),
    ('no out in sixth place', (INDEX, UPDATES, False, None, None), {}),
    ('elements, out', (0, ELEMENTS, UPDATES), {'out': X}),
)


def setUpModule():
    # A GPU reports a bad index by a trap, which ends the process.
    paddle.set_device('cpu')


def is_array(value):
    return isinstance(value, np.ndarray)


def is_data(array):
    """Whether an array stands for x, updates or out, not for an index."""
    return array is X or array is UPDATES or array.base is UPDATES


def outcome(function, dtype, args, kwargs, needs_grad):
    """What a call gives: arrays (result, out, gradients), or its error."""
    leaves = []

    def tensor(value):
        if not isinstance(value, np.ndarray):
            return value
        if is_data(value):
            value = value.astype(dtype)
            made = to_paddle(value, stop_gradient=not needs_grad)
            leaves.append(made)
            return made
        return to_paddle(value)

    x = tensor(X)
    target = x * 1 if needs_grad else x
    args = [tensor(value) for value in args]
    kwargs = {name: tensor(value) for name, value in kwargs.items()}
    try:
        result = function(target, *args, **kwargs)
    except Exception as error:
        return type(error), error_text(error), x.numpy()
    arrays = [result.numpy(), target.numpy()]
    arrays += [leaf.numpy() for leaf in leaves]
    if needs_grad and not result.stop_gradient:
        result = result * to_paddle(np.cos(X).astype(dtype))
        grads = paddle.grad([result.sum()], leaves, allow_unused=True)
        arrays += [np.array(0) if g is None else g.numpy() for g in grads]
    return arrays


def error_text(error):
    """Without the forms of a call, which a TypeError may list."""
    if isinstance(error, TypeError):
        return ''
    lines = str(error).strip().splitlines()
    return '\n'.join(line for line in lines if line.startswith('  [Hint'))


class TestScatterReduceCompat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scatter, cls.scatter_ = map(staticmethod, released_functions())

    def compare(self, ours, released, calls, dtype, needs_grad):
        failed = 0
        for name, args, kwargs in calls:
            arguments = dtype, args, kwargs, needs_grad
            found = outcome(ours, *arguments)
            wanted = outcome(released, *arguments)
            with self.subTest(call=name, dtype=dtype, needs_grad=needs_grad):
                self.assertEqual(type(found), type(wanted))
                if isinstance(wanted, tuple):
                    failed += 1
                    self.assertEqual(found[:2], wanted[:2])
                    assert_same_bits(found[2], wanted[2])
                    continue
                self.assertEqual(len(found), len(wanted))
                for array, expected in zip(found, wanted):
                    assert_same_bits(array, expected)
        return failed

    def calls_with_gradients(self):
        # the release does not initialise the gradient of unused updates
        return [call for call in CALLS if call[0] != 'longer updates']

    def test_released_functions_know_no_axis(self):
        x = paddle.zeros([2])
        for function in (self.scatter, self.scatter_):
            with self.assertRaisesRegex(TypeError, 'axis'):
                function(x, paddle.to_tensor([0]), paddle.ones([1]), axis=0)

    def test_results_and_errors(self):
        for dtype in ('float32', 'float64', 'int32', 'int64'):
            failed = self.compare(
                paddle.scatter, self.scatter, CALLS + OUT_CALLS, dtype, False
            )
            self.assertLess(failed, 20)

    def test_gradients(self):
        calls = self.calls_with_gradients()
        for dtype in ('float32', 'float64'):
            self.compare(
                paddle.scatter, self.scatter, (*calls, *OUT_CALLS), dtype, True
            )

    def test_in_place(self):
        for dtype in ('float32', 'int64'):
            self.compare(paddle.scatter_, self.scatter_, CALLS, dtype, False)
        calls = self.calls_with_gradients()
        self.compare(paddle.scatter_, self.scatter_, calls, 'float64', True)

    def test_dim_may_be_an_int_of_numpy(self):
        elements, updates = to_paddle(ELEMENTS), to_paddle(UPDATES)
        for function in (paddle.scatter, paddle.scatter_):
            for dim in (np.int64(1), np.int32(-1)):
                found = function(to_paddle(X), dim, elements, updates)
                wanted = self.scatter(to_paddle(X), int(dim), elements, updates)
                with self.subTest(function=function.__name__, dim=repr(dim)):
                    assert_same_bits(found.numpy(), wanted.numpy())

    def test_methods_are_our_functions(self):
        self.assertIs(paddle.Tensor.scatter, paddle.scatter)
        self.assertIs(paddle.Tensor.scatter_, paddle.scatter_)

    def test_static_graphs_hold_the_same_operators(self):
        for name, args, kwargs in CALLS[:14]:
            found = self.static_operators(paddle.scatter, args, kwargs)
            wanted = self.static_operators(self.scatter, args, kwargs)
            with self.subTest(call=name):
                self.assertEqual(found, wanted)
                self.assertIn('pd_op.scatter', wanted)

    def static_operators(self, function, args, kwargs):
        arrays = [v for v in (X, *args, *kwargs.values()) if is_array(v)]

        def call(*data):
            values = iter(data)

            def value(given):
                return next(values) if is_array(given) else given

            function(
                *[value(given) for given in (X, *args)],
                **{key: value(given) for key, given in kwargs.items()},
            )

        inputs = [
            (array.shape, 'float32' if is_data(array) else str(array.dtype))
            for array in arrays
        ]
        return program_operators(call, *inputs)

    def test_x_that_is_no_tensor(self):
        index, updates = paddle.to_tensor([0]), paddle.ones([1])
        for x in (np.zeros(2), [0.0, 0.0], 1.0, None, 'x'):
            errors = []
            for function in (paddle.scatter, self.scatter):
                with self.assertRaises(ValueError) as caught:
                    function(x, index, updates)
                errors.append(str(caught.exception))
            with self.subTest(x=x):
                self.assertEqual(*errors)

    def test_too_few_arguments(self):
        for ours, released in (
            (paddle.scatter, self.scatter),
            (paddle.scatter_, self.scatter_),
        ):
            texts = []
            for function in (ours, released):
                with self.assertRaises(TypeError) as caught:
                    function(paddle.zeros([2]))
                texts.append(str(caught.exception))
            self.assertIn('Too few arguments', texts[0])
            self.assertEqual(*texts)


# (keyword arguments, the operator that serves them)
OPERATORS = (
    ({}, 'scatter'),
    ({'overwrite': True}, 'scatter'),
    ({'overwrite': False}, 'scatter'),
    ({'overwrite': False, 'name': 'name'}, 'scatter'),
    ({'overwrite': False, 'axis': 0, 'reduce': 'sum'}, 'scatter'),
    ({'overwrite': False, 'include_self': False}, 'scatter'),
    ({'axis': 1}, 'index_scatter'),
    ({'axis': -2}, 'scatter'),
    ({'axis': -1}, 'index_scatter'),
    ({'overwrite': False, 'axis': -2}, 'scatter'),
    ({'overwrite': False, 'axis': -2, 'reduce': 'mul'}, 'index_reduce'),
    ({'overwrite': False, 'axis': 1}, 'index_scatter'),
    ({'overwrite': False, 'include_self': True}, 'index_scatter'),
    ({'overwrite': False, 'reduce': 'mean'}, 'index_scatter'),
    ({'overwrite': False, 'reduce': 'mul'}, 'index_reduce'),
    ({'overwrite': False, 'reduce': 'amax', 'axis': 1}, 'index_reduce'),
    ({'overwrite': False, 'reduce': 'amin', 'axis': 1}, 'index_reduce'),
)


def recorded_operators(call):
    """Names of the operators that the call to paddle.scatter(_) runs."""
    used = []

    def recorder(name):
        original = getattr(paddle._C_ops, name)

        def run(*args):
            used.append(name)
            return original(*args)

        return run

    operators = {operator for _, operator in OPERATORS}
    names = operators | {operator + '_' for operator in operators}
    patches = {name: recorder(name) for name in names}
    with mock.patch.multiple(paddle._C_ops, **patches):
        call()
    return used


def program_operators(function, *inputs):
    """Names of a program's operators, for inputs of these (shape, dtype)."""
    with static_mode():
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            function(
                *(
                    paddle.static.data(f'd{i}', shape, dtype)
                    for i, (shape, dtype) in enumerate(inputs)
                )
            )
        return [op.name() for op in program.global_block().ops]


class TestScatterReduceOperators(unittest.TestCase):
    """The arguments alone tell the operator: no dtype, place or mode does."""

    def calls(self):
        for options, operator in OPERATORS:
            for dtype in ALL_DTYPES:
                if defined(options.get('reduce', 'sum'), dtype):
                    yield options, operator, dtype

    def test_dygraph(self):
        index = paddle.to_tensor([0, 1, 2])
        for options, operator, dtype in self.calls():
            x = paddle.ones([3, 3]).astype(dtype)
            for function, name in (
                (paddle.scatter, operator),
                (paddle.scatter_, operator + '_'),
            ):
                used = recorded_operators(
                    lambda f=function, x=x, o=options: f(
                        x, index, x.clone(), **o
                    )
                )
                with self.subTest(dtype=dtype, options=options, name=name):
                    self.assertEqual(used, [name])

    def test_programs(self):
        for options, operator, dtype in self.calls():
            data = [-1, 3], dtype
            names = program_operators(
                lambda x, index, updates, o=options: paddle.scatter(
                    x, index, updates, **o
                ),
                *(data, ([-1], 'int64'), data),
            )
            with self.subTest(dtype=dtype, options=options):
                # the wheel's new operators have another dialect's prefix
                self.assertEqual(names[-1].split('.')[-1], operator)
                if operator == 'scatter':
                    self.assertEqual(names[-1], 'pd_op.scatter')


if __name__ == '__main__':
    unittest.main()
