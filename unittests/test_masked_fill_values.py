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
    ACCEPTED,
    INFINITY,
    MASK,
    NAN,
    WAYS,
    cases,
    fill,
    fill_inplace,
    fill_static,
    filled,
    ones,
    reference_masked_fill,
    torch_masked_fill,
)
from scatter_graph_utils import run_static
from scatter_test_utils import (
    ALL_DTYPES,
    FLOAT_DTYPES,
    OnCpu,
    assert_same_bits,
    layouts,
    random_array,
    random_mask,
    requires_torch,
    to_paddle,
    to_storage,
    to_torch,
    torch_to_numpy,
)

import paddle
import paddle.distributed as dist

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

    def test_more_elements_than_an_int32_counts(self):
        if not os.environ.get(LARGE_TESTS):
            self.skipTest(
                f'needs 7 GiB of memory and a minute: set {LARGE_TESTS}=1'
            )
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


class TestMaskedFillNumbers(unittest.TestCase):
    """Numbers as the value: kinds, rounding, exactness."""

    def check_accepted(self, way):
        for number, dtypes, stored in ACCEPTED:
            for dtype in dtypes:
                with self.subTest(number=str(number)[:30], dtype=dtype):
                    with np.errstate(over='ignore'):
                        expected = filled(dtype, to_storage(stored, dtype))
                    assert_same_bits(way(dtype, number), expected)

    def test_every_number_is_rounded_to_the_dtype(self):
        self.check_accepted(fill)

    def test_every_number_is_rounded_to_the_dtype_in_place(self):
        self.check_accepted(fill_inplace)

    def test_every_number_is_rounded_to_the_dtype_by_a_static_graph(self):
        self.check_accepted(fill_static)

    def test_infinity_and_nan_reach_every_float_dtype(self):
        for dtype in ('float16', 'bfloat16', 'float32', 'float64'):
            for number in (INFINITY, -INFINITY, NAN, 'inf', '-inf', 'nan'):
                for way in WAYS:
                    out = to_paddle(way(dtype, number)).astype('float64')
                    wanted = float(number)
                    with self.subTest(dtype=dtype, number=number, way=way):
                        np.testing.assert_array_equal(
                            out.numpy(), [wanted, 1.0, wanted]
                        )

    def test_negative_zero_keeps_its_sign(self):
        # not in a PIR program, which keeps one of two equal constants
        for dtype in FLOAT_DTYPES:
            for way in (fill, fill_inplace):
                signs = np.signbit(way(dtype, -0.0))
                self.assertEqual(signs.tolist(), MASK.tolist())

    def test_numbers_of_numpy(self):
        for number in (
            np.bool_(True),
            np.uint8(3),
            np.int64(2**53 + 1),
            np.float16(0.5),
            np.float32(0.1),
            np.float64(0.1),
            np.longdouble(0.1),
            np.complex64(1 + 2j),
            np.complex128(0.1 + 0.2j),
        ):
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


class TestMaskedFillNumbersAgain(unittest.TestCase):
    """A call with a number does not change the next one with that number."""

    def test_equal_numbers_of_other_types_and_signs_are_kept_apart(self):
        numbers = (0.0, -0.0, 0, False, 1, True, 1.0)
        for dtype in ('float32', 'float64', 'int64', 'bool'):
            for _ in range(2):
                for number in numbers:
                    expected = filled(dtype, to_storage(number, dtype))
                    assert_same_bits(fill(dtype, number), expected)

    def test_number_of_a_distributed_call_is_not_for_dense_ones(self):
        def shard(tensor):
            mesh = dist.ProcessMesh([0], dim_names=['x'])
            return dist.shard_tensor(tensor, mesh, [dist.Replicate()])

        for call in (paddle.masked_fill, paddle.masked_fill_):
            x, mask = paddle.ones([3]), to_paddle(MASK)
            self.assertTrue(call(shard(x), shard(mask), 2.5).is_dist())
            self.assertFalse(call(x, mask, 2.5).is_dist())
            self.assertFalse(x.is_dist() or mask.is_dist())


class TestMaskedFillValueOfOneElement(OnCpu, unittest.TestCase):
    """It may have more dims than the result, as a number has fewer."""

    shapes = ([1, 1], [1], [1, 1, 1, 1])

    def test_every_mode_takes_it(self):
        x, mask = ones('float32'), MASK
        for shape in self.shapes:
            value = np.full(shape, 5, 'float32')
            expected = np.where(mask, np.float32(5), x)
            tensors = to_paddle(x), to_paddle(mask), to_paddle(value)
            with self.subTest(shape=shape):
                assert_same_bits(paddle.masked_fill(*tensors), expected)
                assert_same_bits(paddle.masked_fill_(*tensors), expected)
                found = run_static(
                    paddle.masked_fill, {'x': x, 'mask': mask, 'value': value}
                )
                assert_same_bits(found, expected)

    def test_its_gradient_has_its_shape(self):
        for shape in self.shapes:
            x, value = paddle.ones([3]), paddle.full(shape, 5.0)
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_fill(x, to_paddle(MASK), value)
            (out * paddle.to_tensor([1.0, 2.0, 4.0])).sum().backward()
            with self.subTest(shape=shape):
                self.assertEqual(value.grad.shape, shape)
                self.assertEqual(value.grad.flatten().tolist(), [5.0])
                self.assertEqual(x.grad.tolist(), [0.0, 2.0, 0.0])


class TestMaskedFillCast(unittest.TestCase):
    """A value of another dtype is cast to that of x."""

    def test_value_of_every_dtype_in_an_x_of_every_dtype(self):
        for x_dtype in ALL_DTYPES:
            for dtype in ALL_DTYPES:
                if 'complex' in dtype and 'complex' not in x_dtype:
                    continue
                x = to_paddle(ones(x_dtype))
                value = paddle.to_tensor([0, 1, 0]).astype(dtype)
                out = paddle.masked_fill(x, to_paddle(MASK), value)
                inplace = paddle.masked_fill_(x, to_paddle(MASK), value)
                with self.subTest(x=x_dtype, value=dtype):
                    self.assertEqual(out.dtype, x.dtype)
                    self.assertEqual(out.astype('int32').tolist(), [0, 1, 0])
                    assert_same_bits(inplace, out.numpy())

    def test_gradient_has_the_dtype_of_the_value(self):
        for x_dtype, dtype in (
            ('float32', 'float64'),
            ('bfloat16', 'float32'),
            ('float64', 'float16'),
        ):
            x = paddle.ones([3], x_dtype)
            value = paddle.full([1], 2, dtype)
            x.stop_gradient = value.stop_gradient = False
            out = paddle.masked_fill(x, to_paddle(MASK), value)
            out.sum().backward()
            with self.subTest(x=x_dtype, value=dtype):
                self.assertEqual(value.grad.dtype, value.dtype)
                self.assertEqual(value.grad.astype('int32').tolist(), [2])
                self.assertEqual(x.grad.dtype, x.dtype)

    def test_static_graph(self):
        found = run_static(
            paddle.masked_fill,
            {
                'x': ones('float32'),
                'mask': MASK,
                'value': np.array([2, 3, 4], 'int64'),
            },
        )
        assert_same_bits(found, np.array([2, 1, 4], 'float32'))

    def test_what_an_integer_type_cannot_hold_wraps_around(self):
        value = paddle.to_tensor([300])
        out = paddle.masked_fill(
            paddle.ones([3], 'uint8'), to_paddle(MASK), value
        )
        self.assertEqual(out.tolist(), [44, 1, 44])

    def test_complex_into_real_is_an_error(self):
        value = paddle.to_tensor([1j])
        for call in (paddle.masked_fill, paddle.masked_fill_):
            with self.assertRaisesRegex(
                ValueError, 'masked_fill_?: value must not be complex.*float32'
            ):
                call(paddle.ones([3]), to_paddle(MASK), value)


class TestMaskedFillMaskDtypes(unittest.TestCase):
    def test_mask_of_every_dtype_is_true_where_it_is_not_zero(self):
        numbers = np.array([0.0, 1.0, 0.0, 3.0, -0.0])
        expected = np.where(numbers != 0, np.float32(7), np.float32(1))
        for dtype in ALL_DTYPES:
            mask = to_storage(numbers, dtype)
            x = np.ones(5, 'float32')
            with self.subTest(dtype=dtype):
                tensors = to_paddle(x), to_paddle(mask)
                assert_same_bits(paddle.masked_fill(*tensors, 7), expected)
                assert_same_bits(paddle.masked_fill_(*tensors, 7), expected)
                out = run_static(
                    lambda x, mask: paddle.masked_fill(x, mask, 7),
                    {'x': x, 'mask': mask},
                )
                assert_same_bits(out, expected)

    def test_fractions_and_nan_in_a_mask_are_true(self):
        mask = paddle.to_tensor([0.5, -1e-30, float('nan'), 0.0])
        out = paddle.masked_fill(paddle.zeros([4]), mask, 1)
        self.assertEqual(out.tolist(), [1.0, 1.0, 1.0, 0.0])


if __name__ == '__main__':
    unittest.main()
