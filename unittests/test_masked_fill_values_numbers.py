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
"""Numbers as the value of paddle.masked_fill: kinds, rounding, refusals."""

import re
import unittest
from decimal import Decimal
from fractions import Fraction

import numpy as np
from masked_fill_cases import ACCEPTED, NOT_NUMERIC, REJECTED
from op_table import numbers
from op_table_graph import loaded, run_program, saved, static_mode
from scatter_test_utils import ALL_DTYPES, to_paddle, to_storage

import paddle
from paddle.pir_utils import OldIrGuard

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
            for value, _ in rows(REJECTED, dtype):
                self.check(
                    ValueError,
                    '^masked_fill_?: value must be in the range(.|\n)*'
                    f'{dtype}, which takes .*{re.escape(limits)}'
                    f'.*received {re.escape(str(value))}',
                    dtype,
                    value,
                )

    def test_text_that_is_no_number(self):
        for text in NOT_NUMERIC:
            for dtype in ('bool', 'int32', 'bfloat16', 'complex64'):
                self.check(
                    ValueError,
                    'masked_fill_?: value must be a Tensor or a number'
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
                'masked_fill_?: value must be a Tensor or a number'
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
