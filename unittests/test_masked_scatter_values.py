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
"""paddle.masked_scatter against plain loops and PyTorch, bit by bit."""

import unittest

import numpy as np
from masked_scatter_cases import (
    as_tensors,
    as_torch,
    cases,
    count_true,
    fast_masked_scatter,
    reference_masked_scatter,
    run_both,
    torch_broadcast_masked_scatter,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    random_mask,
    requires_torch,
    to_paddle,
    torch_to_numpy,
)

import paddle


class TestMaskedScatterValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def arrays(self, dtype, x_shape, mask, value_shape):
        x = random_array(self.rng, x_shape, dtype)
        return x, mask, random_array(self.rng, value_shape, dtype)

    def test_every_case_and_dtype_equals_the_plain_loops(self):
        for dtype in ALL_DTYPES:
            for name, *shapes in cases():
                with self.subTest(dtype=dtype, case=name):
                    actual, expected = run_both(*self.arrays(dtype, *shapes))
                    assert_same_bits(actual, expected)

    @requires_torch
    def test_every_case_and_dtype_equals_torch(self):
        for dtype in ALL_DTYPES:
            for name, *shapes in cases():
                arrays = self.arrays(dtype, *shapes)
                expected = torch_broadcast_masked_scatter(*as_torch(*arrays))
                out = paddle.masked_scatter(*as_tensors(*arrays))
                with self.subTest(dtype=dtype, case=name):
                    assert_same_bits(out, torch_to_numpy(expected))

    def test_exactly_enough_values(self):
        for dtype in ALL_DTYPES:
            for name, x_shape, mask, _ in cases():
                value_shape = (count_true(x_shape, mask),)
                with self.subTest(dtype=dtype, case=name):
                    arrays = self.arrays(dtype, x_shape, mask, value_shape)
                    actual, expected = run_both(*arrays)
                    assert_same_bits(actual, expected)

    def test_inputs_stay_as_they_were(self):
        x, mask, value = self.arrays(
            'float32', (40, 50), random_mask(self.rng, (40, 50)), (2000,)
        )
        tensors = as_tensors(x, mask, value)
        out = paddle.masked_scatter(*tensors)
        for tensor, array in zip(tensors, (x, mask, value)):
            assert_same_bits(tensor, array)
            self.assertFalse(out._is_shared_buffer_with(tensor))

    def test_result_is_contiguous_and_owns_its_memory_when_mask_is_false(self):
        x = to_paddle(random_array(self.rng, (6, 8), 'float32'))
        out = paddle.masked_scatter(
            x.t(), paddle.zeros([8, 6], 'bool'), paddle.zeros([0])
        )
        self.assertTrue(out.is_contiguous())
        self.assertFalse(out._is_shared_buffer_with(x))
        assert_same_bits(out, x.numpy().T)

    def test_fast_reference_equals_the_plain_loops(self):
        for name, *shapes in cases():
            arrays = self.arrays('float64', *shapes)
            with self.subTest(case=name):
                assert_same_bits(
                    fast_masked_scatter(*arrays),
                    reference_masked_scatter(*arrays),
                )


class TestMaskedScatterCalls(unittest.TestCase):
    """Every way to call it: names, aliases, Tensor methods."""

    def setUp(self):
        rng = np.random.default_rng(8)
        self.arrays = (
            random_array(rng, (5, 6), 'float32'),
            random_mask(rng, (5, 6)),
            random_array(rng, (30,), 'float32'),
        )
        self.expected = reference_masked_scatter(*self.arrays)

    def test_keywords_and_aliases(self):
        x, mask, value = as_tensors(*self.arrays)
        for keywords in (
            {'x': x, 'mask': mask, 'value': value},
            {'input': x, 'mask': mask, 'source': value},
            {'source': value, 'mask': mask, 'x': x, 'name': 'any'},
        ):
            with self.subTest(keywords=sorted(keywords)):
                out = paddle.masked_scatter(**keywords)
                assert_same_bits(out, self.expected)

    def test_tensor_methods(self):
        x, mask, value = as_tensors(*self.arrays)
        assert_same_bits(x.masked_scatter(mask, value), self.expected)
        assert_same_bits(
            x.masked_scatter(mask=mask, source=value), self.expected
        )
        assert_same_bits(x, self.arrays[0])
        self.assertIs(x.masked_scatter_(mask, source=value), x)
        assert_same_bits(x, self.expected)

    def test_name_and_alias_together_are_an_error(self):
        x, mask, value = as_tensors(*self.arrays)
        with self.assertRaisesRegex(TypeError, 'source'):
            paddle.masked_scatter(x, mask, value=value, source=value)

    def test_functions_of_the_tensor_module_are_the_public_ones(self):
        for name in ('masked_scatter', 'masked_scatter_'):
            public = getattr(paddle, name)
            self.assertIs(getattr(paddle.tensor, name), public)
            self.assertIs(getattr(paddle.tensor.manipulation, name), public)


class TestMaskedScatterLayouts(unittest.TestCase):
    """Inputs whose memory is not in row-major order, or overlaps."""

    def setUp(self):
        self.rng = np.random.default_rng(9)

    def test_each_input_in_each_layout(self):
        for dtype in ALL_DTYPES:
            arrays = {
                'x': random_array(self.rng, (6, 5, 7), dtype),
                'mask': random_mask(self.rng, (6, 5, 7)),
                'value': random_array(self.rng, (7, 5, 6), dtype),
            }
            expected = reference_masked_scatter(*arrays.values())
            for changed, array in arrays.items():
                for layout, tensor in layouts(array):
                    self.assertFalse(tensor.is_contiguous())
                    tensors = {n: to_paddle(a) for n, a in arrays.items()}
                    tensors[changed] = tensor
                    with self.subTest(
                        dtype=dtype, input=changed, layout=layout
                    ):
                        out = paddle.masked_scatter(**tensors)
                        assert_same_bits(out, expected)

    def test_all_inputs_transposed_at_once(self):
        x = random_array(self.rng, (9, 8), 'float32')
        mask = random_mask(self.rng, (9, 8))
        value = random_array(self.rng, (12, 6), 'float32')
        out = paddle.masked_scatter(
            to_paddle(x.T).t(), to_paddle(mask.T).t(), to_paddle(value.T).t()
        )
        assert_same_bits(out, reference_masked_scatter(x, mask, value))

    def test_broadcast_mask_in_each_layout(self):
        x = random_array(self.rng, (4, 6, 5, 7), 'int16')
        mask = random_mask(self.rng, (6, 1, 7))
        value = random_array(self.rng, (840,), 'int16')
        expected = reference_masked_scatter(x, mask, value)
        for layout, tensor in layouts(mask):
            with self.subTest(layout=layout):
                out = paddle.masked_scatter(
                    to_paddle(x), tensor, to_paddle(value)
                )
                assert_same_bits(out, expected)

    def test_expanded_inputs_read_the_same_memory_many_times(self):
        row = random_array(self.rng, (1, 8), 'float32')
        mask_row = random_mask(self.rng, (1, 8))
        cell = random_array(self.rng, (1,), 'float32')
        x = paddle.as_strided(to_paddle(row), [5, 8], [0, 1])
        mask = paddle.as_strided(to_paddle(mask_row), [5, 8], [0, 1])
        value = paddle.as_strided(to_paddle(cell), [40], [0])
        self.assertEqual((x.strides, value.strides), ([0, 1], [0]))
        out = paddle.masked_scatter(x, mask, value)
        expected = np.where(mask_row, cell, row)
        assert_same_bits(out, np.broadcast_to(expected, (5, 8)))

    def test_overlapping_windows_as_inputs(self):
        line = random_array(self.rng, (12,), 'int32')
        mask_line = random_mask(self.rng, (12,))
        x = paddle.as_strided(to_paddle(line), [6, 7], [1, 1])
        mask = paddle.as_strided(to_paddle(mask_line), [6, 7], [1, 1])
        windows = np.lib.stride_tricks.sliding_window_view
        arrays = windows(line, 7)[:6], windows(mask_line, 7)[:6]
        out = paddle.masked_scatter(x, mask, x)
        expected = reference_masked_scatter(*arrays, arrays[0])
        assert_same_bits(out, expected)

    def test_inputs_that_share_memory(self):
        base = random_array(self.rng, (6, 6), 'float64')
        x = to_paddle(base)
        mask = random_mask(self.rng, (6, 6))
        out = paddle.masked_scatter(x, to_paddle(mask), x.t())
        assert_same_bits(out, reference_masked_scatter(base, mask, base.T))

    def test_bool_x_is_its_own_mask_and_value(self):
        array = random_mask(self.rng, (5, 7))
        x = to_paddle(array)
        out = paddle.masked_scatter(x, x, x)
        assert_same_bits(out, reference_masked_scatter(array, array, array))


if __name__ == '__main__':
    unittest.main()
