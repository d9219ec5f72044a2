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

"""Numbers as the value of paddle.masked_fill: kinds, ranges, exactness."""

import unittest

import numpy as np
from scatter_graph_utils import run_static
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    FLOAT_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    requires_torch,
    to_paddle,
    to_storage,
    to_torch,
    torch_to_numpy,
)

import paddle

MASK = np.array([True, False, True])
INFINITY = float('inf')
NAN = float('nan')


def ones(dtype):
    return to_storage(np.ones(3), dtype)


def filled(dtype, stored):
    """Ones of a dtype with a number in storage form at the Trues of MASK."""
    return np.where(MASK, np.asarray(stored), ones(dtype))


def fill(dtype, number):
    return paddle.masked_fill(
        to_paddle(ones(dtype)), to_paddle(MASK), number
    ).numpy()


def fill_inplace(dtype, number):
    x = to_paddle(ones(dtype))
    paddle.masked_fill_(x, to_paddle(MASK), number)
    return x.numpy()


def fill_static(dtype, number):
    return run_static(
        lambda x, mask: paddle.masked_fill(x, mask, number),
        {'x': ones(dtype), 'mask': MASK},
    )


WAYS = (fill, fill_inplace, fill_static)

# number, dtypes, what is stored
ACCEPTED = (
    (True, ALL_DTYPES, 1),
    (False, ALL_DTYPES, 0),
    (0, ALL_DTYPES, 0),
    (2.7, INT_DTYPES, 2),
    (-2.7, INT_DTYPES[1:], -2),
    (-0.9, INT_DTYPES, 0),
    (255, ('uint8', 'int16', 'int32', 'int64'), 255),
    (255.9, ('uint8',), 255),
    (-128, ('int8',), -128),
    (127, ('int8',), 127),
    (-32768, ('int16',), -32768),
    (32767, ('int16',), 32767),
    (-(2**31), ('int32', 'int64'), -(2**31)),
    (2**31 - 1, ('int32', 'int64'), 2**31 - 1),
    (2**53 + 1, ('int64',), 2**53 + 1),
    (-(2**53) - 1, ('int64',), -(2**53) - 1),
    (2**63 - 1, ('int64',), 2**63 - 1),
    (-(2**63), ('int64',), -(2**63)),
    (-(2.0**63), ('int64',), -(2**63)),
    (2.0**62, ('int64',), 2**62),
    (2, ('bool',), True),
    (0.5, ('bool',), True),
    (-1, ('bool',), True),
    (1j, ('bool',), True),
    (0j, ('bool',), False),
    (NAN, ('bool',), True),
    (INFINITY, ('bool',), True),
    (0.1, FLOAT_DTYPES + COMPLEX_DTYPES, 0.1),
    (2**100, FLOAT_DTYPES + COMPLEX_DTYPES + ('bfloat16',), 2.0**100),
    (3.4028235e38, ('float32', 'complex64'), 3.4028235e38),
    (1e308, ('float64', 'complex128'), 1e308),
    (65519.0, ('float16',), 65504),
    (-65519, ('float16',), -65504),
    (3.3895e38, ('bfloat16',), 2.0**128 - 2.0**120),
    (1.5 + 2.5j, COMPLEX_DTYPES, 1.5 + 2.5j),
    (0.1 + 0.2j, COMPLEX_DTYPES, 0.1 + 0.2j),
    (complex(NAN, -INFINITY), COMPLEX_DTYPES, complex(NAN, -INFINITY)),
    (3 + 0j, INT_DTYPES + FLOAT_DTYPES, 3),
)

# number, dtypes that cannot hold it
REJECTED = (
    (300, ('uint8', 'int8')),
    (256, ('uint8',)),
    (-1, ('uint8',)),
    (-1.0, ('uint8',)),
    (128, ('int8',)),
    (-129, ('int8',)),
    (32768, ('int16',)),
    (2**31, ('int32',)),
    (2.0**31, ('int32',)),
    (2**63, ('int64',)),
    (2.0**63, ('int64',)),
    (-(2**63) - 2**12, ('int64',)),
    (2**100, INT_DTYPES),
    (INFINITY, INT_DTYPES),
    (-INFINITY, INT_DTYPES),
    (NAN, INT_DTYPES),
    (1e39, ('float16', 'bfloat16', 'float32', 'complex64')),
    (2**200, ('float16', 'bfloat16', 'float32', 'complex64')),
    (3.4028236e38, ('float32', 'complex64')),
    (complex(0, 1e39), ('complex64',)),
    (1e6, ('float16',)),
    (65520, ('float16',)),
    (-65520.0, ('float16',)),
    (3.4e38, ('bfloat16',)),
    (1j, INT_DTYPES + FLOAT_DTYPES + ('float16', 'bfloat16')),
    (complex(1, NAN), INT_DTYPES + FLOAT_DTYPES),
)

NUMPY_NUMBERS = (
    np.bool_(True),
    np.uint8(3),
    np.int16(-3),
    np.int64(2**53 + 1),
    np.float16(0.5),
    np.float32(0.1),
    np.float64(0.1),
    np.longdouble(0.1),
    np.complex64(1 + 2j),
    np.complex128(0.1 + 0.2j),
)


class TestMaskedFillNumbers(unittest.TestCase):
    def check_accepted(self, way):
        for number, dtypes, stored in ACCEPTED:
            for dtype in dtypes:
                with self.subTest(number=number, dtype=dtype):
                    expected = filled(dtype, to_storage(stored, dtype))
                    assert_same_bits(way(dtype, number), expected)

    def test_every_number_in_range_is_stored(self):
        self.check_accepted(fill)

    def test_every_number_in_range_is_stored_in_place(self):
        self.check_accepted(fill_inplace)

    def test_every_number_in_range_is_stored_by_a_static_graph(self):
        self.check_accepted(fill_static)

    def test_infinity_and_nan_reach_every_float_dtype(self):
        for dtype in ('float16', 'bfloat16', 'float32', 'float64'):
            for number in (INFINITY, -INFINITY, NAN):
                for way in WAYS:
                    out = to_paddle(way(dtype, number)).astype('float64')
                    with self.subTest(dtype=dtype, number=number, way=way):
                        np.testing.assert_array_equal(
                            out.numpy(), [number, 1.0, number]
                        )

    def test_negative_zero_keeps_its_sign(self):
        for dtype in FLOAT_DTYPES:
            for way in WAYS:
                signs = np.signbit(way(dtype, -0.0))
                self.assertEqual(signs.tolist(), MASK.tolist())

    def test_numbers_of_numpy(self):
        for number in NUMPY_NUMBERS:
            dtype = number.dtype.name
            if dtype not in ALL_DTYPES:  # long double
                dtype = 'float64'
            for way in WAYS:
                with self.subTest(number=repr(number), way=way.__name__):
                    expected = filled(dtype, to_storage(number, dtype))
                    assert_same_bits(way(dtype, number), expected)

    @requires_torch
    def test_numbers_become_what_torch_makes_of_them(self):
        for dtype in ALL_DTYPES:
            for number in (True, 0, 1, 3.7, 0.1):
                expected = to_torch(ones(dtype)).masked_fill(
                    to_torch(MASK), number
                )
                with self.subTest(dtype=dtype, number=number):
                    assert_same_bits(
                        fill(dtype, number), torch_to_numpy(expected)
                    )


class TestMaskedFillNumbersOutOfRange(unittest.TestCase):
    def check_rejected(self, way):
        for number, dtypes in REJECTED:
            for dtype in dtypes:
                with self.subTest(number=number, dtype=dtype):
                    with self.assertRaises(ValueError) as caught:
                        way(dtype, number)
                    self.check_text(str(caught.exception), dtype)

    def check_text(self, text, dtype):
        self.assertIn('masked_fill', text)
        self.assertIn('value must be in the range', text)
        self.assertIn(dtype, text)

    def test_scalar_out_of_range_is_an_error(self):
        self.check_rejected(fill)

    def test_scalar_out_of_range_is_an_error_in_place(self):
        self.check_rejected(fill_inplace)

    def test_scalar_out_of_range_is_an_error_when_a_graph_is_built(self):
        self.check_rejected(fill_static)

    def test_text_names_the_number_and_the_range(self):
        with self.assertRaisesRegex(ValueError, r'\[0, 255\].* 300\b'):
            fill('uint8', 300)
        with self.assertRaisesRegex(ValueError, r'65504.* 1000000\b'):
            fill('float16', 1e6)

    def test_error_in_place_leaves_x_as_it_was(self):
        x = to_paddle(ones('uint8'))
        version = x.inplace_version
        with self.assertRaises(ValueError):
            x.masked_fill_(to_paddle(MASK), 300)
        assert_same_bits(x, ones('uint8'))
        self.assertEqual(x.inplace_version, version)

    def test_out_of_range_is_an_error_though_nothing_is_masked(self):
        for shape in ([3], [0]):
            with self.assertRaises(ValueError):
                paddle.masked_fill(
                    paddle.ones(shape, 'uint8'),
                    paddle.zeros(shape, 'bool'),
                    300,
                )

    def test_huge_int_is_an_error_for_every_float_dtype(self):
        for dtype in FLOAT_DTYPES:
            for way in WAYS:
                with self.assertRaisesRegex(ValueError, 'masked_fill_?: value'):
                    way(dtype, 10**400)

    def test_operator_itself_checks_the_range(self):
        with self.assertRaisesRegex(ValueError, 'value must be in the range'):
            paddle._C_ops.masked_fill_scalar(
                to_paddle(ones('uint8')), to_paddle(MASK), 300
            )


if __name__ == '__main__':
    unittest.main()
