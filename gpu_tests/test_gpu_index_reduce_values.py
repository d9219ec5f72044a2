"""The CPU's own tests of index_reduce and index_scatter, with the GPU's kernels.

Each call is made in every way that there is, and they have to agree.
"""

import numpy as np
import pytest
import test_index_reduce_grad as cpu_grad
import test_index_reduce_values as cpu_values
from scatter_test_utils import assert_same_bits, random_numbers, to_numbers

from gpu_tests.arrays import (
    assert_close,
    check_gradients,
    check_second_order,
    largest,
    resized,
    run,
    run_in_place,
)
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


def reduce_in_every_way(x, index, updates, *attrs):
    """In place, with both types of an index."""
    op = index_op(attrs[1])
    (out,) = run(op, x, index, updates, *attrs)
    for kind in ('int32', 'int64'):
        arrays = x, index.astype(kind), updates
        assert_agree(run_in_place(op, *arrays, *attrs), out)
    return out


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
    monkeypatch.setattr(cpu_values, 'run', reduce_in_every_way)
    monkeypatch.setattr(cpu_grad, 'gradients', gradients_in_every_way)


TestAgainstTorch = cpu_values.TestIndexReduceAgainstTorch


class TestValues(cpu_values.TestIndexReduceValues):
    # of tensors that are not dense
    test_every_layout = test_expanded_updates = None


class TestGradientsByHand(cpu_grad.TestIndexReduceGradByHand):
    test_one_gradient_alone = None  # as all of them are here


class TestGradients(cpu_grad.TestIndexReduceGradAgainstTorch):
    test_second_order = None  # below

    def test_long_skewed_indexes(self):
        for shape, axis in (((5, 40), 1), ((40, 5), 0), ((3, 9, 2), 1)):
            longer = resized(shape, axis, 700)
            index = np.minimum(self.rng.geometric(0.3, 700), shape[axis]) - 1
            out_grad = random_numbers(self.rng, shape)
            for reduce in cpu_grad.REDUCES:
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
    array = cpu_grad.operands(rng, shape, 'mul')
    array[rng.random(shape) < 0.003] = 0
    return array


@pytest.mark.parametrize('reduce', cpu_grad.REDUCES)
def test_gradients_without_elements(reduce):
    for name, x_shape, axis, index, updates_shape in cpu_values.cases():
        if 0 in x_shape:
            x, updates = np.zeros(x_shape), np.zeros(updates_shape)
            attrs = axis, reduce, True
            found = gradients_in_every_way(x, index, updates, attrs, x)
            assert_same_bits(found[0], x, name)
            assert_same_bits(found[1], updates, name)


@pytest.mark.parametrize('reduce', cpu_grad.LINEAR_REDUCES)
def test_second_order_with_and_without_each_gradient(reduce):
    rng = np.random.default_rng(25)
    for _, x_shape, axis, index, updates_shape in cpu_values.cases():
        x, updates = (random_numbers(rng, s) for s in (x_shape, updates_shape))
        for include_self in (True, False):
            attrs, arrays = (axis, reduce, include_self), (x, index, updates)
            check_second_order(
                'index_scatter', arrays, *attrs, check=assert_agree
            )
