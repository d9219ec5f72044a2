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
"""Tests of an operator by a table of cases, against a reference in numpy.

A test file describes its operator by an Operator and each row of its table by a
Case; a TestCase that inherits ValueTests, InplaceTests, GradientTests (of
op_table_grad) or GraphTests (of op_table_graph), and sets `op` and `cases`, has
all tests of that kind.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scatter_test_utils import (
    ALL_DTYPES,
    LAYOUTS,
    assert_same_bits,
    bfloat16_to_float,
    layouts,
    random_array,
    random_numbers,
    to_paddle,
    to_storage,
)

import paddle

# How far from the reference a result may be that is computed in a data type.
TOLERANCE = {
    'float16': 5e-3,
    'bfloat16': 2e-2,
    'float32': 1e-5,
    'float64': 1e-7,
    'complex64': 1e-5,
    'complex128': 1e-7,
}


def draw_any(rng, shape, dtype, finite, **options):
    """Values of every kind, or finite ones to compute gradients with."""
    return (random_numbers if finite else random_array)(rng, shape, dtype)


def numbers(array):
    return bfloat16_to_float(array) if array.dtype == np.uint16 else array


@dataclass(frozen=True)
class Operator:
    name: str
    # The Tensors that it takes, in order. The first is written in place.
    inputs: tuple
    differentiable: tuple
    # (one array for each input, **options) -> array
    reference: Callable
    dtypes: tuple = ALL_DTYPES
    # Elements are only moved: the reference gets them in storage form, and
    # results are the same bit by bit. Else it gets numbers, bfloat16 as float32.
    moves: bool = True
    # (rng, shape, dtype, finite, **options) -> array in storage form
    draw: Callable = draw_any
    orders: int = 2  # of gradients
    linear: bool = True  # in the differentiable inputs
    # (*Tensors, **options); None for paddle.<name> and paddle.<name>_
    function: Callable = None
    inplace: Callable = None

    def __post_init__(self):
        for attribute, suffix in (('function', ''), ('inplace', '_')):
            if getattr(self, attribute) is None:
                api = getattr(paddle, self.name + suffix, None)
                object.__setattr__(self, attribute, api)

    def tensors(self, arrays, wrt=(), layout=None):
        """By name; those of `wrt` want a gradient."""
        found = {}
        for name, array in arrays.items():
            views = dict(layouts(array)) if layout else {}
            tensor = views.get(layout, to_paddle(array))
            tensor.stop_gradient = name not in wrt
            found[name] = tensor
        return found


@dataclass(frozen=True)
class Case:
    name: str
    # For each input a shape, to be drawn in the dtype under test, or an array
    # that is the same for every dtype, such as a mask or an index.
    inputs: dict
    options: dict = field(default_factory=dict)
    dtypes: tuple = None  # None: those of the operator

    def arrays(self, op, dtype, finite=False):
        rng = np.random.default_rng(7)
        found = {}
        for name in op.inputs:
            given = self.inputs[name]
            if isinstance(given, tuple):
                given = op.draw(rng, given, dtype, finite, **self.options)
            found[name] = np.asarray(given)
        return found

    def bind(self, function):
        """`function` of a list of Tensors alone."""

        # no lambda: paddle.jit reads the source of what it traces
        def bound(tensors):
            return function(*tensors, **self.options)

        return bound

    def reference(self, op, arrays):
        given = arrays.values()
        if not op.moves:
            given = [numbers(array) for array in given]
        return np.asarray(op.reference(*given, **self.options))


class TableTests:
    op = None
    cases = ()

    def for_each(self, check, dtypes=None, cases=None):
        """check(case, dtype) for each row and each dtype that it has."""
        pairs = [
            (case, dtype)
            for case in cases or self.cases
            for dtype in case.dtypes or self.op.dtypes
            if dtypes is None or dtype in dtypes
        ]
        self.assertTrue(pairs, 'the table has no row for this test')
        for case, dtype in pairs:
            with self.subTest(case=case.name, dtype=dtype):
                check(case, dtype)

    def assert_result(self, out, expected, dtype):
        """Of a Tensor, or an array in storage form."""
        out = out.numpy() if isinstance(out, paddle.Tensor) else out
        if self.op.moves or dtype not in TOLERANCE:
            assert_same_bits(out, expected)
        else:
            self.assert_near(out, expected, dtype)

    def assert_near(self, out, expected, dtype):
        self.assertEqual(out.dtype, to_storage(0, dtype).dtype)
        self.assertEqual(out.shape, expected.shape)
        limit = TOLERANCE[dtype]
        np.testing.assert_allclose(
            numbers(out), numbers(expected), limit, limit
        )


class ValueTests(TableTests):
    """Results of the function and of the Tensor method, in every dtype."""

    def check_call(self, function, case, dtype):
        arrays = case.arrays(self.op, dtype)
        tensors = self.op.tensors(arrays)
        out = function(*tensors.values(), **case.options)
        self.assert_result(out, case.reference(self.op, arrays), dtype)
        self.assertTrue(out.is_contiguous())
        out.zero_()  # in memory of its own
        for name, tensor in tensors.items():
            assert_same_bits(tensor, arrays[name], name)

    def test_values(self):
        self.for_each(lambda *row: self.check_call(self.op.function, *row))

    def test_tensor_method(self):
        method = getattr(paddle.Tensor, self.op.name)
        self.check_call(method, self.cases[0], 'float32')

    def test_layouts(self):
        self.for_each(self.check_layouts, ('float32', 'complex128', 'int8'))

    def check_layouts(self, case, dtype):
        arrays = case.arrays(self.op, dtype)
        expected = case.reference(self.op, arrays)
        for layout in LAYOUTS:
            tensors = self.op.tensors(arrays, layout=layout)
            with self.subTest(layout=layout):
                out = self.op.function(*tensors.values(), **case.options)
                self.assert_result(out, expected, dtype)


class InplaceTests(TableTests):
    """The form with _ does the same in the memory of the first input."""

    # Not so of an operator that Paddle's generated code calls.
    refuses_leaf_before_it_writes = True

    def test_in_place(self):
        self.for_each(self.check_in_place)

    def check_in_place(self, case, dtype):
        arrays = case.arrays(self.op, dtype)
        expected = case.reference(self.op, arrays)
        if expected.shape != arrays[self.op.inputs[0]].shape:
            return  # refused: see the tests of errors
        method = getattr(paddle.Tensor, self.op.name + '_', self.op.inplace)
        calls = [(None, self.op.inplace), *((way, method) for way in LAYOUTS)]
        for layout, function in calls:
            x, *others = self.op.tensors(arrays, layout=layout).values()
            view, memory = x[...], x.data_ptr()
            with self.subTest(layout=layout):
                self.assertIs(function(x, *others, **case.options), x)
                self.assert_result(x, expected, dtype)
                self.assert_result(view, expected, dtype)
                self.assertEqual(x.data_ptr(), memory)
                self.assertEqual(x.inplace_version, 1)

    def test_leaf_that_needs_gradients_is_refused(self):
        case = self.cases[0]
        arrays = case.arrays(self.op, 'float32')
        tensors = self.op.tensors(arrays, wrt=self.op.inputs[:1])
        x, *others = tensors.values()
        with self.assertRaisesRegex(ValueError, 'Leaf'):
            self.op.inplace(x, *others, **case.options)
        if self.refuses_leaf_before_it_writes:
            assert_same_bits(x, arrays[self.op.inputs[0]])
        with paddle.no_grad():
            self.op.inplace(x, *others, **case.options)
        self.assertTrue(x.is_leaf and not x.stop_gradient)


class CallTests(TableTests):
    """A TestCase also sets aliases: pairs of a name and another name for it."""

    aliases = ()
    # Inputs that have to be Tensors; None: all.
    tensors_only = None

    def test_every_alias_is_the_argument_it_stands_for(self):
        case = self.cases[0]
        arrays = case.arrays(self.op, 'float32')
        expected = case.reference(self.op, arrays)
        for function in filter(None, (self.op.function, self.op.inplace)):
            names = [*arrays, *case.options, 'name']
            self.assertEqual([*inspect.signature(function).parameters], names)
            for name, alias in self.aliases:
                given = {**self.op.tensors(arrays), **case.options}
                given[alias] = given[name]
                with self.subTest(function=function.__name__, alias=alias):
                    with self.assertRaises((ValueError, TypeError)):
                        function(**given)
                    del given[name]
                    out = function(**given, name='any')
                    self.assert_result(out, expected, 'float32')

    def test_arguments_that_are_no_tensors(self):
        case = self.cases[0]
        tensors = self.op.tensors(case.arrays(self.op, 'float32'))
        for function in filter(None, (self.op.function, self.op.inplace)):
            for name in self.tensors_only or tensors:
                for wrong in (None, 1.0, [[1.0] * 3] * 2, np.ones(2)):
                    text = f'type of {name} should be Tensor.*{type(wrong).__name__}'
                    with self.subTest(name=name, wrong=wrong):
                        with self.assertRaisesRegex(TypeError, text):
                            given = {**tensors, name: wrong}
                            function(**given, **case.options)
