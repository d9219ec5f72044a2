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

"""What must hold for masked_fill of any input, tried on random ones."""

import unittest

import numpy as np
from masked_fill_cases import (
    reference_masked_fill,
    reference_masked_fill_grad,
)
from scatter_test_utils import (
    ALL_DTYPES,
    OnCpu,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    to_paddle,
)

import paddle

try:
    import hypothesis
    from hypothesis import strategies
except ImportError:  # Paddle's own test machines need not have it
    raise unittest.SkipTest('hypothesis is not installed') from None

examples = hypothesis.settings(
    max_examples=80, deadline=None, derandomize=True, database=None
)


@strategies.composite
def broadcast_shapes(draw):
    """Shapes of x, mask and value; value fits the broadcast of the others."""
    full = draw(strategies.lists(strategies.integers(0, 9), max_size=4))

    def shrunk(shape):
        shape = [d if draw(strategies.booleans()) else 1 for d in shape]
        return tuple(shape[draw(strategies.integers(0, len(shape))) :])

    x, mask = shrunk(full), shrunk(full)
    return x, mask, shrunk(np.broadcast_shapes(x, mask))


@strategies.composite
def inputs(draw, dtypes=ALL_DTYPES, make=random_array):
    rng = np.random.default_rng(draw(strategies.integers(0, 2**32)))
    x, mask, value = draw(broadcast_shapes())
    dtype = draw(strategies.sampled_from(dtypes))
    density = draw(strategies.sampled_from((0.0, 0.1, 0.5, 1.0)))
    return (
        make(rng, x, dtype),
        np.asarray(random_mask(rng, mask, density)),
        make(rng, value, dtype),
    )


def run(*arrays):
    return paddle.masked_fill(*map(to_paddle, arrays))


class TestMaskedFillProperties(OnCpu, unittest.TestCase):
    @examples
    @hypothesis.given(inputs())
    def test_equals_the_plain_loops(self, arrays):
        assert_same_bits(run(*arrays), reference_masked_fill(*arrays))

    @examples
    @hypothesis.given(inputs())
    def test_filling_twice_is_filling_once(self, arrays):
        x, mask, value = arrays
        once = run(x, mask, value).numpy()
        assert_same_bits(run(once, mask, value), once)

    @examples
    @hypothesis.given(inputs())
    def test_opposite_mask_exchanges_x_and_value(self, arrays):
        x, mask, value = arrays
        shape = np.broadcast_shapes(x.shape, mask.shape)
        value = np.broadcast_to(value, shape)
        expected = run(x, mask, value).numpy()
        assert_same_bits(run(value, ~mask, x), expected)

    @examples
    @hypothesis.given(inputs())
    def test_in_place_equals_out_of_place(self, arrays):
        x, mask, value = arrays
        shape = np.broadcast_shapes(x.shape, mask.shape)
        tensor = to_paddle(np.broadcast_to(x, shape).copy())
        tensor.masked_fill_(to_paddle(mask), to_paddle(value))
        assert_same_bits(tensor, run(*arrays).numpy())

    @examples
    @hypothesis.given(inputs(('float64', 'complex128'), random_numbers))
    def test_gradients_equal_the_reference(self, arrays):
        x, mask, value = arrays
        tensors = [to_paddle(a, stop_gradient=False) for a in (x, value)]
        out = paddle.masked_fill(tensors[0], to_paddle(mask), tensors[1])
        rng = np.random.default_rng(1)
        out_grad = random_numbers(rng, out.shape, str(x.dtype))
        grads = paddle.grad([out], tensors, [to_paddle(out_grad)])
        wanted = reference_masked_fill_grad(
            x.shape, mask, value.shape, out_grad
        )
        for grad, expected in zip(grads, wanted):
            self.assertEqual(tuple(grad.shape), expected.shape)
            np.testing.assert_allclose(grad.numpy(), expected, 1e-11, 1e-11)

    @examples
    @hypothesis.given(inputs(('float64',), random_numbers))
    def test_gradients_share_out_grad_between_them(self, arrays):
        x, mask, value = arrays
        tensors = [to_paddle(a, stop_gradient=False) for a in (x, value)]
        out = paddle.masked_fill(tensors[0], to_paddle(mask), tensors[1])
        grads = paddle.grad(out.sum(), tensors)
        total = sum(float(grad.sum()) for grad in grads)
        self.assertEqual(total, out.size)


if __name__ == '__main__':
    unittest.main()
