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
"""What select_scatter and diagonal_scatter owe in dygraph: tests for both.

A test case inherits a mixin and sets `op` to a ViewOp.
"""

import inspect
import os

import numpy as np
from hypothesis import given, settings, strategies
from scatter_docstring_utils import (
    run_samples,
    section,
    undocumented_parameters,
)
from scatter_graph_utils import run_static
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    requires_torch,
    to_paddle,
    to_torch,
    torch_to_numpy,
)
from view_scatter_cases import fast_scatter, random_pair, reference_scatter

import paddle


class ScatterValues:
    """Results, bit by bit."""

    def setUp(self):
        self.rng = np.random.default_rng(7)

    def pair(self, dtype, x_shape, attributes):
        def make(shape):
            return random_array(self.rng, shape, dtype)

        return random_pair(self.op, make, x_shape, attributes)

    def test_every_case_and_dtype_equals_the_plain_loops(self):
        for dtype in ALL_DTYPES:
            for name, x_shape, attributes in self.op.cases:
                x, values = self.pair(dtype, x_shape, attributes)
                tensor = to_paddle(x)
                out = self.op.function(tensor, to_paddle(values), *attributes)
                expected = reference_scatter(self.op, x, values, attributes)
                assert_same_bits(out, expected, f'{name}, {dtype}')
                assert_same_bits(tensor, x, f'{name}: x after the call')

    @requires_torch
    def test_every_case_and_dtype_equals_torch(self):
        for dtype in ALL_DTYPES:
            for name, x_shape, attributes in self.op.cases:
                x, values = self.pair(dtype, x_shape, attributes)
                out = self.op.function(
                    to_paddle(x), to_paddle(values), *attributes
                )
                theirs = self.op.torch_function(
                    to_torch(x), to_torch(values), *attributes
                )
                assert_same_bits(
                    out, torch_to_numpy(theirs), f'{name}, {dtype}'
                )

    def test_tensors_that_are_not_contiguous(self):
        for name, x_shape, attributes in self.op.cases:
            x, values = self.pair('float32', x_shape, attributes)
            if x.size == 0 or values.ndim == 0:
                continue
            expected = reference_scatter(self.op, x, values, attributes)
            for (layout, tensor), (_, source) in zip(
                layouts(x), layouts(values)
            ):
                out = self.op.function(tensor, source, *attributes)
                assert_same_bits(out, expected, f'{name}, {layout}')
                self.assertTrue(out.is_contiguous())

    def test_expanded_values_and_x(self):
        for name, x_shape, attributes in self.op.cases:
            shape = self.op.values_shape(x_shape, *attributes)
            x, values = np.ones(x_shape, 'float32'), np.full(shape, 2.0)
            out = self.op.function(
                paddle.ones([]).expand(x_shape),
                paddle.full([], 2.0).expand(shape),
                *attributes,
            )
            expected = reference_scatter(self.op, x, values, attributes)
            assert_same_bits(out, expected, name)

    def test_many_elements_on_any_number_of_threads(self):
        # several tiles and blocks; neither divides the shapes
        threads = int(os.environ.get('OMP_NUM_THREADS', 1))
        self.addCleanup(paddle.base.core.set_num_threads, threads)
        for dtype in ('int8', 'float32', 'complex128'):
            for x_shape, attributes in self.op.large_cases:
                x, values = self.pair(dtype, x_shape, attributes)
                expected = fast_scatter(self.op, x, values, attributes)
                for count in (1, 2, 3):
                    paddle.base.core.set_num_threads(count)
                    out = self.op.function(
                        to_paddle(x), to_paddle(values), *attributes
                    )
                    with self.subTest(
                        dtype=dtype, shape=x_shape, at=attributes
                    ):
                        assert_same_bits(out, expected)

    def test_values_that_share_memory_with_x(self):
        for name, x_shape, attributes in self.op.cases:
            array = random_array(self.rng, x_shape, 'float64')
            x = to_paddle(array)
            shape = self.op.values_shape(x_shape, *attributes)
            # the first elements of x, without a copy
            values = x.flatten()[: int(np.prod(shape))].reshape(shape)
            source = array.reshape(-1)[: int(np.prod(shape))].reshape(shape)
            out = self.op.function(x, values, *attributes)
            expected = reference_scatter(self.op, array, source, attributes)
            assert_same_bits(out, expected, name)
            assert_same_bits(x, array, name)

    def test_result_has_its_own_memory(self):
        for name, x_shape, attributes in self.op.cases:
            x, values = self.pair('float32', x_shape, attributes)
            tensor = to_paddle(x)
            out = self.op.function(tensor, to_paddle(values), *attributes)
            out.zero_()
            assert_same_bits(tensor, x, name)

    def test_tensor_method(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = self.pair('float32', x_shape, attributes)
        method = getattr(to_paddle(x), self.op.name)
        expected = reference_scatter(self.op, x, values, attributes)
        assert_same_bits(method(to_paddle(values), *attributes), expected)

    def test_every_alias_is_the_argument_it_stands_for(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = self.pair('float32', x_shape, attributes)
        names = list(inspect.signature(self.op.function).parameters)[:-1]
        self.assertEqual(names[:2], ['x', self.op.values_name])
        given = (to_paddle(x), to_paddle(values), *attributes)
        expected = reference_scatter(self.op, x, values, attributes)
        for name, alias in (('x', 'x'), *self.aliases):
            arguments = dict(zip(names, given))
            arguments[alias] = arguments.pop(name)
            with self.subTest(alias=alias):
                assert_same_bits(self.op.function(**arguments), expected)

    def test_values_of_every_dtype_in_an_x_of_every_dtype(self):
        _, x_shape, attributes = self.op.cases[0]
        shape = self.op.values_shape(x_shape, *attributes)
        for x_dtype in ALL_DTYPES:
            for dtype in ALL_DTYPES:
                if 'complex' in dtype and 'complex' not in x_dtype:
                    continue
                x, values = np.zeros(x_shape), np.ones(shape)
                out = self.op.function(
                    to_paddle(x).astype(x_dtype),
                    to_paddle(values).astype(dtype),
                    *attributes,
                )
                expected = reference_scatter(self.op, x, values, attributes)
                with self.subTest(x=x_dtype, values=dtype):
                    self.assertEqual(out.dtype, getattr(paddle, x_dtype))
                    self.assertEqual(
                        out.astype('float64').tolist(), expected.tolist()
                    )

    def test_gradient_has_the_dtype_of_the_values(self):
        _, x_shape, attributes = self.op.cases[0]
        shape = self.op.values_shape(x_shape, *attributes)
        for x_dtype, dtype in (
            ('float64', 'float32'),
            ('float32', 'float16'),
            ('bfloat16', 'float32'),
        ):
            x, values = paddle.ones(x_shape, x_dtype), paddle.ones(shape, dtype)
            x.stop_gradient = values.stop_gradient = False
            out = self.op.function(x, values, *attributes)
            weights = np.arange(out.size).reshape(x_shape) % 16
            (out * to_paddle(weights).astype(x_dtype)).sum().backward()
            with self.subTest(x=x_dtype, values=dtype):
                self.assertEqual(values.grad.dtype, values.dtype)
                self.assertEqual(x.grad.dtype, x.dtype)
                self.assertEqual(
                    values.grad.astype('int64').tolist(),
                    np.array(self.op.view(weights, *attributes)).tolist(),
                )

    def test_values_of_another_dtype_in_a_static_graph(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = self.pair('float32', x_shape, attributes)
        found = run_static(
            lambda x, values: self.op.function(x, values, *attributes),
            {'x': x, 'values': values.astype('float64')},
        )
        expected = reference_scatter(self.op, x, values, attributes)
        assert_same_bits(found, expected)

    def test_complex_values_in_a_real_x_are_an_error(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = map(to_paddle, self.pair('float32', x_shape, attributes))
        with self.assertRaisesRegex(
            ValueError,
            f'{self.op.name}: {self.op.values_name} must not be complex',
        ):
            self.op.function(x, values.astype('complex64'), *attributes)

    def test_scatter_docstring_utils_print_what_they_say(self):
        self.assertGreaterEqual(run_samples(self.op.function), 5)

    def test_docstring_describes_arguments_and_exceptions(self):
        self.assertEqual(undocumented_parameters(self.op.function), [])
        described = section(self.op.function, 'Args')
        names = [alias for _, alias in self.aliases]
        for name in (*ALL_DTYPES, *names):
            self.assertIn(f'``{name}``', described)
        raised = section(self.op.function, 'Raises')
        for exception in self.exceptions:
            self.assertIn(exception + ':', raised)

    def test_an_argument_and_its_alias_together_are_an_error(self):
        _, x_shape, attributes = self.op.cases[0]
        x, values = map(to_paddle, self.pair('float32', x_shape, attributes))
        with self.assertRaises((ValueError, TypeError)):
            self.op.function(x, values, *attributes, input=x)


def property_test(max_examples):
    """A decorator of check(op, rng, x_shape, attributes) for one op.

    A test function of hypothesis belongs to one class, so each gets its own.
    """

    def decorate(check):
        def make(op, arguments):
            @settings(
                max_examples=max_examples, deadline=None, derandomize=True
            )
            @given(arguments, strategies.integers(0, 99))
            def test(self, case, seed):
                check(op, np.random.default_rng(seed), *case)

            return test

        return make

    return decorate


@property_test(max_examples=60)
def random_arguments_equal_the_plain_loops(op, rng, x_shape, attributes):
    dtype = rng.choice(ALL_DTYPES)
    x, values = random_pair(
        op, lambda shape: random_array(rng, shape, dtype), x_shape, attributes
    )
    out = op.function(to_paddle(x), to_paddle(values), *attributes)
    assert_same_bits(out, reference_scatter(op, x, values, attributes))


@property_test(max_examples=40)
def reading_the_view_back_gives_the_values(op, rng, x_shape, attributes):
    x, values = random_pair(
        op,
        lambda shape: random_array(rng, shape, 'float64'),
        x_shape,
        attributes,
    )
    tensor, source = to_paddle(x), to_paddle(values)
    out = op.function(tensor, source, *attributes)
    assert_same_bits(np.array(op.view(out.numpy(), *attributes)), values)
    # what is read from x and written again changes nothing
    same = to_paddle(np.array(op.view(x, *attributes), order='C'))
    again = op.function(tensor, same, *attributes)
    assert_same_bits(again, x)
    # only the last write counts
    assert_same_bits(op.function(again, source, *attributes), out.numpy())
