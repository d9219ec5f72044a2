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

"""Wrong calls of paddle.masked_fill: which exception, and what it says."""

import re
import unittest
from decimal import Decimal
from fractions import Fraction

import numpy as np
from masked_fill_cases import (
    MASK,
    NOT_NUMERIC,
    REJECTED,
    WAYS,
    fill,
    fill_inplace,
    fill_static,
    ones,
)
from scatter_graph_utils import (
    StaticFunction,
    assert_python_succeeds,
    static_mode,
)
from scatter_test_utils import ALL_DTYPES, assert_same_bits, to_paddle

import paddle

NO_NUMBERS = (
    None,
    [1.0],
    (1.0,),
    np.ones(3),
    np.ones(()),
    Fraction(1, 2),
    Decimal('1.5'),
    b'1',
    object(),
)


class TestMaskedFillWrongNumbers(unittest.TestCase):
    def check_out_of_range(self, way):
        for number, dtypes in REJECTED:
            for dtype in dtypes:
                with self.subTest(number=str(number)[:30], dtype=dtype):
                    with self.assertRaises(ValueError) as caught:
                        way(dtype, number)
                    self.check_text(str(caught.exception), dtype, number)

    def check_text(self, text, dtype, number):
        info = np.iinfo(dtype)
        smallest = info.min or -info.max
        self.assertRegex(text, '^masked_fill_?: value must be in the range')
        self.assertIn(f'{dtype}, which takes', text)
        self.assertIn(f'[{smallest}, {info.max}]', text)
        self.assertIn(f'received {number}', text)

    def test_number_out_of_range_is_an_error(self):
        self.check_out_of_range(fill)

    def test_number_out_of_range_is_an_error_in_place(self):
        self.check_out_of_range(fill_inplace)

    def test_number_out_of_range_is_an_error_when_a_graph_is_built(self):
        self.check_out_of_range(fill_static)

    def test_text_that_is_no_number_is_an_error(self):
        for text in NOT_NUMERIC:
            for dtype in ALL_DTYPES:
                for way in WAYS:
                    with self.subTest(text=text, dtype=dtype):
                        with self.assertRaisesRegex(
                            ValueError,
                            'masked_fill_?: value must be a Tensor or a number'
                            f'.*{re.escape(repr(text))}',
                        ):
                            way(dtype, text)

    def test_value_that_is_no_number_is_an_error(self):
        for wrong in NO_NUMBERS:
            for way in WAYS:
                with self.subTest(value=repr(wrong), way=way.__name__):
                    with self.assertRaisesRegex(
                        TypeError,
                        'masked_fill_?: value must be a Tensor or a number'
                        f'.*{type(wrong).__name__}',
                    ):
                        way('float32', wrong)

    def test_error_in_place_leaves_x_as_it_was(self):
        x = to_paddle(ones('uint8'))
        version = x.inplace_version
        for number in (300, 'abc', None):
            with self.assertRaises((ValueError, TypeError)):
                x.masked_fill_(to_paddle(MASK), number)
        assert_same_bits(x, ones('uint8'))
        self.assertEqual(x.inplace_version, version)

    def test_out_of_range_is_an_error_though_nothing_is_masked(self):
        for shape in ([3], [0]):
            x, mask = paddle.ones(shape, 'uint8'), paddle.zeros(shape, 'bool')
            with self.assertRaises(ValueError):
                paddle.masked_fill(x, mask, 300)


class TestMaskedFillWrongArguments(unittest.TestCase):
    functions = (paddle.masked_fill, paddle.masked_fill_)

    def tensors(self):
        return {
            'x': paddle.zeros([2, 3]),
            'mask': paddle.ones([2, 3], 'bool'),
            'value': paddle.ones([3]),
        }

    def check(self, exception, pattern, **changed):
        for function in self.functions:
            tensors = {**self.tensors(), **changed}
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(exception, pattern):
                    function(**tensors)
                if isinstance(tensors['x'], paddle.Tensor):
                    self.assertEqual(tensors['x'].sum(), 0)

    def test_complex_value_is_an_error(self):
        for shape in ([3], [], [1]):
            self.check(
                ValueError,
                'masked_fill_?: value must not be complex.*float32.*complex64',
                value=paddle.ones(shape, 'complex64'),
            )

    def test_operator_takes_a_value_of_the_dtype_of_x_only(self):
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 3], 'bool')
        for dtype in ('float16', 'float64', 'int32', 'bool', 'complex64'):
            with self.subTest(dtype=dtype), self.assertRaises(ValueError):
                paddle._C_ops.masked_fill(x, mask, paddle.ones([], dtype))

    def test_value_with_a_shape_of_its_own_is_an_error(self):
        for shape in ([2], [4], [3, 3], [1, 2, 3], [2, 2, 3], [3, 1], [0]):
            self.check(
                ValueError, 'value must broadcast', value=paddle.ones(shape)
            )

    def test_value_may_not_enlarge_the_result(self):
        x, mask = paddle.zeros([3, 1]), paddle.ones([1], 'bool')
        for shape in ([3, 2], [1, 2], [2, 1, 1], [1, 3, 1]):
            with self.subTest(shape=shape):
                with self.assertRaisesRegex(ValueError, 'value'):
                    paddle.masked_fill(x, mask, paddle.ones(shape))

    def test_arguments_that_are_no_tensors(self):
        for name in ('x', 'mask'):
            for wrong in (None, 1.0, [[1.0] * 3] * 2, np.ones((2, 3), bool)):
                self.check(
                    TypeError,
                    f'{name} must be a Tensor.*{type(wrong).__name__}',
                    **{name: wrong},
                )

    def test_missing_arguments(self):
        for function in self.functions:
            with self.assertRaisesRegex(TypeError, 'value'):
                function(paddle.zeros([2]), paddle.ones([2], 'bool'))

    def test_shapes_that_do_not_broadcast(self):
        for x_shape, mask_shape in (
            ([2, 3], [2, 2]),
            ([2, 3], [3, 3]),
            ([4], [3]),
            ([2, 3], [4, 1, 2]),
            ([0, 3], [2, 3]),
            ([2, 0], [2, 3]),
        ):
            for function in self.functions:
                for value in (1.0, paddle.ones([])):
                    with self.subTest(x=x_shape, mask=mask_shape):
                        with self.assertRaises(ValueError) as caught:
                            function(
                                paddle.zeros(x_shape),
                                paddle.zeros(mask_shape, 'bool'),
                                value,
                            )
                        self.assertIn('broadcast', str(caught.exception))

    def test_operator_takes_a_bool_mask_only(self):
        # the function casts; a mask read as if it were bool would be garbage
        x, value = paddle.zeros([2, 3]), paddle.ones([])
        for dtype in ALL_DTYPES[1:]:
            with self.subTest(dtype=dtype), self.assertRaises(ValueError):
                paddle._C_ops.masked_fill(x, paddle.ones([2, 3], dtype), value)

    def run_wrong_program(self, specs):
        program = StaticFunction(paddle.masked_fill, specs)
        program.run({name: np.ones(*spec) for name, spec in specs.items()})

    def test_static_graph_of_wrong_inputs_is_an_error(self):
        for changed in (
            {'mask': ([2, 2], 'bool')},
            {'value': ([3], 'complex64')},
            {'value': ([2], 'float32')},
            {'value': ([4, 2, 3], 'float32')},
        ):
            specs = {
                'x': ([2, 3], 'float32'),
                'mask': ([2, 3], 'bool'),
                'value': ([3], 'float32'),
                **changed,
            }
            with self.subTest(changed=changed):
                with self.assertRaises(ValueError):
                    self.run_wrong_program(specs)

    def test_shapes_that_do_not_broadcast_are_an_error_while_building(self):
        with static_mode():
            with paddle.static.program_guard(paddle.static.Program()):
                x = paddle.static.data('x', [2, 3])
                mask = paddle.static.data('mask', [2, 2], 'bool')
                with self.assertRaises(ValueError):
                    paddle.masked_fill(x, mask, 1.0)

    def test_checks_stay_under_python_o(self):
        assert_python_succeeds(
            '''
import paddle
def expect(function, *args):
    try:
        function(*args)
    except ValueError:
        return
    raise SystemExit(f'no ValueError from {function.__name__}')
if __debug__:
    raise SystemExit('python -O is not in force')
x, mask = paddle.zeros([8]), paddle.ones([8], 'bool')
for f in (paddle.masked_fill, paddle.masked_fill_):
    expect(f, x.astype('uint8'), mask, 300)
    expect(f, x, mask, 'abc')
    expect(f, x, mask, paddle.ones([8], 'complex64'))
    expect(f, x, mask, paddle.ones([9]))
expect(paddle.masked_fill_, x, paddle.ones([2, 8], 'bool'), 1.0)
''',
            '-O',
        )


if __name__ == '__main__':
    unittest.main()
