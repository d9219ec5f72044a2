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

import unittest

import numpy as np
from scatter_graph_utils import assert_python_succeeds, static_mode
from scatter_test_utils import ALL_DTYPES

import paddle


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

    def test_mask_that_is_not_bool_is_an_error(self):
        for dtype in ALL_DTYPES[1:]:
            mask = paddle.ones([2, 3], dtype)
            for value in (paddle.ones([3]), 1.0):
                self.check(
                    ValueError,
                    rf'masked_fill_?: mask .*paddle.bool.*paddle.{dtype}',
                    mask=mask,
                    value=value,
                )

    def test_value_of_another_dtype_is_an_error(self):
        for dtype in ('float16', 'float64', 'int32', 'bool', 'complex64'):
            for shape in ([3], [], [1]):
                self.check(
                    ValueError,
                    f'value .*x.*float32.*{dtype}',
                    value=paddle.ones(shape, dtype),
                )

    def test_value_with_a_shape_of_its_own_is_an_error(self):
        for shape in ([2], [4], [3, 3], [1, 2, 3], [2, 2, 3], [3, 1], [0]):
            self.check(ValueError, 'value', value=paddle.ones(shape))

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

    def test_value_that_is_no_number(self):
        for wrong in (None, '1', [1.0], np.ones(3), np.str_('1'), object()):
            self.check(
                TypeError,
                f'value must be a Tensor or a number.*{type(wrong).__name__}',
                value=wrong,
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

    def test_static_graph_checks_while_building(self):
        for changed in (
            {'mask': ([2, 3], 'int32')},
            {'mask': ([2, 3], 'float32')},
            {'mask': ([2, 2], 'bool')},
            {'value': ([3], 'float64')},
            {'value': ([2], 'float32')},
        ):
            specs = {
                'x': ([2, 3], 'float32'),
                'mask': ([2, 3], 'bool'),
                'value': ([3], 'float32'),
                **changed,
            }
            with static_mode(), self.subTest(changed=changed):
                with paddle.static.program_guard(paddle.static.Program()):
                    data = [
                        paddle.static.data(name, *spec)
                        for name, spec in specs.items()
                    ]
                    with self.assertRaises(ValueError):
                        paddle.masked_fill(*data)

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
    expect(f, x, paddle.ones([8]), 1.0)
    expect(f, x, mask, 1e39)
    expect(f, x, mask, paddle.ones([8], 'float64'))
expect(paddle.masked_fill_, x, paddle.ones([2, 8], 'bool'), 1.0)
''',
            '-O',
        )


if __name__ == '__main__':
    unittest.main()
