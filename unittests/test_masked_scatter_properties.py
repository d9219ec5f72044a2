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
"""paddle.masked_scatter against PyTorch on inputs that hypothesis draws."""

import unittest

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from masked_scatter_cases import (
    as_tensors,
    as_torch,
    count_true,
    reference_masked_scatter,
    torch_broadcast_masked_scatter,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    random_mask,
    random_numbers,
    requires_torch,
    to_paddle,
    to_torch,
    torch_to_numpy,
)

import paddle

# the same draws in every run, so that a failure can be repeated
SETTINGS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def broadcast_shapes(draw):
    """Shapes of x and mask, which broadcast against each other."""
    out = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17]), max_size=4))

    def operand(may_drop):
        kept = [
            1 if draw(st.integers(0, 3)) == 0 and may_drop else size
            for size in out
        ]
        start = draw(st.integers(0, len(kept))) if may_drop else 0
        return tuple(kept[start if draw(st.booleans()) else 0 :])

    kind = draw(st.sampled_from(['same', 'mask', 'x', 'both']))
    return operand(kind in ('x', 'both')), operand(kind in ('mask', 'both'))


@st.composite
def problems(draw, numbers=random_array, dtypes=ALL_DTYPES):
    """x, mask and value as arrays in storage form."""
    dtype = draw(st.sampled_from(dtypes))
    x_shape, mask_shape = draw(broadcast_shapes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.0, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0]))
    mask = random_mask(rng, mask_shape, density, runs=draw(st.booleans()))
    spare = draw(st.sampled_from([0, 0, 1, 7]))
    size = count_true(x_shape, mask) + spare
    value_shape = draw(
        st.sampled_from([(size,), (1, size), (size, 1), (1, size, 1)])
    )
    x = numbers(rng, x_shape, dtype)
    return x, np.asarray(mask), numbers(rng, value_shape, dtype)


class TestMaskedScatterRandom(unittest.TestCase):
    @requires_torch
    @SETTINGS
    @given(problems())
    def test_forward_equals_torch(self, arrays):
        expected = torch_broadcast_masked_scatter(*as_torch(*arrays))
        out = paddle.masked_scatter(*as_tensors(*arrays))
        assert_same_bits(out, torch_to_numpy(expected))

    @SETTINGS
    @given(problems())
    def test_forward_equals_the_plain_loops(self, arrays):
        out = paddle.masked_scatter(*as_tensors(*arrays))
        assert_same_bits(out, reference_masked_scatter(*arrays))

    @requires_torch
    @SETTINGS
    @given(problems(random_numbers, ['float64', 'complex128']))
    def test_gradients_equal_torch(self, arrays):
        x, mask, value = as_tensors(*arrays)
        x.stop_gradient = value.stop_gradient = False
        out = paddle.masked_scatter(x, mask, value)
        rng = np.random.default_rng(arrays[0].size)
        out_grad = random_numbers(rng, out.shape, str(arrays[0].dtype))
        ours = paddle.grad([out], [x, value], [to_paddle(out_grad)])

        tx = to_torch(arrays[0], requires_grad=True)
        tv = to_torch(arrays[2], requires_grad=True)
        theirs = torch_broadcast_masked_scatter(tx, to_torch(arrays[1]), tv)
        theirs.backward(to_torch(out_grad))
        for grad, expected in zip(ours, (tx.grad, tv.grad)):
            self.assertEqual(tuple(grad.shape), tuple(expected.shape))
            np.testing.assert_allclose(
                grad.numpy(), expected.numpy(), rtol=1e-11, atol=1e-11
            )

    @SETTINGS
    @given(problems())
    def test_in_place_equals_the_copy_or_leaves_x_alone(self, arrays):
        x, mask, value = as_tensors(*arrays)
        shape = np.broadcast_shapes(arrays[0].shape, arrays[1].shape)
        if shape == arrays[0].shape:
            self.assertIs(paddle.masked_scatter_(x, mask, value), x)
            assert_same_bits(x, reference_masked_scatter(*arrays))
        else:
            with self.assertRaisesRegex(ValueError, 'broadcast'):
                paddle.masked_scatter_(x, mask, value)
            assert_same_bits(x, arrays[0])

    @SETTINGS
    @given(problems(), st.integers(1, 3))
    def test_too_few_values_are_an_error(self, arrays, missing):
        x, mask, value = arrays
        needed = count_true(x.shape, mask)
        assume(needed >= missing)
        value = value.reshape(-1)[: needed - missing]
        with self.assertRaisesRegex(AssertionError, rf'\b{needed}\b'):
            paddle.masked_scatter(*as_tensors(x, mask, value))

    @SETTINGS
    @given(problems(dtypes=['int8', 'int16', 'float32', 'complex128']))
    def test_layouts_do_not_matter(self, arrays):
        assume(all(array.ndim > 0 for array in arrays))
        expected = reference_masked_scatter(*arrays)
        for (name, x), (_, mask), (_, value) in zip(*map(layouts, arrays)):
            out = paddle.masked_scatter(x, mask, value)
            assert_same_bits(out, expected, name)


if __name__ == '__main__':
    unittest.main()
