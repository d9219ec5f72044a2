import inspect
import re
import unittest
import warnings
from itertools import product
from unittest import mock

import numpy as np
from scatter_op_utils import (
    ALL_DTYPES,
    check_error,
    check_orders,
    gradients,
    run_program,
    trace_and_save,
)

import paddle
from paddle.pir_utils import OldIrGuard
from paddle.static import InputSpec

FUNCTIONS = [paddle.scatter, paddle.scatter_]
REDUCES = {'sum': np.sum, 'mean': np.mean, 'mul': np.prod}
REDUCES = {**REDUCES, 'amax': np.max, 'amin': np.min}
NAMES = ['x', 'index', 'updates']
ATTRS = ['overwrite', 'axis', 'reduce', 'include_self']
# The first seven are linear; the operator scatter serves the first two.
CALLS = [
    (True, 0, 'sum', False),
    (False, 0, 'sum', False),
    (True, 1, 'sum', False),
    *((False, axis, r, axis == 0) for r in REDUCES for axis in [0, -1]),
    (False, -2, 'mean', False),
]
# Served by the operators scatter, index_scatter and index_reduce.
OPTIONS = [
    {'overwrite': True},
    {'overwrite': False},
    {'overwrite': False, 'reduce': 'mean'},
    {'overwrite': False, 'reduce': 'amax', 'include_self': True},
]


def setUpModule():
    # On a GPU, scatter supports fewer dtypes, any duplicate may win, and an invalid
    # index ends the process.
    paddle.set_device('cpu')
    np.random.seed(2026)


def reference(x, index, updates, overwrite, axis, reduce, include_self):
    out = np.moveaxis(x, axis, 0).copy()
    rows = np.moveaxis(updates, axis, 0)
    slices = index % len(out)
    for s in np.unique(slices):
        group = rows[: len(slices)][slices == s]
        if include_self:
            group = np.concatenate([out[[s]], group])
        out[s] = group[-1] if overwrite else REDUCES[reduce](group, 0)
    return np.moveaxis(out, 0, axis).copy()


def make_arrays(attrs, shape=(5, 4)):
    updates_shape = list(shape)
    updates_shape[attrs[1]] = 6
    index = np.array([1, 3, -2, 1, -4, 1])
    return [np.random.random(shape), index, np.random.random(updates_shape)]


def make_tensors(arrays, stop_gradient=True):
    return [
        paddle.to_tensor(a, stop_gradient=stop_gradient or a.dtype == np.int64)
        for a in arrays
    ]


def with_gradients(out, inputs):
    return [out, *gradients([out], inputs[::2], [out * 2])]


class TestScatterAPI(unittest.TestCase):
    def test_functions_and_methods(self):
        methods = [paddle.Tensor.scatter, paddle.Tensor.scatter_]
        for attrs, function in product(CALLS, [*FUNCTIONS, *methods]):
            arrays = make_arrays(attrs)
            tensors = make_tensors(arrays)
            if function in methods:
                out = function(*tensors, *attrs, 'name')
            else:
                values = [*tensors, *attrs, None]
                out = function(**dict(zip([*NAMES, *ATTRS, 'name'], values)))
            expected = reference(*arrays, *attrs)
            np.testing.assert_allclose(out.numpy(), expected, 1e-14)
            if function.__name__ == 'scatter_':
                self.assertIs(out, tensors[0])
            else:
                self.assertTrue((tensors[0].numpy() == arrays[0]).all())

    def test_views(self):
        for attrs in CALLS:
            x, index, updates = make_arrays(attrs)
            expected = reference(x, index, updates, *attrs)
            base = paddle.to_tensor(np.repeat(x, 2, 1))
            view = base[:, ::2]
            index = paddle.to_tensor(np.repeat(index, 2))[::2]
            updates = paddle.to_tensor(updates.T.copy()).T
            out = paddle.scatter(view, index, updates, *attrs)
            np.testing.assert_allclose(out.numpy(), expected, 1e-14)
            paddle.scatter_(view, index, updates, *attrs)
            np.testing.assert_allclose(view.numpy(), expected, 1e-14)
            self.assertTrue((base[:, 1::2].numpy() == x).all())

    def test_overlapping_inputs(self):
        array = np.array([3, 2, 2, 0])
        for attrs in [attrs for attrs in CALLS if attrs[1] == 0]:
            x = paddle.to_tensor(array)
            paddle.scatter_(x, x[:3], x[1:], *attrs)
            expected = reference(array, array[:3], array[1:], *attrs)
            self.assertEqual(x.tolist(), expected.tolist())

    def test_dtypes_and_shapes_of_index(self):
        index = np.array([1, 3, 1, -4])
        for dtype, attrs in product(ALL_DTYPES, CALLS[:4]):
            axis = attrs[1]
            x, updates = np.ones([5, 5]), np.arange(30).reshape([6, 5]) % 7
            updates = updates if axis == 0 else updates.T
            for form, rows in [
                (index, updates.take(range(4), axis)),
                (index.astype('int32'), updates),  # the last rows are unused
                (index.reshape([4, 1]), updates),
                (np.array(3), updates.take(0, axis)),
            ]:
                matrix = rows if rows.ndim == 2 else np.expand_dims(rows, axis)
                expected = reference(x, form.reshape(-1), matrix, *attrs)
                expected = paddle.to_tensor(expected, dtype)
                args = paddle.to_tensor(form), paddle.to_tensor(rows, dtype)
                for function in FUNCTIONS:
                    out = function(paddle.to_tensor(x, dtype), *args, *attrs)
                    self.assertEqual(out.dtype, args[1].dtype)
                    self.assertTrue((out == expected).all(), (dtype, attrs))

    def test_high_ranks(self):
        for rank, attrs in product([7, 9], CALLS[2:5]):
            shape = [1] * rank
            shape[attrs[1]] = 3  # the last update is unused
            arrays = [np.ones([1] * rank), np.array([0, -1]), np.ones(shape)]
            x, index, updates = make_tensors(arrays)
            out = paddle.scatter(x, index, updates, *attrs)
            self.assertTrue((out.numpy() == reference(*arrays, *attrs)).all())
            updates = paddle.full([1] * (rank - 1), 5.0, x.dtype)
            out = paddle.scatter(x, index[0], updates, *attrs)
            self.assertEqual(out.item(), 6 if attrs[3] else 5)

    def test_zero_size(self):
        for attrs, function in product(CALLS, FUNCTIONS):
            for shape, index, updates_shape in [
                ((3, 2), np.zeros(0, 'int64'), (0, 2)),
                ((3, 2), np.zeros(0, 'float32'), (4, 2)),
                ((3, 0), np.array([0, 9]), (2, 0)),
                ((0, 2), np.array([0, 1], 'int32'), (2, 2)),
                ((0, 2), np.array(7), (2,)),
            ]:
                if attrs[1] in [1, -1]:
                    shape, updates_shape = shape[::-1], updates_shape[::-1]
                arrays = [np.random.random(shape), np.ones(updates_shape)]
                x, updates = make_tensors(arrays, False)
                out = function(x * 1, paddle.to_tensor(index), updates, *attrs)
                self.assertEqual(out.tolist(), x.tolist())
                grads = paddle.grad(out.sum(), [x, updates])
                for grad, desired in zip(grads, [x * 0 + 1, updates * 0]):
                    self.assertEqual(grad.shape, desired.shape)
                    self.assertTrue((grad == desired).all())

    def test_out(self):
        x, index = paddle.ones([3]), paddle.to_tensor([0, 0])
        updates, out = paddle.to_tensor([2.0, 3.0]), paddle.zeros([3])
        for args, kwargs, expected in [
            ([False], {'reduce': 'prod', 'out': out}, 6),
            ([False, 0, 'sum', True, None, out], {}, 6),
            ([True, None, out], {}, 3),  # the legacy signature has no axis
        ]:
            result = paddle.scatter(x, index, updates, *args, **kwargs)
            self.assertEqual(result.tolist(), [expected, 1, 1])
            self.assertEqual(out.tolist(), [expected, 1, 1])
        message = r'\(scatter\) The type of out should be Tensor'
        with self.assertRaisesRegex(TypeError, message):
            paddle.scatter(x, index, updates, out=[1])

    def test_torch_form(self):
        index = paddle.to_tensor([[0, 1], [2, 0]])
        src = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        for function in FUNCTIONS:
            x = paddle.ones([3, 2])
            out = function(x, dim=0, index=index, src=src)
            self.assertEqual(out.tolist(), [[1, 4], [1, 2], [3, 1]])
            self.assertEqual(out is x, function is paddle.scatter_)
            out = function(paddle.ones([3, 2]), 0, index, src, reduce='add')
            self.assertEqual(out.tolist(), [[2, 5], [1, 3], [4, 1]])

    def test_equivalent_arguments(self):
        x, updates = paddle.ones([1, 3]), paddle.to_tensor([[2.0, 3.0]])
        index = paddle.to_tensor([2, 2])
        for args, expected in [
            ([True, np.int64(1)], 3),
            ([np.bool_(False), paddle.to_tensor(1)], 5),
            ([False, np.array(1, 'uint8'), np.str_('add'), np.True_], 6),
            ([None, 1], 5),
            ([False, 1, 'add', True], 6),
            ([False, 1, 'multiply'], 6),
            ([False, 1, 'prod'], 6),
        ]:
            out = paddle.scatter(x, index, updates, *args)
            self.assertEqual(out.tolist(), [[1, 1, expected]])

    def test_signature(self):
        for function, own in zip(FUNCTIONS, [['out'], []]):
            parameters = inspect.signature(function).parameters
            self.assertEqual([*parameters], [*NAMES, *ATTRS, 'name', *own])

    def test_amp_lists(self):
        black_list = paddle.amp.amp_lists.black_list()['float16']['O1']
        self.assertLess({'index_scatter', 'index_reduce'}, black_list)


class TestScatterGrad(unittest.TestCase):
    def test_inplace(self):
        for attrs in CALLS:
            tensors = make_tensors(make_arrays(attrs), False)
            copy = tensors[0] * 1
            with self.assertRaisesRegex(ValueError, r'\(scatter_\) Leaf Var'):
                paddle.scatter_(*tensors, *attrs)
            self.assertTrue((tensors[0] == copy).all())
            out = paddle.scatter(*tensors, *attrs)
            expected = with_gradients(out, tensors)
            out = paddle.scatter_(copy, *tensors[1:], *attrs)
            for actual, desired in zip(with_gradients(out, tensors), expected):
                self.assertTrue((actual == desired).all())

    def test_inplace_overwrites_saved_updates(self):
        index = paddle.to_tensor([1, 0, 1])
        for reduce in ['mul', 'amax']:
            x = paddle.to_tensor([2.0, 3.0, 4.0], stop_gradient=False) * 1
            paddle.scatter_(x, index, x, False, 0, reduce, True)
            with self.assertRaisesRegex(RuntimeError, 'modified by'):
                x.sum().backward()

    def test_higher_orders(self):
        for attrs in CALLS[:7]:
            x, index, updates = make_arrays(attrs)

            def function(x, updates, index=index, attrs=attrs):
                return paddle.scatter(x, paddle.assign(index), updates, *attrs)

            check_orders(function, x.shape, updates.shape, x.shape)

    def test_create_graph_raises_without_second_order(self):
        for attrs in CALLS[7:-1]:
            tensors = make_tensors(make_arrays(attrs), False)
            out = paddle.scatter(*tensors, *attrs)
            with self.assertRaisesRegex(RuntimeError, 'index_reduce_grad'):
                paddle.grad(out, tensors[::2], create_graph=True)

    def test_gradient_of_wrong_shape_raises(self):
        for attrs in CALLS:
            tensors = make_tensors(make_arrays(attrs), False)
            out = paddle.scatter(*tensors, *attrs)
            out.register_hook(lambda grad: paddle.concat([grad, grad], 1))
            with self.assertRaisesRegex(ValueError, 'shape.* out_grad'):
                out.backward()

    def test_duplicates_and_unused_updates(self):
        index = paddle.to_tensor([1, 0, -3, 1])
        x, updates = make_tensors([np.zeros([3, 2]), np.ones([6, 2])], False)
        out_grad = paddle.to_tensor([[1, 2], [3, 4], [5, 6]], x.dtype)
        expected = [[3, 4], [1, 2], [1, 2], [3, 4], [0, 0], [0, 0]]
        for overwrite in [False, True]:
            if overwrite:
                expected[:2] = [[0, 0]] * 2
            out = paddle.scatter(x, index, updates, overwrite)
            grads = paddle.grad(out, [x, updates], out_grad)
            self.assertEqual(grads[0].tolist(), [[0, 0], [0, 0], [5, 6]])
            self.assertEqual(grads[1].tolist(), expected)


class TestScatterStatic(unittest.TestCase):
    def setUp(self):
        self.addCleanup(paddle.disable_static)

    def data(self, *shapes):
        dtypes = ['float64', 'int64', 'float64']
        return map(paddle.static.data, NAMES, shapes, dtypes)

    def check_programs(self):
        for attrs in CALLS:

            def function(*tensors, attrs=attrs):
                out = paddle.scatter(*tensors, *attrs)
                self.assertEqual(list(out.shape), [-1, -1])
                return with_gradients(out, tensors)

            feeds = [make_arrays(attrs, shape) for shape in [(5, 4), (6, 7)]]
            for arrays, result in zip(feeds, run_program(function, *feeds)):
                tensors = make_tensors(arrays, False)
                expected = paddle.scatter(*tensors, *attrs)
                expected = with_gradients(expected, tensors)
                for actual, desired in zip(result, expected):
                    np.testing.assert_allclose(actual, desired.numpy(), 1e-14)
            x, index, updates = feeds[0]
            with self.assertRaisesRegex(IndexError, 'index should be in'):
                run_program(function, [x, index + 9, updates])
            with self.assertRaisesRegex(ValueError, 'pdates'):
                run_program(function, [x, index, updates[:3]])

    def test_programs(self):
        self.check_programs()

    def test_legacy_programs(self):
        with OldIrGuard():
            self.check_programs()

    def test_in_place_function_in_program(self):
        arrays = make_arrays(CALLS[0])
        with self.assertWarnsRegex(UserWarning, 'does not perform inplace'):
            [[out]] = run_program(paddle.scatter_, arrays)
        expected = paddle.scatter(*make_tensors(arrays))
        np.testing.assert_array_equal(out, expected.numpy())

    def check_traced_and_saved(self, attrs):
        def scatter(x, index, updates):
            return paddle.scatter(x, index, updates, *attrs)

        specs = [InputSpec([-1, -1], 'float64', name) for name in NAMES]
        specs[1] = InputSpec([-1], 'int64', 'index')
        tensors = make_tensors(make_arrays(attrs), False)
        expected = with_gradients(scatter(*tensors), tensors)
        for model in trace_and_save(scatter, specs):
            results = with_gradients(model(*tensors), tensors)
            for actual, desired in zip(results, expected):
                np.testing.assert_allclose(actual.numpy(), desired.numpy())

    def test_to_static_and_saved(self):
        for attrs in CALLS[::4]:
            self.check_traced_and_saved(attrs)

    def test_shapes_of_updates(self):
        paddle.enable_static()
        for attrs, (*shapes, is_valid) in product(
            [CALLS[0], CALLS[5], CALLS[9]],
            [
                ([4, 3], [2], [2, 3], True),
                ([4, 3], [], [3], True),
                ([-1, 3], [2], [2, -1], True),
                ([4, 3], [2], [-1, 3], True),
                ([-1, 3], [-1], [-1, 5], False),
                ([4, 3], [2], [1, 3], False),
                ([4, 3], [], [1, 3], False),
            ],
        ):
            with paddle.static.program_guard(paddle.static.Program()):
                x, *others = self.data(*shapes)
                if is_valid:
                    out = paddle.scatter(x, *others, *attrs)
                    self.assertEqual(out.shape, x.shape)
                    continue
                with self.assertRaisesRegex(ValueError, '(?i)updates'):
                    paddle.scatter(x, *others, *attrs)
                with self.assertRaisesRegex(TypeError, 'x should be Tensor'):
                    paddle.scatter(None, *others, *attrs)
        with paddle.static.program_guard(paddle.static.Program()):
            # An empty index accepts updates of any shape.
            x, *others = self.data([4, 3], [0], [2, 5])
            self.assertEqual(paddle.scatter(x, *others).shape, x.shape)


class TestScatterErrors(unittest.TestCase):
    def check(self, error, message, **changes):
        for options, function in product(OPTIONS, FUNCTIONS):
            args = {
                'x': paddle.zeros([4, 3]),
                'index': paddle.to_tensor([0, 1]),
                'updates': paddle.ones([2, 3]),
                **options,
                **changes,
            }
            check_error(self, function, error, message, **args)

    def test_wrong_types_raise(self):
        for name, wrong in product(NAMES, [None, 1.5, [0]]):
            message = rf'\(scatter_?\) The type of {name} should be Tensor'
            self.check(TypeError, message, **{name: wrong})

    def test_index_out_of_range_raises(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        paddle.base.core.set_num_threads(2)
        values = [4, -5, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
        for length, value in product([3, 60000], values):
            dtype = 'int64' if length == 3 or abs(value) > 2**31 else 'int32'
            index = np.zeros(length, dtype)
            index[[length // 2, -1]] = value
            self.check(
                IndexError,
                rf'index should be in \[-4, 4\) .*index\[{length // 2}\] = {value}\.',
                index=paddle.to_tensor(index),
                updates=paddle.ones([length, 3]),
            )
        for value in [4, -5]:  # 0-D
            index, updates = paddle.to_tensor(value), paddle.ones([3])
            message = r'index should be in \[-4, 4\)'
            self.check(IndexError, message, index=index, updates=updates)

    def test_invalid_index_and_updates_raise(self):
        for dtype in ['bool', 'uint8', 'int16', 'float32']:
            message = f'dtype of index should be int32 or int64.*{dtype}'
            index = paddle.ones([2], dtype)
            self.check(ValueError, message, index=index)
            with self.assertRaisesRegex(ValueError, message):
                paddle.scatter(paddle.ones([2, 1]), index, paddle.ones([2, 0]))
        self.check(ValueError, 'index', index=paddle.zeros([1, 2], 'int64'))
        for shape in [[1, 3], [0, 3], [2, 1], [2, 4], [6], [2, 3, 1], []]:
            self.check(ValueError, 'updates', updates=paddle.ones(shape))
        index = paddle.to_tensor(1)
        for shape in [[2, 3], [1, 3], [2], [4], []]:
            updates = paddle.ones(shape)
            self.check(ValueError, 'updates', index=index, updates=updates)
        updates = paddle.ones([2, 3], 'float64')
        self.check(ValueError, 'float32, but received float64', updates=updates)

    def test_errors_describe_the_passed_shapes(self):
        for index, updates, message in [
            (1, [4, 1], 'updates should be [4] {} [], but received [4, 1].'),
            ([[0], [1]], [5, 6], '[4, 2] {} [2, 1], but received [5, 6].'),
            ([0, 1], [5, 6], '[4, 2] {} [2], but received [5, 6].'),
            ([[0, 1]], [4, 2], 'be [n], [n, 1] or [], but received [1, 2].'),
        ]:
            text = 'for x of shape [4, 3], axis 1 and index of shape'
            index, updates = paddle.to_tensor(index), paddle.ones(updates)
            message = re.escape(message.format(text))
            self.check(
                ValueError, message, index=index, updates=updates, axis=1
            )

    def test_invalid_attributes_raise(self):
        for axis in [2, -3, 2**31, 2**70]:
            message = rf'\(scatter_?\) .*axis should be in \[-2, 2\).*{axis}'
            self.check(IndexError, message, axis=axis)
        for axis in [1.0, True, '0']:
            self.check(TypeError, r'scatter_?\b.* axis ', axis=axis)
        for reduce in ['max', 'assign', '', 0, None]:
            message = f'of reduce should be one of sum, .* received .*{reduce}'
            self.check(ValueError, message, reduce=reduce)
        for name in ['overwrite', 'include_self']:
            message = rf'\(scatter_?\) The type of {name} should be bool'
            self.check(TypeError, message, **{name: 1})
        self.check(TypeError, 'unexpected keyword', alpha=1)
        x = paddle.zeros([])
        self.check(ValueError, r'rank of x|\(Updates\)', x=x, updates=x)

    def test_unsupported_dtypes_raise(self):
        wrong = [('complex64', 'amax'), ('complex64', 'amin')]
        wrong += product(['bool'], ['mul', 'mean', 'amax', 'amin'])
        for dtype, reduce in wrong:
            x = paddle.zeros([4, 3], dtype)
            options = {'overwrite': False, 'reduce': reduce}
            message = f"reduce '{reduce}', but received {dtype}"
            self.check(ValueError, message, x=x, updates=x[:2], **options)

    def test_ignored_arguments_warn(self):
        args = paddle.to_tensor([1, 1]), paddle.to_tensor([2.0, 4.0])
        for function in FUNCTIONS:
            for name, value in [('include_self', True), ('reduce', 'mean')]:
                message = f'{function.__name__}.*{name}={value!r} is ignored'
                with self.assertWarnsRegex(UserWarning, message):
                    out = function(paddle.ones([2]), *args, **{name: value})
                self.assertEqual(out.tolist(), [1, 4])
            with self.assertWarnsRegex(UserWarning, "Pass reduce='mean'"):
                out = function(paddle.ones([2]), *args, False, 'mean')
            self.assertEqual(out.tolist(), [1, 6])
            with warnings.catch_warnings():
                warnings.simplefilter('error')
                function(paddle.zeros([2]), *args, False, 'name')
                function(paddle.zeros([1, 2]), args[0], args[1][None], axis=1)
                for options in OPTIONS:
                    function(paddle.zeros([2]), *args, **options)

    @mock.patch('paddle.tensor.manipulation._current_expected_place_')
    def test_devices_without_kernels(self, current_expected_place):
        current_expected_place.return_value = 'XPU'
        tensors = paddle.zeros([2]), paddle.to_tensor([1]), paddle.ones([1])
        for function in FUNCTIONS:
            function(*tensors, False)
            with self.assertWarns(UserWarning):
                function(*tensors, reduce='mean')
            message = rf'\({function.__name__}\) .*axis, reduce and include_'
            with self.assertRaisesRegex(NotImplementedError, message):
                function(*tensors, False, include_self=True)

    def test_missing_arguments_raise(self):
        x = index = paddle.zeros([2], 'int64')
        for function in FUNCTIONS:
            message = r'(?s)^Too few arguments .*: 1, 0.* bool overwrite,'
            with self.assertRaisesRegex(TypeError, message):
                function(x)
            message = rf"^{function.__name__}\(\) missing .*'updates'$"
            with self.assertRaisesRegex(TypeError, message):
                function(x, index)
            with self.assertRaisesRegex(TypeError, message):
                function(x, index=index)
        with self.assertRaisesRegex(TypeError, 'type of axis should be int'):
            paddle.scatter_(x, index, x, True, None, None)  # has no out


if __name__ == '__main__':
    unittest.main()
