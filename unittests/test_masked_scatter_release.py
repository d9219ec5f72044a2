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
"""What masked_scatter of Paddle 3.3.1 did wrong, one test for each fault."""

import os
import unittest

import numpy as np
from scatter_graph_utils import assert_python_succeeds
from scatter_test_utils import HALF_DTYPES, assert_same_bits

import paddle

LARGE_TESTS = 'PADDLE_SCATTER_LARGE_TESTS'


class TestMaskedScatterReleaseFaults(unittest.TestCase):
    def test_one_value_too_few_does_not_read_past_the_end(self):
        x, mask = paddle.zeros([4]), paddle.ones([4], 'bool')
        for function in (paddle.masked_scatter, paddle.masked_scatter_):
            with self.assertRaisesRegex(AssertionError, '4(.|\n)*3|3(.|\n)*4'):
                function(x, mask, paddle.ones([3]))
        self.assertEqual(x.tolist(), [0.0] * 4)

    def test_empty_value_and_false_mask_do_not_end_the_process(self):
        assert_python_succeeds(
            '''
import paddle
x, mask, empty = paddle.ones([2, 3]), paddle.zeros([3], 'bool'), paddle.ones([0])
out = paddle.masked_scatter(x, mask, empty)
paddle.masked_scatter_(x, mask, empty)
if not (out == 1).all() or not (x == 1).all():
    raise SystemExit(f'{out} {x}')
for tensor in (x, empty):
    tensor.stop_gradient = False
paddle.masked_scatter(x, mask, empty).sum().backward()
if x.grad.sum() != 6 or empty.grad.shape != [0]:
    raise SystemExit(f'{x.grad} {empty.grad}')
'''
        )

    def test_small_and_half_dtypes_have_a_kernel(self):
        for dtype in ('int8', 'int16', 'uint8', *HALF_DTYPES):
            x = paddle.zeros([3]).astype(dtype)
            value = paddle.to_tensor([1.0, 2.0]).astype(dtype)
            mask = paddle.to_tensor([True, False, True])
            with self.subTest(dtype=dtype):
                out = paddle.masked_scatter(x, mask, value)
                self.assertEqual(out.dtype, x.dtype)
                self.assertEqual(
                    out.astype('float32').tolist(), [1.0, 0.0, 2.0]
                )

    def test_too_few_values_are_noticed_under_python_o(self):
        assert_python_succeeds(
            '''
import paddle
try:
    paddle.masked_scatter(
        paddle.zeros([4]), paddle.ones([4], 'bool'), paddle.ones([3])
    )
except AssertionError:
    pass
else:
    raise SystemExit('too few values were taken')
''',
            '-O',
        )

    def test_second_order_gradient_exists(self):
        x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        value = paddle.to_tensor([4.0, 5.0], stop_gradient=False)
        mask = paddle.to_tensor([True, False, True])
        out = paddle.masked_scatter(x, mask, value) ** 3
        grads = paddle.grad(out.sum(), [x, value], create_graph=True)
        self.assertEqual(grads[0].tolist(), [0.0, 12.0, 0.0])
        self.assertEqual(grads[1].tolist(), [48.0, 75.0])
        (grads[0].sum() + grads[1].sum()).backward()
        self.assertEqual(x.grad.tolist(), [0.0, 12.0, 0.0])
        self.assertEqual(value.grad.tolist(), [24.0, 30.0])

    def test_in_place_on_an_input_of_no_element(self):
        for shape in ([0], [0, 3], [2, 0]):
            x = paddle.zeros(shape)
            with self.subTest(shape=shape):
                mask = paddle.zeros(shape, 'bool')
                self.assertIs(x.masked_scatter_(mask, paddle.ones([0])), x)
                self.assertIs(
                    x.masked_scatter_(
                        paddle.ones([], 'bool'), paddle.ones([2])
                    ),
                    x,
                )
                self.assertEqual(x.shape, shape)

    def test_in_place_keeps_the_shape_under_a_larger_mask(self):
        x = paddle.zeros([3])
        mask = paddle.ones([2, 3], 'bool')
        with self.assertRaisesRegex(ValueError, r'\[3\].*\[2, 3\]'):
            paddle.masked_scatter_(x, mask, paddle.ones([6]))
        self.assertEqual(x.shape, [3])
        self.assertEqual(x.tolist(), [0.0] * 3)

    def test_more_elements_than_an_int32_counts(self):
        if not os.environ.get(LARGE_TESTS):
            self.skipTest(
                f'needs 7 GiB of memory and a minute: set {LARGE_TESTS}=1'
            )
        size = (1 << 31) + 11
        ends = [0, 7, (1 << 31) - 1, 1 << 31, size - 1]
        mask = np.zeros(size, bool)
        mask[ends] = True
        value = paddle.arange(1, 8).astype('int8')
        x = paddle.zeros([1], 'int8')
        out = paddle.masked_scatter(x, paddle.to_tensor(mask), value).numpy()
        assert_same_bits(out[ends], np.arange(1, 6, dtype='int8'))
        self.assertEqual(int(np.count_nonzero(out)), len(ends))

        del out
        x = paddle.zeros([size, 1], 'int8')
        column = paddle.to_tensor(mask[:, None])
        x.masked_scatter_(column, value)
        self.assertEqual(x[:, 0].numpy()[ends].tolist(), [1, 2, 3, 4, 5])


if __name__ == '__main__':
    unittest.main()
