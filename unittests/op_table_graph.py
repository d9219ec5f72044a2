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
"""Static, traced and saved graphs of an operator by a table (see op_table)."""

import contextlib
import gc
import itertools
import os
import tempfile
from unittest import mock

import numpy as np
from op_table import Case, TableTests, ValueTests
from op_table_grad import (
    GradientTests,
    derivatives,
    gradient_in_dygraph,
    in_dygraph,
    orders_in_turn,
    with_directions,
    with_operands_of_orders,
)
from scatter_test_utils import ALL_DTYPES, dtype_name, to_paddle

import paddle
from paddle.pir_utils import OldIrGuard
from paddle.tensor import manipulation

# gc.collect() below need not look at what is imported.
gc.freeze()


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def spec(array, known_dims):
    """(shape, dtype) for paddle.static.data and InputSpec."""
    shape = list(array.shape) if known_dims else [-1] * array.ndim
    return shape, dtype_name(array)


def run_program(build, arrays, wrt=(), known_dims=True):
    """build(variables by name) is a list of what is fetched."""
    with paddle.static.program_guard(paddle.static.Program()):
        variables = {}
        for name, array in arrays.items():
            variable = paddle.static.data(name, *spec(array, known_dims))
            variable.stop_gradient = name not in wrt
            variables[name] = variable
        return paddle.static.Executor().run(
            feed=dict(arrays), fetch_list=build(variables)
        )


def gradient_in_program(ys, xs, create_graph, out_grads=None):
    return paddle.static.gradients(ys, xs, out_grads)


def to_static(function, **kwargs):
    """paddle.jit.to_static, safe from programs that were freed before.

    For each program that it runs, jit leaves a cycle of Python objects that
    refer into the program. If that is freed first, the objects are handed out
    again for another program, and the process crashes.
    """
    gc.collect()
    return paddle.jit.to_static(function, **kwargs)


@contextlib.contextmanager
def saved(function, arrays, known_dims):
    """Gives the path of `function` as paddle.jit.save has written it."""
    specs = [
        paddle.static.InputSpec(*spec(array, known_dims), name)
        for name, array in arrays.items()
    ]
    traced = to_static(function, input_spec=[specs], full_graph=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model')
        paddle.jit.save(traced, path)
        yield path


def loaded(path):
    gc.collect()  # see to_static
    layer = paddle.jit.load(path)
    layer.train()  # it begins in eval mode, without backward
    return lambda tensors: layer(*tensors)


class ProgramTests(TableTests):
    """Programs give what dygraph does, with gradients of every order."""

    # Rows for what takes long.
    few = slice(0, 2)
    modes = static_mode, OldIrGuard

    def compare(self, run, order, cases=None, **kwargs):
        """run(case, arrays, order, **kwargs) with what dygraph gives."""

        def check(case, dtype):
            arrays = with_directions(self.op, case)
            found = run(case, arrays, order, **kwargs)
            expected = in_dygraph(self.op, case, arrays, order)
            self.assertEqual(len(found), len(expected))
            self.assert_result(found[0], expected[0], dtype)
            for ours, wanted in zip(found[1:], expected[1:]):
                self.assert_near(ours, wanted, dtype)

        with self.subTest(**kwargs):
            self.for_each(check, ('float64',), cases)

    def in_program(
        self, case, arrays, order, known_dims=True, mode=static_mode
    ):
        def build(variables):
            function = case.bind(self.op.function)
            return derivatives(
                self.op, function, variables, gradient_in_program, order
            )

        with mode():
            return run_program(
                build, arrays, self.op.differentiable, known_dims
            )

    def test_program_with_unknown_dims(self):
        self.compare(self.in_program, 1, known_dims=False)

    def test_program_of_every_order(self):
        order = min(self.op.orders, 2)
        self.compare(self.in_program, order, self.cases[self.few])
        if self.op.orders > 2:
            cases = self.cases[self.few]
            self.for_each(self.check_orders_in_turn, ('float64',), cases)

    def check_orders_in_turn(self, case, dtype):
        op, names = self.op, self.op.differentiable
        arrays = case.arrays(op, dtype, finite=True)
        inputs = [arrays[name] for name in op.inputs]
        shape = op.reference(*inputs, **case.options).shape
        arrays = with_operands_of_orders(op, arrays, shape, names)
        wrt = arrays.keys() - {*op.inputs} | {*names}

        def build(tensors, gradient=gradient_in_program):
            function = case.bind(op.function)
            return orders_in_turn(op, function, tensors, names, gradient)

        with static_mode():
            found = run_program(build, arrays, wrt)
        expected = build(op.tensors(arrays, wrt), gradient_in_dygraph)
        self.assertEqual(len(found), len(expected))
        for ours, wanted in zip(found, expected):
            self.assert_near(ours, wanted, dtype)

    def test_old_program(self):
        for known_dims in (True, False):
            self.compare(
                self.in_program,
                1,
                self.cases[self.few],
                known_dims=known_dims,
                mode=OldIrGuard,
            )

    def test_every_dtype_in_programs(self):
        self.for_each(self.check_dtype_in_programs, cases=self.cases[:1])

    def check_dtype_in_programs(self, case, dtype):
        arrays = case.arrays(self.op, dtype)
        expected = case.reference(self.op, arrays)
        for mode in self.modes:
            with self.subTest(mode=mode.__name__):
                (out,) = self.in_program(case, arrays, 0, mode=mode)
                self.assert_result(out, expected, dtype)


class GrowingTests(TableTests):
    """Of dims that are known when a program runs; a TestCase sets
    growing_cases: lists of cases with the same options."""

    # Of a dim in the program: another number is the same in all cases.
    growing_dims = None

    def test_one_program_takes_inputs_of_any_size(self):
        for first, *others in self.growing_cases:
            program = paddle.static.Program()
            with static_mode(), paddle.static.program_guard(program):
                variables = {}
                for name, array in with_directions(self.op, first).items():
                    shape, dtype = spec(array, known_dims=False)
                    shape = self.growing_dims or shape
                    variables[name] = paddle.static.data(name, shape, dtype)
                    wanted = name in self.op.differentiable
                    variables[name].stop_gradient = not wanted
                fetched = derivatives(
                    self.op,
                    first.bind(self.op.function),
                    variables,
                    gradient_in_program,
                    order=1,
                )
            for case in (first, *others):
                arrays = with_directions(self.op, case)
                with static_mode():
                    found = paddle.static.Executor().run(
                        program, feed=arrays, fetch_list=fetched
                    )
                expected = in_dygraph(self.op, case, arrays, order=1)
                with self.subTest(x=arrays['x'].shape, **case.options):
                    for got, wanted in zip(found, expected):
                        self.assert_near(got, wanted, 'float64')


class LateErrorTests(TableTests):
    """A TestCase sets op and late_errors: (exception, text, inputs, options)."""

    late_errors = ()
    known_dims_of_late_errors = (False,)

    def test_wrong_sizes_are_an_error_when_the_program_runs(self):
        for exception, text, inputs, options in self.late_errors:
            case = Case(text, inputs, options)

            def build(variables, case=case):
                function = case.bind(self.op.function)
                return [function([*variables.values()])]

            arrays = case.arrays(self.op, 'float32')
            for known_dims in self.known_dims_of_late_errors:
                with (
                    static_mode(),
                    self.subTest(
                        inputs=inputs, known_dims=known_dims, **options
                    ),
                    self.assertRaisesRegex(exception, text),
                ):
                    run_program(build, arrays, known_dims=known_dims)


class GraphTests(ProgramTests):
    """The same of traced functions, and of what was saved."""

    def in_to_static(self, case, arrays, order, full_graph):
        function = case.bind(self.op.function)
        traced = to_static(function, full_graph=full_graph)
        return in_dygraph(self.op, case, arrays, order, traced)

    def as_saved(self, case, arrays, order, known_dims):
        function = case.bind(self.op.function)
        given = {name: arrays[name] for name in self.op.inputs}
        with saved(function, given, known_dims) as path:
            return in_dygraph(self.op, case, arrays, order, loaded(path))

    def test_to_static(self):
        for full_graph in (True, False):  # AST, SOT
            few = self.cases[self.few]
            self.compare(self.in_to_static, 1, few, full_graph=full_graph)

    def test_saved_and_loaded(self):
        few = self.cases[self.few]
        self.compare(self.as_saved, 1, few, known_dims=False)
        self.compare(self.as_saved, 1, few[:1], known_dims=True)


class CastTests(TableTests):
    """The last input, of any dtype, is cast to that of x."""

    def operands(self, x_dtype, dtype):
        """Of zeros and ones; the last input in its own dtype."""
        x, *others, last = self.cases[0].arrays(self.op, 'bool').values()
        tensors = [to_paddle(x).astype(x_dtype), *map(to_paddle, others)]
        return [*tensors, to_paddle(last).astype(dtype)]

    def cast(self, function, x_dtype, dtype):
        tensors = self.operands(x_dtype, dtype)
        out = self.cases[0].bind(function)(tensors)
        self.assertEqual(out.dtype, getattr(paddle, x_dtype))
        return out.astype('int32')

    def test_every_dtype_in_an_x_of_every_dtype(self):
        pairs = [
            (x_dtype, dtype)
            for x_dtype in ALL_DTYPES
            for dtype in ALL_DTYPES
            if 'complex' in x_dtype or 'complex' not in dtype
        ]
        case = self.cases[0]
        expected = case.reference(self.op, case.arrays(self.op, 'bool'))
        functions = filter(None, (self.op.function, self.op.inplace))
        for function, pair in itertools.product(functions, pairs):
            with self.subTest(function=function.__name__, pair=pair):
                out = self.cast(function, *pair)
                np.testing.assert_array_equal(out.numpy(), expected)
        with static_mode():
            outs = run_program(
                lambda _: [self.cast(self.op.function, *p) for p in pairs], {}
            )
        for pair, out in zip(pairs, outs):
            with self.subTest(pair=pair):
                np.testing.assert_array_equal(out, expected)

    def test_complex_numbers_are_not_made_real(self):
        text = f'dtype of {self.op.inputs[-1]} should not be complex'
        for function in filter(None, (self.op.function, self.op.inplace)):
            for guard in (contextlib.nullcontext, static_mode):
                with guard(), self.assertRaisesRegex(ValueError, text):
                    self.cast(function, 'float32', 'complex64')

    def test_gradients_have_the_dtypes_of_the_inputs(self):
        for pair in (
            ('float64', 'float64'),
            ('float64', 'float32'),
            ('float32', 'float16'),
            ('bfloat16', 'float32'),
        ):
            tensors = self.operands(*pair)
            wrt = tensors[0], tensors[-1]
            for tensor in wrt:
                tensor.stop_gradient = False
            out = self.cases[0].bind(self.op.function)(tensors)
            weights = np.arange(out.size).reshape(out.shape) % 16
            out_grad = to_paddle(weights).astype(out.dtype)
            grads = paddle.grad([out], wrt, [out_grad])
            found = [grad.astype('float64').numpy() for grad in grads]
            if pair[0] == pair[1]:
                expected = found
            with self.subTest(pair=pair):
                for tensor, grad in zip(wrt, grads):
                    self.assertEqual(grad.dtype, tensor.dtype)
                for grad, wanted in zip(found, expected):
                    np.testing.assert_array_equal(grad, wanted)


class ComposedTests(ValueTests, GradientTests, ProgramTests):
    """Results, gradients and programs where there are no kernels, as on some
    devices: the function is composed of others, to the first order."""

    # Of paddle._C_ops: none of them is called then.
    kernels = ()
    # Programs of the old IR can't hold all that it is composed of.
    test_old_program = None
    test_every_dtype_in_programs = None
    # Not every device has gradients of integers of all that.
    test_gradients_of_integers = None

    def leave_out_empty(self):
        """Without elements, some of the others refuse programs, and a result
        may not depend on all inputs."""
        self.cases = [
            case
            for case in self.cases
            if all(a.size for a in case.arrays(self.op, 'float64').values())
        ]

    def test_gradients(self):
        self.leave_out_empty()
        super().test_gradients()

    def test_gradients_in_place(self):
        self.leave_out_empty()
        super().test_gradients_in_place()

    def test_program_with_unknown_dims(self):
        self.leave_out_empty()
        super().test_program_with_unknown_dims()

    def setUp(self):
        super().setUp()
        kernel = mock.Mock(side_effect=AssertionError('a kernel is called'))
        for patch in (
            mock.patch.object(
                manipulation, '_has_scatter_kernels', return_value=False
            ),
            mock.patch.multiple(
                manipulation._C_ops, **dict.fromkeys(self.kernels, kernel)
            ),
        ):
            patch.start()
            self.addCleanup(patch.stop)
