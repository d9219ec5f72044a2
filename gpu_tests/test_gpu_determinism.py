"""Twenty runs give the same bits."""

from itertools import product

import numpy as np
import pytest
from index_reduce_cases import REDUCES, defined, factors
from scatter_test_utils import random_mask, random_numbers

from gpu_tests import device
from gpu_tests.arrays import arguments_on_device, resized, to_array
from gpu_tests.ops import index_op, run

RUNS = 20
SHAPE = (301, 703)


def assert_repeats(kernel, *arguments):
    arguments = arguments_on_device(arguments)
    found = set()
    for _ in range(3 if device.emulated() else RUNS):
        outputs = run(kernel, *arguments)
        found.add(tuple(to_array(out).tobytes() for out in outputs))
    assert len(found) == 1


def test_masked_scatter(rng):
    mask = random_mask(rng, SHAPE)
    x, value = (random_numbers(rng, SHAPE, 'float32') for _ in range(2))
    assert_repeats('masked_scatter', x, mask, value)
    assert_repeats('masked_scatter', x[:1], mask, value)
    assert_repeats('masked_scatter_grad', x, mask, value, x)


@pytest.mark.parametrize('small', [(703,), (301, 1), ()])
def test_sums_over_broadcast_axes(rng, small):
    mask = random_mask(rng, SHAPE)
    out_grad = random_numbers(rng, SHAPE, 'float32')
    x = random_numbers(rng, small, 'float32')
    assert_repeats('masked_scatter_grad', x, mask, out_grad, out_grad)


@pytest.mark.parametrize(
    'reduce, dtype',
    [
        pair
        for pair in product(REDUCES, ('float16', 'float32', 'complex64'))
        if defined(*pair)
    ],
)
def test_index_reduce_with_many_duplicates(rng, reduce, dtype):
    make = factors if reduce == 'mul' else random_numbers
    length = 3500 if device.emulated() else 20000
    for shape, axis in (((9, 2), 0), ((9, 64), 0), ((64, 9), 1)):
        x = make(rng, shape, dtype)
        updates = make(rng, resized(shape, axis, length), dtype)
        index = np.minimum(rng.geometric(0.4, length), 9) - 1
        attrs = axis, reduce, True
        op = index_op(reduce)
        assert_repeats(op, x, index, updates, *attrs)
        assert_repeats(f'{op}_grad', x, index, updates, x, *attrs)
