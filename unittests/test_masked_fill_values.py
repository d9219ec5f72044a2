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

"""paddle.masked_fill against plain loops and PyTorch, bit by bit."""

import os
import unittest

import numpy as np
from masked_fill_cases import (
    cases,
    reference_masked_fill,
    torch_masked_fill,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    random_mask,
    requires_torch,
    to_paddle,
    to_torch,
    torch_to_numpy,
)

import paddle

LARGE_TESTS = 'PADDLE_SCATTER_LARGE_TESTS'


def as_tensors(*arrays):
    return [to_paddle(array) for array in arrays]


class TestMaskedFillValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def arrays(self, dtype, x_shape, mask, value_shape):
        x = random_array(self.rng, x_shape, dtype)
        return x, mask, random_array(self.rng, value_shape, dtype)

    def test_every_case_and_dtype_equals_the_plain_loops(self):
        for dtype in ALL_DTYPES:
            for name, *shapes in cases():
                arrays = self.arrays(dtype, *shapes)
                with self.subTest(dtype=dtype, case=name):
                    out = paddle.masked_fill(*as_tensors(*arrays))
                    assert_same_bits(out, reference_masked_fill(*arrays))

    @requires_torch
    def test_every_case_and_dtype_equals_torch(self):
        for dtype in ALL_DTYPES:
            for name, *shapes in cases():
                arrays = self.arrays(dtype, *shapes)
                expected = torch_masked_fill(*map(to_torch, arrays))
                with self.subTest(dtype=dtype, case=name):
                    out = paddle.masked_fill(*as_tensors(*arrays))
                    assert_same_bits(out, torch_to_numpy(expected))

    def test_number_and_tensor_fill_alike(self):
        for dtype in ALL_DTYPES:
            for name, x_shape, mask, _ in cases():
                x = to_paddle(random_array(self.rng, x_shape, dtype))
                value = paddle.ones([], dtype)
                with self.subTest(dtype=dtype, case=name):
                    assert_same_bits(
                        paddle.masked_fill(x, to_paddle(mask), 1),
                        paddle.masked_fill(x, to_paddle(mask), value).numpy(),
                    )

    def test_sizes_around_the_steps_of_a_vector_loop(self):
        for dtype in ('uint8', 'int16', 'float32', 'float64', 'complex128'):
            for size in (1, 7, 8, 31, 32, 33, 63, 65, 4095, 4097):
                x = random_array(self.rng, (size,), dtype)
                value = random_array(self.rng, (size,), dtype)
                mask = random_mask(self.rng, (size,), runs=size > 100)
                with self.subTest(dtype=dtype, size=size):
                    for fill in (value, value[0]):
                        out = paddle.masked_fill(*as_tensors(x, mask, fill))
                        assert_same_bits(out, np.where(mask, fill, x))

    def test_big_inputs_that_all_threads_share(self):
        for x_shape, mask_shape, value_shape in (
            ((700, 1201), (700, 1201), (1201,)),
            ((700, 1201), (700, 1), (700, 1)),
            ((700, 1201), (1201,), (700, 1201)),
            ((1201,), (700, 1201), ()),
            ((700, 1), (1201,), (700, 1)),
        ):
            x = random_array(self.rng, x_shape, 'float32')
            value = random_array(self.rng, value_shape, 'float32')
            mask = random_mask(self.rng, mask_shape, runs=True)
            with self.subTest(x=x_shape, mask=mask_shape, value=value_shape):
                out = paddle.masked_fill(*as_tensors(x, mask, value))
                assert_same_bits(out, np.where(mask, value, x))

    @unittest.skipUnless(
        os.environ.get(LARGE_TESTS),
        f'needs 7 GiB of memory and a minute: set {LARGE_TESTS}=1',
    )
    def test_more_elements_than_an_int32_counts(self):
        size = (1 << 31) + 11
        ends = [0, 7, (1 << 31) - 1, 1 << 31, size - 1]
        mask = np.zeros((size, 1), bool)
        mask[ends] = True
        mask = to_paddle(mask)
        out = paddle.masked_fill(paddle.zeros([1], 'int8'), mask, 3).numpy()
        self.assertEqual(out[ends].tolist(), [[3]] * 5)
        self.assertEqual(int(np.count_nonzero(out)), len(ends))
        x = to_paddle(out)
        del out
        value = paddle.arange(2, dtype='int32').astype('int8')[1:]
        x.masked_fill_(mask, value)
        self.assertEqual(x[:, 0].numpy()[ends].tolist(), [1] * 5)
        self.assertEqual(int(np.count_nonzero(x.numpy())), len(ends))

    def test_inputs_stay_as_they_were(self):
        arrays = self.arrays(
            'float32', (40, 50), random_mask(self.rng, (40, 50)), (50,)
        )
        tensors = as_tensors(*arrays)
        out = paddle.masked_fill(*tensors)
        for tensor, array in zip(tensors, arrays):
            assert_same_bits(tensor, array)
            self.assertFalse(out._is_shared_buffer_with(tensor))

    def test_x_under_a_false_mask_is_copied(self):
        x = to_paddle(random_array(self.rng, (6, 8), 'float32'))
        out = paddle.masked_fill(x, paddle.zeros([8], 'bool'), 3.0)
        self.assertFalse(out._is_shared_buffer_with(x))
        assert_same_bits(out, x.numpy())


class TestMaskedFillCalls(unittest.TestCase):
    """Every way to call it: names, aliases, Tensor methods."""

    def setUp(self):
        rng = np.random.default_rng(8)
        self.x = random_array(rng, (5, 6), 'float32')
        self.mask = random_mask(rng, (5, 6))
        self.expected = np.where(self.mask, np.float32(2.5), self.x)

    def test_keywords_and_aliases(self):
        x, mask = as_tensors(self.x, self.mask)
        for keywords in (
            {'x': x, 'mask': mask, 'value': 2.5},
            {'input': x, 'mask': mask, 'value': 2.5},
            {'value': paddle.full([], 2.5), 'mask': mask, 'x': x, 'name': 'n'},
        ):
            with self.subTest(keywords=sorted(keywords)):
                out = paddle.masked_fill(**keywords)
                assert_same_bits(out, self.expected)

    def test_tensor_methods(self):
        x, mask = as_tensors(self.x, self.mask)
        assert_same_bits(x.masked_fill(mask, 2.5), self.expected)
        assert_same_bits(x.masked_fill(mask=mask, value=2.5), self.expected)
        assert_same_bits(x, self.x)
        self.assertIs(x.masked_fill_(mask, value=2.5), x)
        assert_same_bits(x, self.expected)

    def test_name_and_alias_together_are_an_error(self):
        x, mask = as_tensors(self.x, self.mask)
        with self.assertRaisesRegex(TypeError, 'input'):
            paddle.masked_fill(x=x, input=x, mask=mask, value=1.0)

    def test_functions_of_the_tensor_module_are_the_public_ones(self):
        for name in ('masked_fill', 'masked_fill_'):
            public = getattr(paddle, name)
            self.assertIs(getattr(paddle.tensor, name), public)
            self.assertIs(getattr(paddle.tensor.manipulation, name), public)


class TestMaskedFillLayouts(unittest.TestCase):
    """Inputs whose memory is not in row-major order, or overlaps."""

    def setUp(self):
        self.rng = np.random.default_rng(9)

    def test_each_input_in_each_layout(self):
        for dtype in ALL_DTYPES:
            arrays = {
                'x': random_array(self.rng, (6, 5, 7), dtype),
                'mask': random_mask(self.rng, (6, 5, 7)),
                'value': random_array(self.rng, (5, 7), dtype),
            }
            expected = reference_masked_fill(*arrays.values())
            for changed, array in arrays.items():
                for layout, tensor in layouts(array):
                    self.assertFalse(tensor.is_contiguous())
                    tensors = {n: to_paddle(a) for n, a in arrays.items()}
                    tensors[changed] = tensor
                    with self.subTest(
                        dtype=dtype, input=changed, layout=layout
                    ):
                        out = paddle.masked_fill(**tensors)
                        assert_same_bits(out, expected)

    def test_number_into_each_layout(self):
        x = random_array(self.rng, (6, 5, 7), 'float32')
        mask = random_mask(self.rng, (6, 1, 7))
        expected = np.where(mask, np.float32(-1), x)
        for (_, x_view), (layout, mask_view) in zip(layouts(x), layouts(mask)):
            with self.subTest(layout=layout):
                out = paddle.masked_fill(x_view, mask_view, -1)
                assert_same_bits(out, expected)

    def test_inputs_that_share_memory(self):
        base = random_array(self.rng, (6, 6), 'float64')
        x, mask = to_paddle(base), random_mask(self.rng, (6, 6))
        out = paddle.masked_fill(x, to_paddle(mask), x.t())
        assert_same_bits(out, np.where(mask, base.T, base))

    def test_bool_x_is_its_own_mask_and_value(self):
        array = random_mask(self.rng, (5, 7))
        x = to_paddle(array)
        assert_same_bits(paddle.masked_fill(x, x, x), array)
        assert_same_bits(paddle.masked_fill(x, x, False), np.zeros_like(array))

    def test_mask_bytes_other_than_one_are_true(self):
        mask = paddle.to_tensor(np.array([0, 2, 255, 1], 'uint8')).view('bool')
        out = paddle.masked_fill(paddle.zeros([4]), mask, 1.0)
        self.assertEqual(out.tolist(), [0.0, 1.0, 1.0, 1.0])


if __name__ == '__main__':
    unittest.main()
