"""The CPU's own tests of index_reduce's gradients, with the GPU's kernels.

Each call is made in every way that there is, and they have to agree.
"""

import numpy as np
import pytest
import test_index_reduce_values as cpu_grad
from index_reduce_cases import OTHER_REDUCES, REDUCES, operands
from scatter_test_utils import assert_same_bits, random_numbers, to_numbers

from gpu_tests.arrays import (
    assert_close,
    check_gradients,
    largest,
    resized,
    run,
)
from gpu_tests.cases import index_rows
from gpu_tests.ops import index_op

RTOL = {'float16': 2e-3, 'uint16': 2e-2, 'float64': 1e-12}


def assert_agree(actual, expected):
    """Arrays in storage form whose sums may be in another order."""
    if expected.dtype.kind in 'bi' or expected.dtype == 'uint8':
        assert_same_bits(actual, expected)
        return
    dtype = 'bfloat16' if expected.dtype == 'uint16' else str(expected.dtype)
    expected = to_numbers(expected, dtype)
    rtol = RTOL.get(str(actual.dtype), 1e-5)
    finite = expected[np.isfinite(expected)]
    assert_close(actual, expected, dtype, rtol, scale=max(1, largest(finite)))


def gradients_in_every_way(x, index, updates, attrs, out_grad):
    op = f'{index_op(attrs[1])}_grad'
    arguments = x, index, updates, out_grad, *attrs
    found = run(op, *arguments)
    check_gradients(
        *(op, *arguments),
        out_grad=3,
        expected=found,
        check=assert_agree,
        over=op == 'index_scatter_grad',
    )
    return found


@pytest.fixture(autouse=True)
def kernels_of_the_gpu(monkeypatch):
    monkeypatch.setattr(cpu_grad, 'gradients', gradients_in_every_way)


class TestGradientsByHand(cpu_grad.TestIndexReduceGradByHand):
    pass


class TestGradients(cpu_grad.TestIndexReduceGrad):
    def test_long_skewed_indexes(self):
        for shape, axis in (((5, 40), 1), ((40, 5), 0), ((3, 9, 2), 1)):
            longer = resized(shape, axis, 700)
            index = np.minimum(self.rng.geometric(0.3, 700), shape[axis]) - 1
            out_grad = random_numbers(self.rng, shape)
            for reduce in OTHER_REDUCES:
                is_product = reduce == 'mul'
                make = factors_and_zeros if is_product else cpu_grad.few_values
                x, updates = (make(self.rng, s) for s in (shape, longer))
                for include_self in (True, False):
                    attrs = axis, reduce, include_self
                    arguments = x, index, updates, attrs, out_grad, 'float64'
                    with self.subTest(shape=shape, attrs=attrs):
                        self.check(*arguments)


def factors_and_zeros(rng, shape):
    """Of a product of many that is not always 0."""
    array = operands(rng, shape, 'mul')
    array[rng.random(shape) < 0.003] = 0
    return array


@pytest.mark.parametrize('reduce', REDUCES)
def test_gradients_without_elements(reduce):
    for name, x_shape, axis, index, updates_shape in index_rows():
        if 0 in x_shape:
            x, updates = np.zeros(x_shape), np.zeros(updates_shape)
            attrs = axis, reduce, True
            found = gradients_in_every_way(x, index, updates, attrs, x)
            assert_same_bits(found[0], x, name)
            assert_same_bits(found[1], updates, name)
