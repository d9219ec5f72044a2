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
"""What select_scatter and diagonal_scatter must do alike, beside their tables."""

import itertools

import numpy as np
from op_table import CallTests
from op_table_graph import (
    CastTests,
    GrowingTests,
    LateErrorTests,
    static_mode,
)
from scatter_test_utils import (
    assert_same_bits,
    random_numbers,
    to_paddle,
)

import paddle


class ViewTests(CallTests, CastTests):
    """A TestCase sets op, cases, large_cases, aliases and view, and the
    exception for an axis or index that is out of range."""

    out_of_range = IndexError

    def call(self, case, x, values):
        return self.op.function(x, values, **case.options)

    def test_many_elements(self):
        for dtype in ('int8', 'float32', 'complex128'):
            for case in self.large_cases:
                arrays = case.arrays(self.op, dtype)
                out = self.call(case, *self.op.tensors(arrays).values())
                with self.subTest(dtype=dtype, x=arrays['x'].shape):
                    assert_same_bits(out, case.reference(self.op, arrays))

    def test_gradients_of_many_elements(self):
        rng = np.random.default_rng(3)
        for case in self.large_cases:
            arrays = case.arrays(self.op, 'float32', finite=True)
            tensors = self.op.tensors(arrays, self.op.differentiable)
            x, values = tensors.values()
            out_grad = random_numbers(rng, x.shape, 'float32')
            out = self.call(case, x, values)
            grads = paddle.grad([out], [x, values], [to_paddle(out_grad)])
            with self.subTest(x=x.shape, **case.options):
                kept = np.zeros(values.shape, 'float32')
                kept = self.op.reference(out_grad, kept, **case.options)
                assert_same_bits(grads[0], kept)
                taken = self.view(out_grad, **case.options)
                assert_same_bits(grads[1], np.array(taken, order='C'))

    def test_values_that_share_memory_with_x(self):
        for case in self.cases:
            arrays = case.arrays(self.op, 'float64')
            array, shape = arrays['x'], arrays[self.op.inputs[1]].shape
            size = int(np.prod(shape))
            x = to_paddle(array)
            out = self.call(case, x, x.flatten()[:size].reshape(shape))
            values = array.reshape(-1)[:size].reshape(shape)
            expected = self.op.reference(array, values, **case.options)
            with self.subTest(case=case.name):
                assert_same_bits(out, expected)
                assert_same_bits(x, array)

    def test_options_that_are_no_ints(self):
        case = self.cases[0]
        tensors = self.op.tensors(case.arrays(self.op, 'float32')).values()
        pair = paddle.to_tensor([0, 1])
        for name, (wrong, told) in itertools.product(
            case.options,
            (
                (1.5, '1.5 of type float'),
                ([0], r'\[0\] of type list'),
                (pair, r'a Tensor of shape \[2\] and paddle.int64'),
                (False, 'False of type bool'),
                (np.False_, '.*False.* of type bool'),
                (paddle.to_tensor(False), r'a Tensor of .* and paddle.bool'),
            ),
        ):
            text = f'The type of {name} should be int, but received {told}'
            with self.subTest(name=name, told=told):
                with self.assertRaisesRegex(TypeError, text):
                    self.op.function(*tensors, **{**case.options, name: wrong})

    def test_ints_of_more_bits_than_the_operator_has(self):
        case = self.cases[0]
        arrays = case.arrays(self.op, 'float32')
        for name, wrong in itertools.product(
            case.options, (1 << 40, -(1 << 40), 1 << 63, 1 << 70, -(1 << 70))
        ):
            if name == 'offset':
                continue  # past the end
            options = {**case.options, name: wrong}
            text = f'value of {name} should be in .*received {wrong}'
            tensors = self.op.tensors(arrays).values()
            with self.subTest(name=name, wrong=wrong):
                with self.assertRaisesRegex(self.out_of_range, text):
                    self.op.function(*tensors, **options)
                with (
                    static_mode(),
                    paddle.static.program_guard(paddle.static.Program()),
                    self.assertRaisesRegex(self.out_of_range, text),
                ):
                    inputs = [
                        paddle.static.data(name, array.shape)
                        for name, array in arrays.items()
                    ]
                    self.op.function(*inputs, **options)

    def test_second_order_through_one_gradient_only(self):
        for case in self.cases:
            arrays = case.arrays(self.op, 'float64', finite=True)
            x_part = self.op.reference(
                np.ones_like(arrays['x']),
                np.zeros_like(arrays[self.op.inputs[1]]),
                **case.options,
            )
            for used, expected in ((0, x_part), (1, 1 - x_part)):
                leaves = self.op.tensors(arrays, self.op.differentiable)
                out = self.call(case, *leaves.values())
                out_grad = paddle.ones_like(out)
                out_grad.stop_gradient = False
                grads = paddle.grad(
                    [out], [*leaves.values()], [out_grad], create_graph=True
                )
                (second,) = paddle.grad(grads[used].sum(), [out_grad])
                with self.subTest(case=case.name, through=used):
                    assert_same_bits(second, expected)


class BuildingTests(GrowingTests, LateErrorTests):
    """What a program knows of shapes before it runs, and that it may not."""

    def test_a_program_may_know_some_dims_only(self):
        case = self.growing_cases[0][0]
        arrays = case.arrays(self.op, 'float32')
        expected = case.reference(self.op, arrays)
        for unknown, array in arrays.items():
            for at in range(array.ndim):
                shapes = {name: list(a.shape) for name, a in arrays.items()}
                shapes[unknown][at] = -1
                with static_mode(), self.subTest(**shapes):
                    with paddle.static.program_guard(paddle.static.Program()):
                        out = self.op.function(
                            *map(paddle.static.data, shapes, shapes.values()),
                            **case.options,
                        )
                        (found,) = paddle.static.Executor().run(
                            feed=arrays, fetch_list=[out]
                        )
                    assert_same_bits(found, expected)


class ErrorTests:
    """A TestCase sets op and errors: (exception, text, shapes of x and values,
    options); a dim of -1 is known when a program runs."""

    def refused(self, exception, text, function, *arguments):
        with self.subTest(arguments=arguments):
            with self.assertRaisesRegex(exception, text) as caught:
                function(*arguments)
            said = str(caught.exception)
            self.assertNotRegex(said, 'Expected (?s:.)*(==|!=) ')

    def known_rows(self):
        for exception, text, *shapes, options in self.errors:
            if -1 not in shapes[0]:
                tensors = map(paddle.zeros, shapes)
                yield exception, text, (*tensors, *options)

    def test_errors_name_the_argument_and_what_was_expected(self):
        for exception, text, arguments in self.known_rows():
            text = rf'\({self.op.name}\) The .*{text}'
            self.refused(exception, text, self.op.function, *arguments)

    def test_errors_while_a_program_is_built(self):
        for exception, text, *shapes, options in self.errors:
            with static_mode():
                with paddle.static.program_guard(paddle.static.Program()):
                    tensors = map(paddle.static.data, 'xy', shapes)
                    self.refused(
                        exception, text, self.op.function, *tensors, *options
                    )

    def test_errors_of_the_operator_itself(self):
        operator = getattr(paddle._C_ops, self.op.name)
        for _, text, arguments in self.known_rows():
            text = rf'\({self.op.name}\) The .*{text}'
            text += '|exceeds int32 range'  # before the operator sees it
            self.refused((ValueError, IndexError), text, operator, *arguments)
        x, values, *options = arguments
        for dtype in ('int32', 'float64', 'complex64'):
            text = f'The dtype of {self.op.inputs[1]} .*{dtype}'
            values = values.astype(dtype)
            self.refused(ValueError, text, operator, x, values, *options)
