"""Gradients of the index operators on the GPU: ties, zeros, infinities and NaN."""

import itertools

import numpy as np
import pytest
from index_reduce_cases import (
    LINEAR_REDUCES,
    OTHER_REDUCES,
    defined,
    operator_of,
    reference_gradients,
)
from scatter_test_utils import GRAD_DTYPES, to_numbers, to_storage

from gpu_tests.arrays import gradient_arguments, gradients

RTOL = {'float16': 2e-3, 'bfloat16': 2e-2, 'float64': 1e-12}


def differentiate(x, index, updates, attrs, out_grad):
    op = operator_of(attrs[1])
    arguments = gradient_arguments(op, (x, index, updates), out_grad, attrs)
    return gradients(f'{op}_grad', *arguments)


def few_values(rng, shape, dtype):
    """Many ties and many zeros."""
    return to_storage(rng.choice([0.0, 0.5, 1.0, 2.0], shape), dtype)


@pytest.mark.parametrize('include_self', [True, False])
@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize(
    ('reduce', 'dtype'),
    [
        pair
        for pair in itertools.product(OTHER_REDUCES, GRAD_DTYPES)
        if defined(*pair)
    ],
)
def test_ties_and_zeros(reduce, dtype, axis, include_self):
    rng = np.random.default_rng(3)
    index = np.array([3, 3, 0, -1, 3, 8])
    x = few_values(rng, (9, 9), dtype)
    updates = few_values(rng, (6, 9) if axis == 0 else (9, 6), dtype)
    out_grad = few_values(rng, (9, 9), dtype)
    attrs = axis, reduce, include_self
    found = differentiate(x, index, updates, attrs, out_grad)
    wide = np.complex128 if np.iscomplexobj(x) else np.float64
    x, updates, out_grad = (
        to_numbers(array, dtype).astype(wide)
        for array in (x, updates, out_grad)
    )
    expected = reference_gradients(x, index, updates, attrs, out_grad)
    rtol = RTOL.get(dtype, 1e-5)
    for grad, wanted in zip(found, expected):
        atol = rtol * max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(to_numbers(grad, dtype), wanted, rtol, atol)


@pytest.mark.parametrize(
    ('x', 'updates', 'reduce', 'x_grad', 'updates_grad'),
    [
        (1e200, [1e200, 2e-200], 'mul', 2.0, [2.0, np.inf]),
        (2.0, [np.inf, 4.0], 'mul', np.inf, [8.0, np.inf]),
        (np.nan, [np.nan, 1.0], 'amax', 0.5, [0.5, 0.0]),
    ],
)
def test_infinity_and_nan(x, updates, reduce, x_grad, updates_grad):
    x, index = np.array([x]), np.zeros(2, 'int64')
    attrs = 0, reduce, True
    found = differentiate(x, index, np.array(updates), attrs, np.ones(1))
    np.testing.assert_allclose(found[0], [x_grad], 1e-12)
    np.testing.assert_allclose(found[1], updates_grad, 1e-12)


@pytest.mark.parametrize('reduce', LINEAR_REDUCES)
def test_slices_all_over_a_large_x(reduce):
    x, updates = np.ones((20000, 4)), np.ones((2000, 4))
    index = np.arange(2000) * 9 + 5
    attrs = 0, reduce, False
    x_grad, updates_grad = differentiate(x, index, updates, attrs, x)
    expected = x.copy()
    expected[index] = 0
    np.testing.assert_array_equal(x_grad, expected)
    np.testing.assert_array_equal(updates_grad, updates)
