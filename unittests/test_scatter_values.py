# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""paddle.scatter by its tables, what no row of them can say, wrong calls."""

import inspect
import itertools
import unittest
import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
from index_reduce_cases import (
    LINEAR,
    LINEAR_REDUCES,
    OPERATORS,
    OTHER,
    OTHER_REDUCES,
    REDUCES,
    WIDE_ROWS,
    graph_cases,
    reference_scatter,
    scatter_cases,
)
from op_table import InplaceTests, ValueTests
from op_table_grad import GradientTests
from op_table_graph import GraphTests, ProgramTests, static_mode
from scatter_test_utils import OnCpu, assert_same_bits, random_array, to_paddle

import paddle

FUNCTIONS = paddle.scatter, paddle.scatter_
LINEAR_CASES = scatter_cases(LINEAR_REDUCES)
OTHER_CASES = scatter_cases(OTHER_REDUCES)


class TestScatterValues(ValueTests, InplaceTests, unittest.TestCase):
    op, cases = LINEAR, LINEAR_CASES + OTHER_CASES


class TestScatterWideValues(ValueTests, unittest.TestCase):
    op, cases = LINEAR, scatter_cases(REDUCES, WIDE_ROWS)


class TestScatterGradients(OnCpu, GradientTests, unittest.TestCase):
    op, cases = LINEAR, LINEAR_CASES


class TestScatterGradientsOfProducts(GradientTests, unittest.TestCase):
    op, cases = OTHER, OTHER_CASES


class TestScatterGraphs(OnCpu, GraphTests, unittest.TestCase):
    op, cases = LINEAR, graph_cases(LINEAR_REDUCES)
    few = slice(0, 5)


class TestScatterGraphsOfProducts(GraphTests, unittest.TestCase):
    # Every fifth: all rows have the six reductions together.
    op, cases = OTHER, graph_cases(OTHER_REDUCES)[::5]


class TestScatterOfX(OnCpu, GradientTests, ProgramTests, unittest.TestCase):
    """While updates stop their gradient."""

    op = replace(LINEAR, differentiable=('x',))
    cases = LINEAR_CASES[10:15]  # along the first axis: the operator scatter


class TestScatterOfUpdates(
    OnCpu, GradientTests, ProgramTests, unittest.TestCase
):
    """While x stops its gradient."""

    op = replace(LINEAR, differentiable=('updates',))
    cases = LINEAR_CASES[10:15]


class TestScatterCalls(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(8)

    def test_other_names_of_reductions(self):
        x, updates = paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([4.0, 5.0])
        index = paddle.to_tensor([1, 1])
        for alias, total in (
            ('add', 12.0),
            ('multiply', 60.0),
            ('prod', 60.0),
        ):
            out = paddle.scatter(
                x, index, updates, False, reduce=alias, include_self=True
            )
            self.assertEqual(out.tolist(), [2.0, total])

    def test_methods_and_in_place_forms(self):
        x, updates = (paddle.to_tensor(self.rng.random((3, n))) for n in (5, 3))
        index = paddle.to_tensor([1, 1, 4])
        named = {'axis': 1, 'reduce': 'mean', 'include_self': True}
        expected = reference_scatter(
            *(tensor.numpy() for tensor in (x, index, updates)),
            overwrite=False,
            **named,
        )
        others = {'index': index, 'updates': updates, 'overwrite': False}
        for function in (
            *FUNCTIONS,
            paddle.tensor.scatter,
            paddle.Tensor.scatter,
            paddle.Tensor.scatter_,
        ):
            for out in (
                function(x.clone(), *others.values(), *named.values(), 'name'),
                function(x.clone(), *others.values(), **named),
                function(x=x.clone(), **others, **named),
            ):
                with self.subTest(function=function.__name__):
                    np.testing.assert_allclose(out.numpy(), expected, 1e-14)

    def test_out(self):
        x, index = paddle.ones([3]), paddle.to_tensor([0, 0])
        updates, target = paddle.to_tensor([2.0, 3.0]), paddle.zeros([3])
        for args, options in (
            ((False,), {'reduce': 'prod', 'out': target}),
            ((False, 0, 'sum', True, None, target), {}),
        ):
            result = paddle.scatter(x, index, updates, *args, **options)
            self.assertEqual(result.tolist(), [6.0, 1.0, 1.0])
            self.assertEqual(target.tolist(), [6.0, 1.0, 1.0])

    def test_axis_may_be_a_numpy_integer(self):
        x, updates = paddle.zeros([2, 3]), paddle.ones([2, 1])
        index = paddle.to_tensor([2])
        out = paddle.scatter(x, index, updates, axis=np.int64(1))
        self.assertEqual(out.tolist(), [[0, 0, 1], [0, 0, 1]])

    def test_the_update_that_wins_has_the_gradient(self):
        index = np.array([1, 0, -3, 1])
        out_grad = random_array(self.rng, (4, 3), 'float64')
        x = to_paddle(np.zeros((4, 3)), stop_gradient=False)
        updates = to_paddle(np.ones((5, 3)), stop_gradient=False)
        out = paddle.scatter(x, paddle.to_tensor(index), updates)
        grads = paddle.grad([out], [x, updates], paddle.to_tensor(out_grad))
        expected = out_grad[index]
        if paddle.get_device() == 'cpu':  # a GPU has the kernel of the base
            expected[[0, 2]] = 0
        assert_same_bits(grads[1].numpy()[:4], expected)
        out_grad[[0, 1]] = 0
        assert_same_bits(grads[0], out_grad)

    def test_no_second_order_of_products_and_extremes(self):
        for reduce in OTHER_REDUCES:
            x, updates = paddle.ones([3, 2]), paddle.ones([2, 2])
            x.stop_gradient = updates.stop_gradient = False
            out = paddle.scatter(
                x, paddle.to_tensor([0, 0]), updates, False, reduce=reduce
            )
            with self.assertRaisesRegex(RuntimeError, 'index_reduce_grad'):
                paddle.grad([out], [x, updates], create_graph=True)

    def test_signatures_tell_the_arguments(self):
        for function, last in (
            (paddle.scatter, ['name', 'out']),
            (paddle.scatter_, ['name']),
        ):
            parameters = inspect.signature(function).parameters
            first = ['x', 'index', 'updates', 'overwrite', 'axis', 'reduce']
            self.assertEqual(list(parameters), [*first, 'include_self', *last])
            self.assertEqual(
                [parameters[name].default for name in first[3:]],
                [True, 0, 'sum'],
            )
            self.assertIs(parameters['include_self'].default, False)


class TestScatterAmp(unittest.TestCase):
    def test_auto_cast_treats_the_operators_alike(self):
        for lists in (
            paddle.amp.amp_lists.white_list(),
            paddle.amp.amp_lists.black_list(),
        ):
            for dtype, levels in lists.items():
                for level, names in levels.items():
                    for operator in OPERATORS:
                        with self.subTest(operator=operator, level=level):
                            self.assertEqual(
                                operator in names, 'scatter' in names, dtype
                            )
        black = paddle.amp.amp_lists.black_list()['float16']['O1']
        self.assertLessEqual(set(OPERATORS), set(black))


class TestScatterErrors(unittest.TestCase):
    """Wrong calls: which exception, and what it says."""

    # (exception, words, arguments after x, index and updates)
    refused = (
        *(
            (ValueError, 'value of reduce should be one of sum, add, mul',
             {'overwrite': False, 'reduce': reduce})
            for reduce in ('max', 'assign', '', 'SUM', 0, None)
        ),
        (TypeError, r'scatter_?\b.* axis .*1\.0', {'axis': 1.0}),
        (TypeError, r'scatter_?\b.* axis .*True', {'axis': True}),
        (TypeError, 'type of include_self should be bool',
         {'overwrite': False, 'include_self': 1}),
        (TypeError, 'type of overwrite should be bool',
         {'overwrite': 0, 'axis': 1}),
        (TypeError, 'type of overwrite should be bool', {'overwrite': 0}),
        (TypeError, 'unexpected keyword', {'alpha': 1}),
        *(
            (IndexError, r'\(scatter_?\) .* axis .* in \[-2, 2\)', options)
            for axis in (2, -3, 2**31, 2**40, -(2**40), 2**70)
            for options in (
                {'axis': axis},
                {'axis': axis, 'overwrite': False, 'reduce': 'mul'},
            )
        ),
        (ValueError, r'shape of updates should be \[3, 2\]', {'axis': 1}),
    )  # fmt: skip

    def setUp(self):
        self.x = paddle.zeros([3, 4])
        self.tensors = self.x, paddle.to_tensor([0, 1]), paddle.ones([2, 4])

    def test_what_is_refused(self):
        for function, (error, words, options) in itertools.product(
            FUNCTIONS, self.refused
        ):
            with self.subTest(function=function.__name__, **options):
                with self.assertRaisesRegex(error, words):
                    function(*self.tensors, **options)
                self.assertEqual(float(self.x.abs().sum()), 0)

    def test_names_and_numbers_of_arguments(self):
        # These texts are those of Paddle 3.3.1 to the letter: its tests compare.
        forms = (
            ' - (Tensor input, int dim, Tensor index, Tensor src, *, str '
            'reduce, Tensor out = None)\n'
            ' - (Tensor x, Tensor index, Tensor updates, bool overwrite, str '
            'name = None)',
            ' - (int dim, Tensor index, Tensor src, *, str reduce, Tensor out '
            '= None)\n'
            ' - (Tensor index, Tensor updates, bool overwrite, str name = '
            'None)',
        )
        for function, listed in zip(FUNCTIONS, forms):
            for args, named in (((), {}), ((self.x,), {}), ((), {'x': self.x})):
                with self.assertRaises(TypeError) as caught:
                    function(*args, **named)
                self.assertEqual(
                    str(caught.exception),
                    f'Too few arguments in the function call: {len(args)}, '
                    f'{len(named)}. Expect one of: \n{listed}',
                )
            missing = rf"^{function.__name__}\(\) missing .*'updates'$"
            with self.assertRaisesRegex(TypeError, missing):
                function(*self.tensors[:2])
            twice = "multiple values for argument 'name'"
            with self.assertRaisesRegex(TypeError, twice):
                function(*self.tensors, True, 'n', name='m')

    def test_reduce_as_fifth_argument_warns(self):
        x, index = paddle.zeros([2]), paddle.to_tensor([0, 0])
        updates = paddle.to_tensor([2.0, 4.0])
        for function in FUNCTIONS:
            with self.assertWarnsRegex(UserWarning, "Pass reduce='mean'"):
                out = function(x.clone(), index, updates, False, 'mean')
            self.assertEqual(out.tolist(), [6.0, 0.0])

    def test_arguments_ignored_with_overwrite_warn(self):
        index, updates = paddle.to_tensor([1, 1]), paddle.ones([2, 3])
        updates[1] = 5.0
        for function, (name, value) in itertools.product(
            FUNCTIONS,
            (
                ('include_self', True),
                *(('reduce', reduce) for reduce in REDUCES[2:]),
                ('reduce', 'prod'),
                ('reduce', 'add'),
            ),
        ):
            words = f'{name}={value!r} is ignored'
            with self.subTest(function=function.__name__, words=words):
                with self.assertWarnsRegex(UserWarning, words):
                    out = function(
                        paddle.zeros([2, 3]), index, updates, **{name: value}
                    )
                self.assertEqual(out.tolist(), [[0.0] * 3, [5.0] * 3])

    def test_other_calls_do_not_warn(self):
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            for options in (
                {},
                {'reduce': 'sum', 'include_self': False},
                {'overwrite': False, 'reduce': 'mean', 'include_self': True},
            ):
                paddle.scatter(*self.tensors, **options)
            updates = paddle.ones([3, 2])
            paddle.scatter(self.x, self.tensors[1], updates, axis=1)


class TestScatterTypes(unittest.TestCase):
    """Arguments that are no Tensors, by every path to an operator."""

    # keyword arguments: of the operators scatter, index_scatter, index_reduce
    paths = (
        {},
        {'overwrite': False},
        {'axis': 1},
        {'overwrite': False, 'reduce': 'mean'},
        {'overwrite': False, 'reduce': 'amax'},
    )

    def wrong_calls(self):
        """Yields (name of the wrong argument, arguments by name)."""
        for options, name, wrong in itertools.product(
            self.paths, ('x', 'index', 'updates'), (None, 1.5, [0, 1], 'a')
        ):
            given = {
                'x': paddle.zeros([2, 2]),
                'index': paddle.to_tensor([0, 1]),
                'updates': paddle.ones([2, 2]),
            }
            with self.subTest(name=name, wrong=wrong, **options):
                yield name, {**given, name: wrong, **options}

    def test_in_dygraph(self):
        for function in FUNCTIONS:
            for name, call in self.wrong_calls():
                words = rf'\b{function.__name__}\b.*\b{name}\b.* Tensor'
                with self.assertRaisesRegex(TypeError, words):
                    function(**call)
                if name != 'x':
                    self.assertEqual(float(call['x'].sum()), 0)

    def test_in_programs(self):
        for name, call in self.wrong_calls():
            program = paddle.static.Program()
            with static_mode(), paddle.static.program_guard(program):
                for other in {'x', 'index', 'updates'} - {name}:
                    dtype = 'int64' if other == 'index' else 'float32'
                    shape = call[other].shape
                    call[other] = paddle.static.data(other, shape, dtype)
                words = rf'\bscatter\b.*\b{name}\b.* Tensor'
                with self.assertRaisesRegex(TypeError, words):
                    paddle.scatter(**call)


class TestScatterShapesOfPrograms(unittest.TestCase):
    """Shapes that are known to be wrong when a program is built."""

    # (shapes of x, index and updates, whether a program may have them)
    shapes = (
        ([3, 2], [2], [2, 2], True),
        ([3, 2], [2], [4, 2], True),
        ([3, 2], [2, 1], [2, 2], True),
        ([3, 2], [], [2], True),
        ([-1, 2], [2], [2, -1], True),
        ([3, -1], [2], [-1, 5], True),
        ([3, -1], [], [-1], True),
        ([3, 2], [0], [0, 2], True),
        ([3, 2], [2], [2, 5], False),
        ([-1, 2], [-1], [-1, 5], False),
        ([3, 2], [2], [2, 1], False),
        ([3, 2], [2], [1, 2], False),
        ([3, 2], [2], [2], False),
        ([3, 2], [-1], [2, 2, 1], False),
        ([3, 2], [], [3], False),
        ([3, 2], [], [1, 2], False),
    )

    def test_shapes(self):
        for (*shapes, is_valid), axis in itertools.product(self.shapes, (0, 1)):
            x, index, updates = map(list, shapes)
            if axis == 1:
                x, updates = x[::-1], updates[::-1]
            program = paddle.static.Program()
            with (
                self.subTest(x=x, index=index, updates=updates, axis=axis),
                static_mode(),
                paddle.static.program_guard(program),
            ):
                tensors = (
                    paddle.static.data('x', x, 'float32'),
                    paddle.static.data('index', index, 'int64'),
                    paddle.static.data('updates', updates, 'float32'),
                )
                if not is_valid:
                    with self.assertRaisesRegex(ValueError, '(?i)updates'):
                        paddle.scatter(*tensors, axis=axis)
                    continue
                out = paddle.scatter(*tensors, axis=axis)
                self.assertEqual(list(out.shape), x)
                if -1 in (*x, *updates):
                    continue
                feed = {
                    'x': np.zeros(x, 'float32'),
                    'index': np.zeros(index, 'int64'),
                    'updates': np.ones(updates, 'float32'),
                }
                exe = paddle.static.Executor()
                (result,) = exe.run(program, feed=feed, fetch_list=[out])
                expected = feed['x']
                if 0 not in index:
                    expected[(slice(None),) * axis + (0,)] = 1
                assert_same_bits(result, expected)


class TestScatterNothing(OnCpu, unittest.TestCase):
    """Calls without elements to scatter or to scatter into return x."""

    # (shape of x, index, shape of updates); along the last axis the reverse
    rows = (
        ((3, 2), np.zeros(0, 'int64'), (0, 2)),
        ((3, 2), np.zeros(0, 'float32'), (0, 2)),
        ((3, 2), np.zeros(0, 'float32'), (2, 2)),
        ((3, 0), np.array([0, 9]), (2, 0)),
        ((3, 0), np.array([0, -9], 'int32'), (3, 0)),
        ((0, 2), np.array([0, 1]), (2, 2)),
        ((0, 2), np.array(7), (2,)),
    )
    reductions = (
        {},
        *(
            {'overwrite': False, 'reduce': reduce, 'include_self': own}
            for reduce in REDUCES[1:]
            for own in (False, True)
        ),
    )

    def test_x_is_returned(self):
        for function, axis, options, (shape, index, rows) in itertools.product(
            FUNCTIONS, (0, 1), self.reductions, self.rows
        ):
            x, updates = (
                random_array(np.random.default_rng(1), s, 'float32')
                for s in (
                    (shape, rows) if axis == 0 else (shape[::-1], rows[::-1])
                )
            )
            leaf, update = (
                to_paddle(array, stop_gradient=False) for array in (x, updates)
            )
            with self.subTest(axis=axis, shape=shape, index=index, **options):
                out = function(
                    leaf * 1, to_paddle(index), update, axis=axis, **options
                )
                assert_same_bits(out, x)
                grads = paddle.grad([out], [leaf, update])
                assert_same_bits(grads[0], np.ones_like(x))
                assert_same_bits(grads[1], np.zeros_like(updates))

    def test_dtype_of_updates_without_elements(self):
        x, nothing = paddle.ones([3], 'int64'), paddle.to_tensor([])
        for options in ({}, *self.reductions[1:]):
            out = paddle.scatter(x, nothing, nothing, **options)
            self.assertEqual(out.tolist(), [1, 1, 1])


class TestScatterLeaf(unittest.TestCase):
    def test_it_is_refused_before_it_is_written(self):
        for options in TestScatterTypes.paths:
            x = paddle.zeros([2, 2])
            x.stop_gradient = False
            tensors = x, paddle.to_tensor([0, 1]), paddle.ones([2, 2])
            # as in a tree, where the operator writes first
            names = 'scatter_', 'index_scatter_', 'index_reduce_'
            spies = {name: mock.Mock() for name in names}
            with (
                self.subTest(**options),
                mock.patch.multiple(paddle._C_ops, **spies),
                self.assertRaisesRegex(ValueError, r'\(scatter_\) Leaf Var'),
            ):
                paddle.scatter_(*tensors, **options)
            self.assertFalse(any(spy.called for spy in spies.values()))
            self.assertEqual(float(x.sum()), 0)
            with paddle.no_grad():
                paddle.scatter_(*tensors, **options)
            self.assertEqual(x.tolist(), [[1.0, 1.0], [1.0, 1.0]])


class TestScatterDevices(unittest.TestCase):
    def test_devices_without_the_kernels(self):
        tensors = (
            paddle.zeros([2, 2]),
            paddle.to_tensor([1]),
            paddle.ones([1, 2]),
        )
        without = mock.patch.object(
            paddle.tensor.manipulation,
            '_has_scatter_kernels',
            return_value=False,
        )
        for function in FUNCTIONS:
            with without:
                for options in TestScatterTypes.paths[2:]:
                    words = rf'\({function.__name__}\) .*axis'
                    with self.assertRaisesRegex(NotImplementedError, words):
                        function(*tensors, **options)
                self.assertEqual(float(tensors[0].sum()), 0)
                out = function(tensors[0] * 1, *tensors[1:])
            self.assertEqual(out.tolist(), [[0.0, 0.0], [1.0, 1.0]])


class TestScatterWrongTensors(OnCpu, unittest.TestCase):
    """Along either axis of a square."""

    # (exception, the argument it names, arguments)
    refused = (
        (IndexError, 'index', {'index': np.array([0, 2])}),
        (IndexError, 'index', {'index': np.array([-3, 0])}),
        (ValueError, 'index', {'index': np.array([0.0, 1.0])}),
        (ValueError, 'index', {'index': np.array([[0, 1]])}),
        (ValueError, 'updates', {'index': np.array(0)}),
        (ValueError, 'updates', {'updates': np.ones((2, 2), 'int32')}),
        (ValueError, 'updates', {'updates': np.ones((1, 2))}),
        (ValueError, 'updates', {'updates': np.ones((2, 1))}),
    )

    def test_what_is_refused(self):
        for function, axis, (error, word, changed) in itertools.product(
            FUNCTIONS, (0, 1), self.refused
        ):
            given = {'index': np.arange(2), 'updates': np.ones((2, 2))}
            x, tensors = paddle.zeros([2, 2], 'float64'), given | changed
            tensors = {name: to_paddle(a) for name, a in tensors.items()}
            with self.subTest(function=function.__name__, axis=axis, **changed):
                with self.assertRaisesRegex(error, word):
                    function(x, **tensors, axis=axis)
                self.assertEqual(float(x.abs().sum()), 0)

    def test_dtypes_without_the_reduction(self):
        for dtype, reduce in (('bool', 'mul'), ('complex64', 'amax')):
            x, index = paddle.ones([2, 2], dtype), paddle.to_tensor([0, 1])
            for function, axis in itertools.product(FUNCTIONS, (0, 1)):
                with self.assertRaisesRegex(ValueError, reduce):
                    function(x, index, x + x, False, axis, reduce)


if __name__ == '__main__':
    unittest.main()
