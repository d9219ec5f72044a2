"""What index_scatter and index_reduce do with any input, tried on random ones."""

import unittest

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    REDUCES,
    defined,
    operands,
    reduce_by_index,
    reduce_by_index_,
    reference_index_reduce,
    slots_of,
)
from op_table import numbers
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_numbers,
    to_numbers,
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
def patterns(draw, rng, size):
    """An index: random, all the same, two values, a permutation, empty."""
    kind = draw(strategies.sampled_from(('random', 'same', 'two', 'all', '')))
    n = draw(strategies.integers(1, 30))
    if kind == '' or size == 0:
        index = np.zeros(0, 'int64')
    elif kind == 'random':
        index = rng.integers(-size, size, n)
    elif kind == 'all':
        index = rng.permutation(size)
    else:
        values = rng.integers(-size, size, 1 if kind == 'same' else 2)
        index = rng.choice(values, n)
    index = index.astype(draw(strategies.sampled_from(('int32', 'int64'))))
    return index[:, None] if draw(strategies.booleans()) else index


@strategies.composite
def calls(draw, dtypes=ALL_DTYPES, reduces=REDUCES):
    """x, index, updates, (axis, reduce, include_self)."""
    rng = np.random.default_rng(draw(strategies.integers(0, 2**32)))
    shape = draw(
        strategies.lists(strategies.integers(0, 12), min_size=1, max_size=4)
    )
    axis = draw(strategies.integers(-len(shape), len(shape) - 1))
    dtype = draw(strategies.sampled_from(dtypes))
    reduce = draw(
        strategies.sampled_from([r for r in reduces if defined(r, dtype)])
    )
    index = draw(patterns(rng, shape[axis]))
    x = operands(rng, shape, reduce, dtype)
    shape[axis] = len(index) + draw(strategies.integers(0, 2))
    updates = operands(rng, shape, reduce, dtype)
    return x, index, updates, (axis, reduce, draw(strategies.booleans()))


def run(x, index, updates, attrs):
    return reduce_by_index(
        to_paddle(x), to_paddle(index), to_paddle(updates), *attrs
    ).numpy()


def dtype_of(array):
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


def moved(array, axis):
    return np.ascontiguousarray(np.moveaxis(array, axis, 0))


class TestIndexReduceProperties(unittest.TestCase):
    @examples
    @hypothesis.given(calls())
    def test_equals_the_plain_loops(self, call):
        x, index, updates, attrs = call
        dtype = dtype_of(x)
        out = run(*call)
        expected = reference_index_reduce(
            *map(numbers, (x, index, updates)), *attrs
        )
        if x.dtype.kind in 'bi':
            assert_same_bits(out, expected)
            return
        rtol = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-13}
        rtol = rtol.get(dtype, 1e-5)
        np.testing.assert_allclose(
            to_numbers(out, dtype), expected, rtol, rtol * 4
        )

    @examples
    @hypothesis.given(calls())
    def test_axis_does_not_matter(self, call):
        x, index, updates, (axis, *attrs) = call
        first = run(moved(x, axis), index, moved(updates, axis), (0, *attrs))
        assert_same_bits(moved(run(*call), axis), first)

    @examples
    @hypothesis.given(calls())
    def test_untouched_slots_keep_their_bits(self, call):
        x, index, _, (axis, *_) = call
        rest = np.ones(x.shape[axis], bool)
        rest[slots_of(index, x.shape[axis])] = False
        assert_same_bits(moved(run(*call), axis)[rest], moved(x, axis)[rest])

    @examples
    @hypothesis.given(calls())
    def test_in_place_equals_out_of_place(self, call):
        x, index, updates, attrs = call
        tensor = to_paddle(x)
        reduce_by_index_(tensor, to_paddle(index), to_paddle(updates), *attrs)
        assert_same_bits(tensor, run(*call))

    @examples
    @hypothesis.given(calls(('float64', 'complex128'), LINEAR_REDUCES))
    def test_gradient_is_the_adjoint(self, call):
        x, index, updates, attrs = call
        rng = np.random.default_rng(1)
        x = random_numbers(rng, x.shape, str(x.dtype))
        updates = random_numbers(rng, updates.shape, str(x.dtype))
        tensors = [to_paddle(a, stop_gradient=False) for a in (x, updates)]
        out = reduce_by_index(tensors[0], to_paddle(index), tensors[1], *attrs)
        seed = random_numbers(rng, out.shape, str(x.dtype))
        grads = paddle.grad([out], tensors, [to_paddle(seed)])
        inner = sum(
            np.vdot(grad.numpy(), array)
            for grad, array in zip(grads, (x, updates))
        )
        np.testing.assert_allclose(
            inner, np.vdot(seed, out.numpy()), 1e-9, 1e-9
        )

    @examples
    @hypothesis.given(calls(('float64',), ('amax', 'amin')))
    def test_gradients_of_extremes_add_up(self, call):
        x, index, updates, attrs = call
        # few values, so that there are ties
        tensors = [
            to_paddle(np.round(a), stop_gradient=False) for a in (x, updates)
        ]
        out = reduce_by_index(tensors[0], to_paddle(index), tensors[1], *attrs)
        grads = paddle.grad([out], tensors)
        total = sum(grad.numpy().sum() for grad in grads)
        np.testing.assert_allclose(total, out.size, 1e-12)


if __name__ == '__main__':
    unittest.main()
