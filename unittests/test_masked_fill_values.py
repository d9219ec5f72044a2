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
"""paddle.masked_fill by its tables, what no row of them can say, wrong calls, and
numbers as its value: kinds, rounding, refusals."""

import re
import unittest
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import masked_tests
import numpy as np
from masked_cases import SHAPES
from masked_fill_cases import (
    ACCEPTED,
    CASES,
    CASES_OF_NUMBER,
    NOT_NUMERIC,
    OP,
    OP_OF_NUMBER,
    REJECTED,
)
from op_table import CallTests, InplaceTests, ValueTests, numbers
from op_table_grad import GradientTests
from op_table_graph import (
    CastTests,
    GraphTests,
    ProgramTests,
    loaded,
    run_program,
    saved,
    static_mode,
)
from scatter_test_utils import (
    ALL_DTYPES,
    OnCpu,
    sum_to_shape,
    to_paddle,
    to_storage,
)

import paddle
from paddle.pir_utils import OldIrGuard


class TestMaskedFillTable(
    OnCpu, ValueTests, InplaceTests, GradientTests, unittest.TestCase
):
    op, cases = OP, CASES


class TestMaskedFillGraphs(OnCpu, GraphTests, unittest.TestCase):
    op = replace(OP, orders=1)
    # first a value that is broadcast, to be traced and saved
    cases = CASES[len(SHAPES) :] + CASES[: len(SHAPES)]


class TestMaskedFillOfX(OnCpu, GradientTests, unittest.TestCase):
    """While value stops its gradient."""

    op, cases = replace(OP, differentiable=('x',)), CASES[:3]


class TestMaskedFillOfValue(
    OnCpu, GradientTests, ProgramTests, unittest.TestCase
):
    """While x stops its gradient; of value alone there is no second order."""

    op, cases = replace(OP, differentiable=('value',), orders=1), CASES[:3]


class TestMaskedFillNumberTable(ValueTests, InplaceTests, unittest.TestCase):
    op, cases = OP_OF_NUMBER, CASES_OF_NUMBER


class TestMaskedFillNumberGradients(OnCpu, GradientTests, unittest.TestCase):
    op, cases = OP_OF_NUMBER, CASES_OF_NUMBER


class TestMaskedFillNumberPrograms(OnCpu, ProgramTests, unittest.TestCase):
    op, cases = replace(OP_OF_NUMBER, orders=1), CASES_OF_NUMBER


class TestMaskedFillLengths(OnCpu, masked_tests.LengthTests, unittest.TestCase):
    op = OP

    def value_shapes(self, where):
        return where.shape, where.shape[1:], (*where.shape[:-1], 1)

    def value_grad(self, where, out_grad, value_shape):
        return sum_to_shape(np.where(where, out_grad, 0), value_shape)


class TestMaskedFillMemory(masked_tests.MemoryTests, unittest.TestCase):
    op = OP
    views = {
        'itself': lambda a: a[:],
        'transposed': lambda a: a.T,
        'backwards': lambda a: a[::-1],
        'a row': lambda a: a[2],
        'an element': lambda a: a[3, 4],
    }


class TestMaskedFillBuilding(masked_tests.BuildingTests, unittest.TestCase):
    op = OP


class TestMaskedFillAutograd(
    OnCpu, masked_tests.AutogradTests, unittest.TestCase
):
    op = OP

    def test_half_types_are_summed_in_single_precision_of_value_too(self):
        for dtype in ('float16', 'bfloat16'):
            value = paddle.zeros([1], dtype)
            value.stop_gradient = False
            mask = paddle.ones([4096], 'bool')
            out = paddle.masked_fill(paddle.zeros([1], dtype), mask, value)
            out.backward(paddle.ones([4096], dtype))
            with self.subTest(dtype=dtype):
                self.assertEqual(value.grad.astype('float32').tolist(), [4096])

    def test_second_order_in_a_program_is_an_error(self):
        def gradient_penalty(x, mask):
            out = paddle.masked_fill(x, mask, 0.5)
            (grad,) = paddle.grad([out * out], [x], create_graph=True)
            return paddle.grad([grad * grad], [x])

        x = paddle.zeros([4, 5])
        x.stop_gradient = False
        traced = paddle.jit.to_static(gradient_penalty, full_graph=True)
        with self.assertRaisesRegex(ValueError, 'masked_fill_grad'):
            traced(x, paddle.ones([4, 5], 'bool'))


class TestMaskedFillCalls(CallTests, CastTests, unittest.TestCase):
    op, cases = OP, CASES
    aliases = (('x', 'input'),)
    tensors_only = 'x', 'mask'

    def test_mask_of_every_dtype_is_true_where_it_is_not_zero(self):
        numbers = np.array([0.0, 1.0, 0.0, 3.0, -0.0])
        masks = {d: to_storage(numbers, d) for d in ALL_DTYPES}

        def build(variables):
            x = paddle.zeros([5])
            return [paddle.masked_fill(x, m, 7) for m in variables.values()]

        with static_mode():
            of_program = run_program(build, masks)
        for (dtype, mask), found in zip(masks.items(), of_program):
            x, mask = paddle.zeros([5]), to_paddle(mask)
            for out in (
                paddle.masked_fill(x, mask, 7),
                paddle.masked_fill_(x, mask, 7),
                found,
            ):
                with self.subTest(dtype=dtype):
                    self.assertEqual(out.tolist(), [0, 7, 0, 7, 0])
        mask = paddle.to_tensor([0.5, -1e-30, float('nan'), 0.0])
        out = paddle.masked_fill(paddle.zeros([4]), mask, 1)
        self.assertEqual(out.tolist(), [1.0, 1.0, 1.0, 0.0])

    def test_cast_value_wraps_around(self):
        x, mask = paddle.ones([2], 'uint8'), paddle.to_tensor([True, False])
        out = paddle.masked_fill(x, mask, paddle.to_tensor([300]))
        self.assertEqual(out.tolist(), [44, 1])


class TestMaskedFillErrors(masked_tests.ErrorTests, unittest.TestCase):
    op = OP
    late_errors = masked_tests.misfits(
        ('mask', np.ones((2, 2), bool), '(?i)broadcast|mask'),
        ('mask', np.ones((4, 3), bool), '(?i)broadcast|mask'),
        ('value', (2, 2), 'value'),
        ('value', (4, 2, 3), 'value'),
    )

    def test_value_with_a_shape_of_its_own(self):
        for shape in ([2], [4], [3, 3], [1, 2, 3], [2, 2, 3], [3, 1], [0]):
            self.check(
                ValueError,
                'shape of value should be broadcastable',
                value=paddle.ones(shape),
            )

    def test_value_may_not_enlarge_the_result(self):
        for shape in ([3, 2], [1, 2], [2, 1, 1], [1, 3, 1]):
            self.check(
                ValueError,
                'value',
                x=paddle.zeros([3, 1]),
                mask=paddle.ones([1], 'bool'),
                value=paddle.ones(shape),
            )

    def test_value_that_is_known_not_to_fit_while_a_program_is_built(self):
        for x, mask, value, fits in (
            ([2, 3], [2, 3], [2], False),
            ([2, 3], [2, 3], [1, 2, 3], False),
            ([2, 3], [2, 3], [-1, 2, 3], False),
            ([2, 3], [3], [4, 3], False),
            ([-1, 3], [-1, 3], [2], False),
            ([-1, 1], [1, 3], [2], False),
            ([0, 3], [0, 3], [2, 3], False),
            ([2, 3], [2, 3], [0], False),
            ([2, 3], [2, 3], [-1], True),
            ([2, 3], [2, 3], [1, 1, 1], True),
            ([2, 3], [2, 3], [-1, 1, -1], True),
            ([-1, 3], [1, 3], [5, 3], True),
            ([1, 3], [-1, 1], [4, 1], True),
            ([-1, -1], [-1, -1], [2, 3], True),
        ):
            for guard in (static_mode, OldIrGuard):
                with (
                    guard(),
                    paddle.static.program_guard(paddle.static.Program()),
                ):
                    tensors = (
                        paddle.static.data('x', x),
                        paddle.static.data('mask', mask, 'bool'),
                        paddle.static.data('value', value),
                    )
                    with self.subTest(x=x, mask=mask, value=value, fits=fits):
                        if fits:
                            paddle.masked_fill(*tensors)
                            continue
                        text = 'shape of value should be broadcastable'
                        with self.assertRaisesRegex(ValueError, text):
                            paddle.masked_fill(*tensors)

    def test_operator_takes_bool_masks_and_values_of_the_dtype_of_x_only(self):
        # the function casts; a mask read as if it were bool would be garbage
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 3], 'bool')
        for dtype in ALL_DTYPES:
            with self.subTest(dtype=dtype):
                if dtype != 'bool':
                    with self.assertRaises(ValueError):
                        paddle._C_ops.masked_fill(x, mask.astype(dtype), x)
                if dtype != 'float32':
                    with self.assertRaises(ValueError):
                        paddle._C_ops.masked_fill(x, mask, x.astype(dtype))

    def test_masks_that_do_not_fit_a_number(self):
        mask = paddle.ones([2, 2], 'bool')
        self.check(ValueError, 'broadcast', mask=mask, value=1.0)
        self.check(
            ValueError,
            'broadcast',
            [paddle.masked_fill_],
            x=paddle.zeros([3]),
            value=1.0,
        )
        with masked_tests.new_program():
            x = paddle.static.data('x', [2, 3])
            mask = paddle.static.data('mask', [2, 2], 'bool')
            with self.assertRaisesRegex(ValueError, 'broadcast'):
                paddle.masked_fill(x, mask, 1.0)


MASK = np.array([True, False, True])


def ones(dtype):
    return to_storage(np.ones(3), dtype)


def fill(dtype, values):
    x, mask = to_paddle(ones(dtype)), to_paddle(MASK)
    return [paddle.masked_fill(x, mask, v).numpy() for v in values]


def fill_in_place(dtype, values):
    mask = to_paddle(MASK)
    return [
        paddle.masked_fill_(to_paddle(ones(dtype)), mask, v).numpy()
        for v in values
    ]


def fill_in_program(dtype, values, mode=static_mode):
    def build(data):
        return [paddle.masked_fill(**data, value=v) for v in values]

    with mode():
        return run_program(build, {'x': ones(dtype), 'mask': MASK})


def fill_in_old_program(dtype, values):
    return fill_in_program(dtype, values, OldIrGuard)


WAYS = (fill, fill_in_place, fill_in_program, fill_in_old_program)


def rows(table, dtype):
    return [row for row in table if dtype in row[1]]


class TestMaskedFillNumbers(unittest.TestCase):
    def check(self, found, stored, dtype, **what):
        with np.errstate(over='ignore'):
            expected = np.where(MASK, to_storage(stored, dtype), ones(dtype))
        with self.subTest(dtype=dtype, **what):
            self.assertEqual(found.dtype, expected.dtype)
            np.testing.assert_array_equal(numbers(found), numbers(expected))

    def test_number_is_rounded_to_the_dtype(self):
        for dtype in ALL_DTYPES:
            values, _, stored = zip(*rows(ACCEPTED, dtype))
            for way in WAYS:
                outs = way(dtype, values)
                for value, out, expected in zip(values, outs, stored):
                    self.check(
                        out,
                        expected,
                        dtype,
                        way=way.__name__,
                        number=str(value)[:30],
                    )

    def test_negative_zero_keeps_its_sign(self):
        # not in a program, which keeps one of two equal constants
        for dtype in ('float32', 'float64'):
            for way in (fill, fill_in_place):
                for value, out in zip(
                    (0.0, -0.0, 0, -0.0), way(dtype, (0.0, -0.0, 0, -0.0))
                ):
                    signs = np.signbit(out)[MASK].tolist()
                    self.assertEqual(signs, [np.signbit(value)] * 2)

    def test_equal_numbers_of_other_types_are_kept_apart(self):
        values = (0.0, 0, False, 1, True, 1.0) * 2
        for dtype in ('float32', 'int64', 'bool'):
            for value, out in zip(values, fill(dtype, values)):
                self.check(out, value, dtype, number=value)

    def test_number_survives_saving(self):
        for number, dtype in (
            (0.1, 'float64'),
            (2**53 + 1, 'int64'),
            (-(2**63), 'int64'),
            (0.1 + 0.2j, 'complex128'),
            (float('-inf'), 'float16'),
            (True, 'bool'),
        ):

            def function(tensors):
                return paddle.masked_fill(*tensors, number)  # noqa: B023

            arrays = {'x': ones(dtype), 'mask': MASK}
            with saved(function, arrays, known_dims=True) as path:
                out = loaded(path)(list(map(to_paddle, arrays.values())))
            self.check(out.numpy(), number, dtype, number=number)


class TestMaskedFillNumberErrors(unittest.TestCase):
    def check(self, exception, pattern, dtype, value):
        for way in WAYS:
            with self.subTest(way=way.__name__, value=str(value)[:30]):
                with self.assertRaisesRegex(exception, pattern):
                    way(dtype, [value])

    def test_number_out_of_range(self):
        for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64'):
            info = np.iinfo(dtype)
            limits = f'[{info.min or -info.max}, {info.max}]'
            if dtype == 'uint8':
                limits += ' (-1 means 255)'
            for value, _ in rows(REJECTED, dtype):
                self.check(
                    ValueError,
                    r'^\(masked_fill_?\) The value of value should be in '
                    f'{re.escape(limits)} for .*{dtype}, '
                    f'but received {re.escape(str(value))}',
                    dtype,
                    value,
                )

    def test_text_that_is_no_number(self):
        for text in NOT_NUMERIC:
            for dtype in ('bool', 'int32', 'bfloat16', 'complex64'):
                self.check(
                    ValueError,
                    r'masked_fill_?\) The type of value should be Tensor or a number'
                    f'.*{re.escape(repr(text))}',
                    dtype,
                    text,
                )

    def test_value_that_is_no_number(self):
        for value in (
            None,
            [1.0],
            (1.0,),
            np.ones(3),
            np.ones(()),
            Fraction(1, 2),
            Decimal('1.5'),
            b'1',
            object(),
        ):
            self.check(
                TypeError,
                r'masked_fill_?\) The type of value should be Tensor or a number'
                f'.*{type(value).__name__}',
                'float32',
                value,
            )

    def test_in_place_leaves_x_as_it_was(self):
        x = paddle.ones([3], 'uint8')
        for number in (300, 'abc', None):
            with self.assertRaises((ValueError, TypeError)):
                x.masked_fill_(to_paddle(MASK), number)
        self.assertEqual((x.tolist(), x.inplace_version), ([1, 1, 1], 0))

    def test_out_of_range_is_an_error_though_nothing_is_masked(self):
        for shape in ([3], [0]):
            x, mask = paddle.ones(shape, 'uint8'), paddle.zeros(shape, 'bool')
            with self.assertRaises(ValueError):
                paddle.masked_fill(x, mask, 300)


if __name__ == '__main__':
    unittest.main()
