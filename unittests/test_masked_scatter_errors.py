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
"""Wrong calls of paddle.masked_scatter: which exception, and what it says."""

import unittest

import numpy as np
from masked_scatter_cases import cases, count_true
from scatter_graph_utils import assert_python_succeeds, static_mode
from scatter_test_utils import ALL_DTYPES, random_array, to_paddle

import paddle


class TestMaskedScatterTooFewValues(unittest.TestCase):
    def test_one_too_few_names_both_counts(self):
        rng = np.random.default_rng(1)
        for dtype in ALL_DTYPES:
            for name, x_shape, mask, _ in cases():
                needed = count_true(x_shape, mask)
                if needed == 0:
                    continue
                x = to_paddle(random_array(rng, x_shape, dtype))
                value = to_paddle(random_array(rng, (needed - 1,), dtype))
                with self.subTest(dtype=dtype, case=name):
                    with self.assertRaises(AssertionError) as caught:
                        paddle.masked_scatter(x, to_paddle(mask), value)
                    self.check_text(str(caught.exception), needed)

    def check_text(self, text, needed):
        self.assertIn('masked_scatter', text)
        self.assertRegex(text, rf'\b{needed}\b')
        self.assertRegex(text, rf'\b{needed - 1}\b')

    def test_too_few_among_many_elements(self):
        needed = 300000
        mask = np.arange(1 << 20) < needed
        x = paddle.zeros([1 << 20])
        with self.assertRaises(AssertionError) as caught:
            paddle.masked_scatter(x, to_paddle(mask), paddle.ones([needed - 1]))
        self.check_text(str(caught.exception), needed)

    def test_too_few_with_gradients(self):
        x, value = paddle.zeros([6]), paddle.ones([5])
        x.stop_gradient = value.stop_gradient = False
        with self.assertRaises(AssertionError) as caught:
            paddle.masked_scatter(x, paddle.ones([6], 'bool'), value)
        self.check_text(str(caught.exception), 6)

    def test_bool_mask_after_the_flag_has_changed(self):
        assert_python_succeeds(
            'import paddle\n'
            'paddle.set_flags({"FLAGS_enable_pir_api": False})\n'
            'x = paddle.zeros([3])\n'
            'out = paddle.masked_scatter(x, x == 0, x + 1)\n'
            'if out.tolist() != [1, 1, 1]: raise SystemExit(out)\n'
            'try:\n'
            '    paddle.masked_scatter(x, x, x)\n'
            'except AssertionError: pass\n'
            'else: raise SystemExit("a float mask was taken")\n'
        )

    def test_value_may_not_be_broadcast(self):
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 3], 'bool')
        with self.assertRaises(AssertionError):
            paddle.masked_scatter(x, mask, paddle.ones([1]))
        with self.assertRaises(AssertionError):
            paddle.masked_scatter(x, mask, paddle.ones([3]))

    def test_next_call_after_an_error_is_right(self):
        x, mask = paddle.zeros([6]), paddle.ones([6], 'bool')
        with self.assertRaises(AssertionError):
            paddle.masked_scatter(x, mask, paddle.ones([5]))
        out = paddle.masked_scatter(x, mask, paddle.ones([6]))
        self.assertEqual(out.tolist(), [1.0] * 6)

    def test_checks_stay_under_python_o(self):
        assert_python_succeeds(
            '''
import paddle
def message(function, *args):
    try:
        function(*args)
    except AssertionError as error:
        return str(error)
    raise SystemExit(f'no AssertionError from {function.__name__}')
if __debug__:
    raise SystemExit('python -O is not in force')
x, mask = paddle.zeros([8]), paddle.ones([8], 'bool')
for f in (paddle.masked_scatter, paddle.masked_scatter_):
    text = message(f, x, mask, paddle.ones([7]))
    if '8' not in text or '7' not in text:
        raise SystemExit(text)
    message(f, x, paddle.ones([8], 'int32'), paddle.ones([8]))
    message(f, x, mask, paddle.ones([8], 'float64'))
''',
            '-O',
        )


class TestMaskedScatterWrongArguments(unittest.TestCase):
    functions = (paddle.masked_scatter, paddle.masked_scatter_)

    def tensors(self):
        return {
            'x': paddle.zeros([2, 3]),
            'mask': paddle.ones([2, 3], 'bool'),
            'value': paddle.ones([6]),
        }

    def check(self, exception, pattern, **changed):
        for function in self.functions:
            tensors = {**self.tensors(), **changed}
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(exception, pattern):
                    function(**tensors)

    def test_mask_of_another_dtype(self):
        for dtype in ('uint8', 'int32', 'int64', 'float32', 'bfloat16'):
            mask = paddle.ones([2, 3], dtype)
            self.check(
                AssertionError,
                rf'masked_scatter_?: mask .*paddle.bool.*paddle.{dtype}',
                mask=mask,
            )

    def test_value_of_another_dtype(self):
        for dtype in ('float16', 'float64', 'int32', 'bool', 'complex64'):
            value = paddle.ones([6], dtype)
            self.check(
                AssertionError,
                rf'value .*dtype of x.*paddle.float32.*paddle.{dtype}',
                value=value,
            )

    def test_arguments_that_are_no_tensors(self):
        for name in ('x', 'mask', 'value'):
            for wrong in (None, 1.0, [[1.0] * 3] * 2, np.ones((2, 3), bool)):
                self.check(
                    TypeError,
                    f'{name} must be a Tensor.*{type(wrong).__name__}',
                    **{name: wrong},
                )

    def test_arrays_instead_of_tensors(self):
        x, value = np.zeros((2, 3), 'float32'), np.ones(6, 'float32')
        for function in self.functions:
            with self.assertRaisesRegex(TypeError, 'x must be a Tensor'):
                function(x, paddle.ones([2, 3], 'bool'), value)

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
                with self.subTest(x=x_shape, mask=mask_shape):
                    with self.assertRaises(ValueError) as caught:
                        function(
                            paddle.zeros(x_shape),
                            paddle.zeros(mask_shape, 'bool'),
                            paddle.zeros([6]),
                        )
                    self.assertIn('broadcast', str(caught.exception))

    def test_static_graph_checks_while_building(self):
        for changed, exception in (
            ({'mask': ([2, 3], 'int32')}, AssertionError),
            ({'value': ([6], 'float64')}, AssertionError),
            ({'mask': ([2, 2], 'bool')}, ValueError),
        ):
            specs = {
                'x': ([2, 3], 'float32'),
                'mask': ([2, 3], 'bool'),
                'value': ([6], 'float32'),
                **changed,
            }
            with static_mode(), self.subTest(changed=changed):
                with paddle.static.program_guard(paddle.static.Program()):
                    data = [
                        paddle.static.data(name, *spec)
                        for name, spec in specs.items()
                    ]
                    with self.assertRaises(exception):
                        paddle.masked_scatter(*data)


if __name__ == '__main__':
    unittest.main()
