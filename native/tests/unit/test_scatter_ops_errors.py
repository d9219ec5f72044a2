"""Odd values for every argument of the masked and scatter functions.

Each raises an error that names the function or its operator and an argument, or
is equivalent to a plain value. Nothing is truncated, nothing crashes.
"""

import itertools
import math
import unittest

import numpy as np
from programs import static_mode

import paddle

ERRORS = (TypeError, ValueError, IndexError, AssertionError, RuntimeError)

# (value, {kind of argument: the equivalent plain value})
ODD_VALUES = (
    ([], {}),
    ({}, {}),
    (object(), {}),
    ('a', {}),
    ('', {}),
    ('0', {'number': 0}),
    (['mean'], {}),
    (b'sum', {}),
    (np.str_('mean'), {'reduce': 'mean'}),
    ((0,), {}),
    (None, {'overwrite': False, 'out': None}),
    (1.5, {'number': 1.5}),
    (0.0, {'number': 0}),
    (math.nan, {'number': math.nan}),
    (1j, {'number': 0}),
    (10**30, {'number': 1e30}),
    (-(10**30), {'number': -1e30}),
    (2**31, {'number': 2.0**31}),
    (True, {'flag': True, 'number': 1}),
    (False, {'flag': False, 'number': 0}),
    (np.True_, {'flag': True, 'number': 1}),
    (np.False_, {'flag': False, 'number': 0}),
    (np.int64(1), {'int': 1, 'axis': 1, 'number': 1}),
    (np.uint8(0), {'int': 0, 'axis': 0, 'number': 0}),
    (np.float32(1), {'number': 1}),
    (np.array(0), {'int': 0, 'axis': 0}),
    (np.array([0]), {}),
    (paddle.to_tensor(0), {'int': 0, 'axis': 0, 'number': 0}),
    (paddle.to_tensor(True), {'number': 1}),
    (paddle.to_tensor(0.5), {'number': 0.5}),
    (paddle.to_tensor(0.5j), {}),
    (paddle.to_tensor([0]), {'number': 0}),
    (paddle.to_tensor([0, 1]), {}),
    (paddle.to_tensor([0.0]), {'number': 0}),
)
TENSORS = {
    'x': np.zeros((3, 3), 'float32'),
    'mask': np.tile([True, False, True], (3, 1)),
    'value': np.arange(9, dtype='float32'),
    'values': np.ones(3, 'float32'),
    'y': np.ones(3, 'float32'),
    'index': np.array([0, 2]),
    'updates': np.ones((2, 3), 'float32'),
}
KINDS = {
    'axis': 'axis',
    'reduce': 'reduce',
    'overwrite': 'overwrite',
    'include_self': 'flag',
    'out': 'out',
}
INT = dict.fromkeys(('axis', 'index', 'offset', 'axis1', 'axis2'), 'int')
NUMBER = {'value': 'number'}
MASKED = 'x', 'mask', 'value'
INDEXED = 'x', 'index', 'updates'
ALONG_AXIS = {'overwrite': False, 'axis': 0}
MEAN = {**ALONG_AXIS, 'reduce': 'mean', 'include_self': True}
PRODUCT = {**ALONG_AXIS, 'reduce': 'mul', 'include_self': True}
SUM = {'axis': 0, 'reduce': 'sum', 'include_self': False}
MAIN_DIAGONAL = {'offset': 0, 'axis1': 0, 'axis2': 1}
# (function, names of Tensors, other arguments, {argument: kind})
CALLS = (
    ('masked_scatter', MASKED, {}, {}),
    ('masked_scatter_', MASKED, {}, {}),
    ('masked_fill', ('x', 'mask'), {'value': 2.0}, NUMBER),
    ('masked_fill_', ('x', 'mask'), {'value': 2.0}, NUMBER),
    ('select_scatter', ('x', 'values'), {'axis': 0, 'index': 1}, INT),
    ('diagonal_scatter', ('x', 'y'), MAIN_DIAGONAL, INT),
    ('scatter', INDEXED, {'overwrite': True}, KINDS),
    ('scatter_', INDEXED, {'overwrite': True}, KINDS),
    ('scatter', INDEXED, {'out': None}, KINDS),
    ('scatter', INDEXED, MEAN, KINDS),
    ('scatter_', INDEXED, MEAN, KINDS),
    ('scatter', INDEXED, PRODUCT, KINDS),
    ('scatter', INDEXED, SUM, KINDS),
)


def exceeds_int(kind, value):
    """Return whether Paddle's generated code rejects an axis. Beyond 64 bits, it
    raises SystemError."""
    return kind == 'axis' and type(value) is int and abs(value) >= 2**31


def errors_for(kind, value):
    """Return the expected errors: TypeError, as documented, for a wrong type."""
    if exceeds_int(kind, value):
        return (*ERRORS, SystemError)
    too_large = kind in ('int', 'axis') and type(value) is int
    typed = kind in ('int', 'axis', 'flag', 'overwrite', 'out')
    return TypeError if typed and not too_large else ERRORS


def names_the_call(function, text):
    """Return whether an error names the function or its operator."""
    api = function.rstrip('_')
    if api != 'scatter':
        return api in text
    # InferMeta of Paddle's own operator names only the inputs.
    return any(word in text for word in ('scatter', 'index_reduce', 'Input('))


def call(function, arguments):
    """Return the result as an array."""
    return getattr(paddle, function)(**arguments).numpy()


def call_static(function, arguments, eager=()):
    """Build and run a program whose inputs are the Tensors that are not eager."""
    feed = {
        name: value.numpy()
        for name, value in arguments.items()
        if isinstance(value, paddle.Tensor) and name not in eager
    }
    program = paddle.static.Program()
    with static_mode(), paddle.static.program_guard(program):
        inputs = {
            name: paddle.static.data(name, array.shape, str(array.dtype))
            for name, array in feed.items()
        }
        out = getattr(paddle, function)(**{**arguments, **inputs})
        executor = paddle.static.Executor()
        return executor.run(program, feed=feed, fetch_list=[out])[0]


def arguments_of(tensors, others):
    tensors = {name: paddle.to_tensor(TENSORS[name]) for name in tensors}
    return {**tensors, **others}


class TestOddArguments(unittest.TestCase):
    def test_dygraph(self):
        self.check_calls(call, CALLS, lambda kind: kind != 'out')

    def test_static_graph(self):
        calls = [row for row in CALLS if not row[0].endswith('_')]
        self.check_calls(call_static, calls, lambda kind: kind == 'number')

    def check_calls(self, run, calls, accepts_tensor):
        """Pass each value as each argument."""
        count = 0
        for function, tensors, others, kinds in calls:
            for argument, (odd, plain) in itertools.product(
                (*tensors, *others), ODD_VALUES
            ):
                kind = kinds.get(argument, 'tensor')
                is_tensor = isinstance(odd, paddle.Tensor)
                if is_tensor and not accepts_tensor(kind):
                    continue
                if kind == 'overwrite' and kind not in plain:
                    kind = 'flag'
                arguments = arguments_of(tensors, others)
                arguments[argument] = odd.clone() if is_tensor else odd
                count += 1
                with self.subTest(f'{function}({argument}={odd})'):
                    if kind in plain:
                        self.check_answer(
                            run, function, arguments, argument, plain[kind]
                        )
                    elif is_tensor and kind == 'tensor':
                        self.check_tensor(run, function, arguments)
                    else:
                        errors = errors_for(kind, odd)
                        text = self.error_text(run, function, arguments, errors)
                        if not exceeds_int(kind, odd):
                            self.assertTrue(
                                names_the_call(function, text), text
                            )
                            self.assertRegex(text, rf'\b{argument}\b')
        self.assertGreater(count, 500)

    def error_text(self, run, function, arguments, errors=ERRORS):
        """Return the text of the error of a call."""
        with self.assertRaises(errors) as caught:
            run(function, arguments)
        return str(caught.exception)

    def check_answer(self, run, function, arguments, argument, plain):
        """Compare the result or the error with that of the plain value."""
        same = {
            name: v.clone() if isinstance(v, paddle.Tensor) else v
            for name, v in {**arguments, argument: plain}.items()
        }
        try:
            expected = run(function, same)
        except ERRORS as error:
            with self.assertRaises(type(error)):
                run(function, arguments)
            return
        np.testing.assert_array_equal(run(function, arguments), expected)

    def check_tensor(self, run, function, arguments):
        """Check that a Tensor of odd shape or dtype is accepted or named."""
        try:
            run(function, arguments)
        except ERRORS as error:
            self.assertTrue(names_the_call(function, str(error)), error)
            self.assertRegex(str(error).lower(), '|'.join(arguments))

    def test_error_abbreviates_long_values(self):
        arguments = arguments_of(('x', 'values'), {'axis': 0})
        arguments['index'] = [0] * 10**6
        text = self.error_text(call, 'select_scatter', arguments)
        self.assertLess(len(text), 200)

    def test_tensor_in_place_of_int_raises_in_static_graph(self):
        for function, tensors, others, _ in CALLS[4:6]:
            # Only the index of select_scatter may be a Tensor.
            for argument in others.keys() - {'index'}:
                arguments = arguments_of(tensors, others)
                arguments[argument] = paddle.to_tensor(0)
                with self.subTest(function=function, argument=argument):
                    text = self.error_text(call_static, function, arguments)
                    self.assertIn(f'The type of {argument} should be', text)

    def test_eager_tensors_raise_in_static_graph(self):
        for function, tensors, others, _ in CALLS:
            if function.endswith('_'):
                continue
            for eager in (*((name,) for name in tensors), tensors):
                arguments = arguments_of(tensors, others)
                with (
                    self.subTest(function=function, eager=eager),
                    self.assertRaises(TypeError) as caught,
                ):
                    call_static(function, arguments, eager)
                text = str(caught.exception)
                self.assertTrue(names_the_call(function, text), text)


class TestSparseTensors(unittest.TestCase):
    def test_sparse_tensors_raise_value_error(self):
        # The functions convert other ValueErrors, about shapes.
        for function, tensors, others, _ in CALLS[4:6]:
            for argument in tensors:
                arguments = arguments_of(tensors, others)
                dense = arguments[argument]
                arguments[argument] = dense.to_sparse_coo(dense.ndim)
                with self.subTest(function=function, argument=argument):
                    text = f'{argument} should be a dense Tensor'
                    with self.assertRaisesRegex(ValueError, text):
                        call(function, arguments)


class TestPositionalName(unittest.TestCase):
    """The fifth argument of a legacy call is name, otherwise axis."""

    def test_new_arguments_make_it_an_invalid_axis(self):
        tensors = paddle.zeros([3]), paddle.to_tensor([0, 2]), paddle.ones([2])
        for function, value, new in itertools.product(
            (paddle.scatter, paddle.scatter_),
            ('a', None),
            ({'reduce': 'mul'}, {'include_self': True}, {'reduce': 'sum'}),
        ):
            text = r'\(scatter_?\) The type of axis should be int'
            with self.subTest(value=value, new=new):
                with self.assertRaisesRegex(TypeError, text):
                    function(*tensors, False, value, **new)
                with self.assertRaisesRegex(TypeError, text):
                    function(*tensors, False, axis=value)


if __name__ == '__main__':
    unittest.main()
