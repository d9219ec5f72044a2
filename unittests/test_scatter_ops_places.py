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
"""Where the scatter functions have no kernels, or must do without them.

XPU and custom devices get compositions of other operators, and so do programs
that are built under compatible_ops_guard. They are run here on a CPU that is said
to have no kernels, and held to what the kernels give.
"""

import contextlib
import re
import unittest
from unittest import mock

import numpy as np
from masked_scatter_cases import cases as masked_cases
from masked_scatter_cases import count_true
from scatter_docstring_utils import run_samples
from scatter_graph_utils import (
    StaticFunction,
    forget_dead_programs,
    run_static,
    static_mode,
)
from scatter_test_utils import assert_same_bits
from view_scatter_cases import DIAGONAL, SELECT, random_pair

import paddle
from paddle.base import core
from paddle.tensor import manipulation

ALL_DTYPES = (
    'bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
    'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip
NEW_OPS = (
    'masked_scatter', 'masked_fill', 'select_scatter', 'diagonal_scatter',
    'index_scatter', 'index_reduce',
)  # fmt: skip


def whole_numbers(rng, shape):
    """Numbers whose cubes are summed without rounding, in any order."""
    return rng.integers(-9, 10, shape).astype('float64')


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


def run_dygraph(function, arrays, grads_of=()):
    """The output, and the gradients of the sum of its cubes."""
    inputs = {
        name: paddle.to_tensor(array, stop_gradient=name not in grads_of)
        for name, array in arrays.items()
    }
    out = function(*inputs.values())
    if not grads_of:
        return [out.numpy()]
    wanted = [inputs[name] for name in grads_of]
    grads = paddle.grad([(out * out * out).sum()], wanted)
    return [out.numpy(), *(grad.numpy() for grad in grads)]


def masked_scatter(x, mask, value):
    return paddle.masked_scatter(x, mask, value)


def masked_scatter_inplace(x, mask, value):
    x = x * 1  # a leaf can't be changed in place
    out = paddle.masked_scatter_(x, mask, value)
    assert out is x
    return out


class ComposedTest(unittest.TestCase):
    def both(self, run, function, *arguments, name=''):
        expected = run(function, *arguments)
        with no_kernels():
            actual = run(function, *arguments)
        self.assertEqual(len(actual), len(expected))
        for got, wanted in zip(actual, expected):
            assert_same_bits(np.asarray(got), np.asarray(wanted), name)


class TestMaskedScatter(ComposedTest):
    def arrays(self, x_shape, mask, value_shape):
        rng = np.random.default_rng(1)
        x, value = (whole_numbers(rng, s) for s in (x_shape, value_shape))
        return {'x': x, 'mask': mask, 'value': value}

    def test_values_and_gradients(self):
        for name, *shapes in masked_cases():
            arrays = self.arrays(*shapes)
            grads_of = ('x', 'value')
            with self.subTest(name):
                self.both(run_dygraph, masked_scatter, arrays, grads_of)

    def test_in_place(self):
        for name, x_shape, mask, value_shape in masked_cases():
            if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
                continue
            arrays = self.arrays(x_shape, mask, value_shape)
            with self.subTest(name):
                self.both(
                    run_dygraph,
                    masked_scatter_inplace,
                    arrays,
                    ('x', 'value'),
                )

    def test_graph(self):
        for name, x_shape, mask, value_shape in masked_cases():
            if 0 in x_shape + mask.shape + value_shape or x_shape == ():
                continue
            arrays = self.arrays(x_shape, mask, value_shape)
            for known in (True, False):
                with self.subTest(name, known_dims=known):
                    self.both(
                        run_static,
                        masked_scatter,
                        arrays,
                        ('x', 'value'),
                        known,
                    )

    def test_dtypes(self):
        rng = np.random.default_rng(2)
        x, value = rng.random((2, 5, 7)) * 9 - 4
        mask = rng.random((5, 7)) < 0.5

        for dtype in ALL_DTYPES:

            def function(x, mask, value, dtype=dtype):
                return paddle.masked_scatter(
                    x.astype(dtype), mask, value.astype(dtype)
                )

            arrays = {'x': x, 'mask': mask, 'value': value}
            self.both(run_dygraph, function, arrays, name=dtype)

    def test_too_few_values(self):
        for name, x_shape, mask, _ in masked_cases():
            wanted = count_true(x_shape, mask)
            if wanted == 0:
                continue
            arrays = self.arrays(x_shape, mask, (wanted - 1,))
            text = f'{wanted} expected, but value has {wanted - 1}'
            with self.subTest(name), no_kernels():
                with self.assertRaisesRegex(AssertionError, text):
                    run_dygraph(masked_scatter, arrays)

    def test_x_is_unchanged_after_an_error_in_place(self):
        x = paddle.zeros([3])
        mask = paddle.to_tensor([True, False, True])
        with no_kernels(), self.assertRaises(AssertionError):
            paddle.masked_scatter_(x, mask, paddle.ones([1]))
        self.assertEqual(x.tolist(), [0.0, 0.0, 0.0])

    def test_wrong_arguments_are_refused_as_before(self):
        x, mask = paddle.zeros([3]), paddle.ones([3], 'bool')
        with no_kernels():
            with self.assertRaises(AssertionError):
                paddle.masked_scatter(x, x, x)
            with self.assertRaises(AssertionError):
                paddle.masked_scatter(x, mask, mask)
            with self.assertRaises(ValueError):
                paddle.masked_scatter(x, paddle.ones([2], 'bool'), x)
            with self.assertRaises(TypeError):
                paddle.masked_scatter([1.0], mask, x)


class ViewTests:
    """select_scatter and diagonal_scatter, as `op` says."""

    def arrays(self, x_shape, attributes):
        rng = np.random.default_rng(3)
        make = lambda shape: whole_numbers(rng, shape)  # noqa: E731
        pair = random_pair(self.op, make, x_shape, attributes)
        return self.op.named(*pair)

    def test_values_and_gradients(self):
        for name, x_shape, attributes in self.op.cases:
            arrays = self.arrays(x_shape, attributes)
            function = self.op.call(*attributes)
            with self.subTest(name):
                self.both(run_dygraph, function, arrays, tuple(arrays))

    def test_graph(self):
        for name, x_shape, attributes in self.op.cases:
            arrays = self.arrays(x_shape, attributes)
            if 0 in arrays['x'].shape + arrays[self.op.values_name].shape:
                continue
            function = self.op.call(*attributes)
            for known in (True, False):
                with self.subTest(name, known_dims=known):
                    self.both(
                        run_static, function, arrays, tuple(arrays), known
                    )

    def test_dtypes(self):
        attributes = self.op.cases[2][2]
        arrays = self.arrays((5, 7), attributes)
        for dtype in ALL_DTYPES:

            def function(x, values, dtype=dtype):
                x, values = (t.astype(dtype) for t in (x, values))
                return self.op.function(x, values, *attributes)

            self.both(run_dygraph, function, arrays, name=dtype)

    def test_the_result_is_a_copy(self):
        for name, x_shape, attributes in self.op.cases:
            tensors = [
                paddle.to_tensor(array)
                for array in self.arrays(x_shape, attributes).values()
            ]
            before = tensors[0].numpy().copy()
            with no_kernels():
                out = self.op.function(*tensors, *attributes)
            out.zero_()
            assert_same_bits(tensors[0].numpy(), before, name)


class TestSelectScatter(ViewTests, ComposedTest):
    op = SELECT

    def test_values_are_cast(self):
        x, values = paddle.zeros([2, 3], 'int32'), paddle.to_tensor([1.5, -2.5])
        with no_kernels():
            out = paddle.select_scatter(x, values, 1, 0)
        self.assertEqual(out.tolist(), [[1, 0, 0], [-2, 0, 0]])

    def test_wrong_arguments_are_refused_as_before(self):
        x = paddle.zeros([2, 3])
        with no_kernels():
            for axis, index in ((2, 0), (-3, 0), (1, 3), (1, -4)):
                with self.assertRaises(IndexError):
                    paddle.select_scatter(x, x[:, 0], axis, index)
            with self.assertRaises(RuntimeError):
                paddle.select_scatter(x, x[0], 1, 0)
            with self.assertRaises(TypeError):
                paddle.select_scatter(x, 1.0, 1, 0)


class TestDiagonalScatter(ViewTests, ComposedTest):
    op = DIAGONAL

    def test_only_the_rows_and_columns_need_be_known(self):
        program = paddle.static.Program()
        with static_mode(), no_kernels():
            with paddle.static.program_guard(program):
                x = paddle.static.data('x', [-1, -1, 3, 4])
                y = paddle.static.data('y', [-1, -1, 3])
                out = paddle.diagonal_scatter(x, y, 0, 2, 3)
            self.assertEqual(list(out.shape), [-1, -1, 3, 4])

    def test_wrong_arguments_are_refused_as_before(self):
        x = paddle.zeros([2, 3])
        with no_kernels():
            with self.assertRaises(ValueError):
                paddle.diagonal_scatter(x, paddle.zeros([2], 'complex64'))
            with self.assertRaises(AssertionError):
                paddle.diagonal_scatter(x, paddle.zeros([3]))
            with self.assertRaises(AssertionError):
                paddle.diagonal_scatter(x, paddle.zeros([2]), 0, 1, -1)
            with self.assertRaises(TypeError):
                paddle.diagonal_scatter(x, 1.0)


REDUCES = ('sum', 'mean', 'mul', 'amax', 'amin')


def scatter_calls():
    """(name, options, (shape of the index, slices of updates)) of each kind."""
    shapes = ((4,), 4), ((4, 1), 6), ((), None)
    for axis in (0, 1, -1):
        for shape in shapes:
            if axis != 0:
                yield f'assign {axis} {shape}', {'axis': axis}, shape
            for reduce in REDUCES:
                for own in (False, True):
                    how = {
                        'overwrite': False,
                        'axis': axis,
                        'reduce': reduce,
                        'include_self': own,
                    }
                    yield f'{reduce} {axis} {own} {shape}', how, shape


def scatter_call(how):
    return lambda x, index, updates: paddle.scatter(x, index, updates, **how)


def scatter_arrays(axis, index_shape, length):
    rng = np.random.default_rng(6)
    x_shape = [5, 3, 2]
    updates_shape = list(x_shape)
    if length:
        updates_shape[axis] = length
    else:
        del updates_shape[axis]
    size = x_shape[axis]
    # small ones, so that there are ties and zeros
    x, updates = (
        rng.integers(0, 3, shape).astype('float64')
        for shape in (x_shape, updates_shape)
    )
    index = rng.integers(-size, size, index_shape)
    return {'x': x, 'index': np.asarray(index), 'updates': updates}


class TestScatter(ComposedTest):
    def inputs(self):
        rng = np.random.default_rng(4)
        x, updates = whole_numbers(rng, (2, 5, 5))
        return {'x': x, 'index': np.array([4, 0, 4]), 'updates': updates}

    def test_what_the_scatter_operator_serves_goes_on(self):
        for how in (
            {},
            {'overwrite': False},
            {'overwrite': False, 'reduce': 'add'},
            {'axis': 0},
        ):

            def function(x, index, updates, how=how):
                return paddle.scatter(x, index, updates, **how)

            arrays = self.inputs()
            self.both(run_dygraph, function, arrays, name=str(how))
            self.both(run_static, function, arrays, name=str(how))

    def test_values_and_gradients(self):
        for name, how, shapes in scatter_calls():
            arrays = scatter_arrays(how['axis'], *shapes)
            function = scatter_call(how)
            with self.subTest(name):
                self.both(run_dygraph, function, arrays, ('x', 'updates'))

    def test_in_place(self):
        for name, how, shapes in scatter_calls():
            arrays = scatter_arrays(how['axis'], *shapes)

            def function(x, index, updates, how=how):
                x = x * 1  # a leaf can't be changed in place
                out = paddle.scatter_(x, index, updates, **how)
                assert out is x
                return out

            with self.subTest(name):
                self.both(run_dygraph, function, arrays, ('x', 'updates'))

    def test_graph(self):
        for name, how, shapes in scatter_calls():
            arrays = scatter_arrays(how['axis'], *shapes)
            for known in (True, False):
                is_column = len(shapes[0]) == 2 and name.startswith('sum 0 F')
                is_product = shapes[0] and how.get('reduce') == 'mul'
                if not known and (is_column or is_product):
                    continue  # scatter refuses it; refused, as below
                with self.subTest(name, known_dims=known):
                    self.both(
                        run_static,
                        scatter_call(how),
                        arrays,
                        ('x', 'updates'),
                        known,
                    )

    def test_dtypes(self):
        for dtype in ALL_DTYPES:
            for name, how, shapes in scatter_calls():
                reduce = how.get('reduce')
                if dtype == 'bool' and reduce not in (None, 'sum'):
                    continue
                if 'complex' in dtype and reduce in ('amax', 'amin'):
                    continue
                if how['axis'] == 0 or shapes[0] != (4,):
                    continue

                def function(x, index, updates, dtype=dtype, how=how):
                    x, updates = (t.astype(dtype) for t in (x, updates))
                    return paddle.scatter(x, index, updates, **how)

                arrays = scatter_arrays(how['axis'], *shapes)
                with self.subTest(name, dtype=dtype):
                    self.both(run_dygraph, function, arrays, name=dtype)

    def test_limits_of_integers(self):
        for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64'):
            info = np.iinfo(dtype)
            x = np.zeros(3, dtype)
            for reduce, value in (('amax', info.min), ('amin', info.max)):

                def function(x, index, updates, reduce=reduce):
                    return paddle.scatter(x, index, updates, False, -1, reduce)

                arrays = {
                    'x': x,
                    'index': np.array([1, 1]),
                    'updates': np.full(2, value, dtype),
                }
                for run in (run_dygraph, run_static):
                    with self.subTest(dtype=dtype, reduce=reduce, run=run):
                        self.both(run, function, arrays)

    def test_a_nan_wins(self):
        x = np.array([1.0, np.nan, 2.0, 3.0])
        index, updates = np.array([0, 2, 2]), np.array([0.0, np.nan, 5.0])
        for reduce in ('amax', 'amin'):
            for own in (True, False):

                def function(x, index, updates, reduce=reduce, own=own):
                    return paddle.scatter(
                        x, index, updates, False, 0, reduce, own
                    )

                arrays = {'x': x, 'index': index, 'updates': updates}
                expected = run_dygraph(function, arrays)
                with no_kernels():
                    actual = run_dygraph(function, arrays)
                np.testing.assert_array_equal(actual, expected, reduce)

    def test_gradient_of_a_product_with_zeros(self):
        x, updates = np.array([0.0, 2.0]), np.array([3.0, 0.0, 5.0, 0.0])

        def function(x, index, updates):
            return paddle.scatter(x, index, updates, False, 0, 'mul', True) + 1

        arrays = {'x': x, 'index': np.array([0, 1, 1, 1]), 'updates': updates}
        self.both(run_dygraph, function, arrays, ('x', 'updates'))

    def test_nothing_to_scatter(self):
        for x_shape, n in (([3, 2], 0), ([0, 2], 0), ([3, 0], 2)):
            for _, how, _ in scatter_calls():
                if how['axis'] != 0:
                    continue

                def function(x, index, updates, how=how):
                    return paddle.scatter(x, index, updates, **how)

                arrays = {
                    'x': np.ones(x_shape),
                    'index': np.zeros([n], 'int64'),
                    'updates': np.ones([n, x_shape[1]]),
                }
                self.both(run_dygraph, function, arrays, name=str(how))

    def test_a_product_needs_an_index_of_known_length(self):
        arrays = scatter_arrays(1, (4,), 4)
        function = scatter_call(
            {'axis': 1, 'overwrite': False, 'reduce': 'mul'}
        )
        text = "reduce='mul' along axis 1 of dtype .*float64.*guard"
        with no_kernels(), self.assertRaisesRegex(NotImplementedError, text):
            run_static(function, arrays, known_dims=False)

    def test_wrong_arguments_are_refused_as_before(self):
        x, u = paddle.zeros([2, 3]), paddle.ones([2, 2])
        index = paddle.to_tensor([0, 1])
        bad_index = paddle.to_tensor([0, 3])
        how = {'overwrite': False, 'axis': 1, 'include_self': True}
        for error, arguments, options in (
            (IndexError, (x, bad_index, u), {}),
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
                before = arguments[0].numpy().copy()
                for place in (contextlib.nullcontext, no_kernels):
                    with place(), self.assertRaises(error):
                        function(*arguments, **{**how, **options})
                assert_same_bits(arguments[0].numpy(), before)


def scatter_positive(x):
    return paddle.masked_scatter(x, x > 0, x)


def guarded_calls(dtype):
    """(name, function of x of 3 x 3) of what the guard changes."""
    mask = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]], bool)

    def chosen():
        return paddle.to_tensor(mask)

    yield 'masked_scatter', lambda x: paddle.masked_scatter(x, chosen(), x)
    yield 'masked_fill', lambda x: paddle.masked_fill(x, chosen(), 1)
    yield (
        'masked_fill by a Tensor',
        lambda x: paddle.masked_fill(x, chosen(), x[0]),
    )
    yield 'select_scatter', lambda x: paddle.select_scatter(x, x[0], 1, -1)
    yield 'diagonal_scatter', lambda x: paddle.diagonal_scatter(x, x[0])
    reduces = {
        'bool': ('sum',),
        'complex64': ('sum', 'mean', 'mul'),
        'complex128': ('sum', 'mean', 'mul'),
    }.get(dtype, REDUCES)
    calls = [{}]
    calls += [{'overwrite': False, 'reduce': reduce} for reduce in reduces]
    calls += [{**how, 'include_self': True} for how in calls[1:]]
    for how in calls:
        yield (
            f'scatter {how}',
            lambda x, how=how: paddle.scatter(
                x, paddle.to_tensor([0, 2, 0]), x, axis=1, **how
            ),
        )


def operators(program):
    """The names of a program's operators."""
    return {
        name.rpartition('.')[2].rstrip('_')
        for name in re.findall(r'"(\w+\.\w+)" \(', str(program))
    }


class TestGuard(unittest.TestCase):
    """compatible_ops_guard."""

    def test_programs_are_built_of_known_operators(self):
        arrays = {'x': np.arange(9.0).reshape(3, 3) - 4}
        for _, function in guarded_calls('float64'):
            build = lambda f=function: StaticFunction.like(f, arrays, ('x',))  # noqa: E731
            expected = build()
            with paddle.static.compatible_ops_guard():
                compatible = build()
            with self.subTest(names := operators(expected.program)):
                self.assertTrue(names & set(NEW_OPS))
                self.assertFalse(operators(compatible.program) & set(NEW_OPS))
            for got, wanted in zip(
                compatible.run(arrays), expected.run(arrays)
            ):
                assert_same_bits(got, wanted)

    def test_dtypes(self):
        arrays = {'x': np.array([[1.0, 0, 1], [2, 3, 0], [0, 1, 4]])}
        for dtype in ALL_DTYPES:
            for call, function in guarded_calls(dtype):

                def whole(x, dtype=dtype, function=function):
                    out = function(x.astype(dtype))
                    return out.astype(
                        'complex128' if 'complex' in dtype else 'float64'
                    )

                expected = run_static(whole, arrays)
                with self.subTest(call, dtype=dtype):
                    with paddle.static.compatible_ops_guard():
                        actual = run_static(whole, arrays, known_dims=False)
                    assert_same_bits(actual, expected)

    def test_masked_fill(self):
        rng = np.random.default_rng(5)
        for x_shape, mask_shape, value_shape in (
            ((3, 4), (3, 4), ()), ((3, 1), (4,), (3, 1)), ((), (3,), (3,)),
        ):  # fmt: skip
            arrays = {
                'x': whole_numbers(rng, x_shape),
                'mask': rng.random(mask_shape) < 0.5,
                'value': whole_numbers(rng, value_shape),
            }
            for known in (True, False):
                run = lambda a=arrays, k=known: run_static(  # noqa: E731
                    paddle.masked_fill, a, ('x', 'value'), k
                )
                expected = run()
                with paddle.static.compatible_ops_guard():
                    actual = run()
                for got, wanted in zip(actual, expected):
                    assert_same_bits(got, wanted, str(x_shape))

    def test_masked_fill_by_a_number_of_any_dtype(self):
        x, mask = np.array([0.0, 1.0, 1.0]), np.array([True, False, True])
        for dtype in ALL_DTYPES:
            numbers = [1, np.inf, -np.inf, np.nan][
                : 4 if 'float' in dtype else 1
            ]
            for number in numbers:

                def function(x, mask, dtype=dtype, number=number):
                    return paddle.masked_fill(x.astype(dtype), mask, number)

                expected = run_static(function, {'x': x, 'mask': mask})
                with paddle.static.compatible_ops_guard():
                    actual = run_static(function, {'x': x, 'mask': mask})
                np.testing.assert_array_equal(actual, expected, dtype)

    def test_dynamic_graph_mode_is_not_influenced(self):
        x = paddle.ones([2])
        with paddle.static.compatible_ops_guard():
            self.assertTrue(manipulation._has_scatter_kernels())
            with mock.patch.object(
                manipulation, '_masked_scatter_composed'
            ) as composed:
                paddle.masked_scatter(x, x > 0, x)
        composed.assert_not_called()

    def test_it_ends_and_nests(self):
        guard = paddle.static.compatible_ops_guard
        with static_mode():
            with self.assertRaises(KeyError), guard():
                with guard():
                    pass
                self.assertFalse(manipulation._has_scatter_kernels())
                raise KeyError
            self.assertTrue(manipulation._has_scatter_kernels())

    def test_what_was_traced_before_is_traced_again(self):
        forget_dead_programs()
        for specs in ([paddle.static.InputSpec([3], 'float32', 'x')], None):
            traced = paddle.jit.to_static(
                scatter_positive, input_spec=specs, full_graph=True
            )
            traced(paddle.ones([3]))
            with paddle.static.compatible_ops_guard():
                inside = traced.concrete_program.main_program
            outside = traced.concrete_program.main_program
            self.assertNotIn('masked_scatter', operators(inside))
            self.assertIn('masked_scatter', operators(outside))

    def test_samples_of_the_docstring(self):
        forget_dead_programs()
        self.assertGreater(run_samples(paddle.static.compatible_ops_guard), 0)


class TestPlaces(unittest.TestCase):
    def served(self, place):
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            # twice: the second answer is remembered
            first = manipulation._has_scatter_kernels()
            self.assertIs(manipulation._has_scatter_kernels(), first)
        return first

    def test_cpu_has_kernels(self):
        self.assertTrue(self.served(core.CPUPlace()))

    def test_gpu_has_kernels(self):
        if not core.is_compiled_with_cuda():
            self.skipTest('needs CUDA')
        self.assertTrue(self.served(core.CUDAPlace(0)))
        self.assertTrue(self.served(core.CUDAPinnedPlace()))

    def test_other_places_have_none_until_the_place_changes(self):
        # the places of other devices can be made in their builds only
        class XPUPlace:
            pass

        self.assertFalse(self.served(XPUPlace()))
        self.assertTrue(self.served(core.CPUPlace()))


if __name__ == '__main__':
    unittest.main()
