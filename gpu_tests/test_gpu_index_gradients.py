"""Gradients of the index operators on the GPU: infinity, NaN and many slices."""

import numpy as np
import pytest
from fuzz.scatter_reference import LINEAR_REDUCES

from gpu_tests.arrays import gradient_arguments, gradients


def differentiate(x, index, updates, attrs, out_grad):
    is_linear = attrs[1] in LINEAR_REDUCES
    op = 'index_scatter' if is_linear else 'index_reduce'
    arguments = gradient_arguments(op, (x, index, updates), out_grad, attrs)
    return gradients(f'{op}_grad', *arguments)


@pytest.mark.parametrize(
    ('x', 'updates', 'reduce', 'x_grad', 'updates_grad'),
    [
        (1e200, [1e200, 2e-200], 'mul', 2.0, [2.0, np.inf]),
        (2.0, [np.inf, 4.0], 'mul', np.inf, [8.0, np.inf]),
        (np.nan, [np.nan, 1.0], 'amax', 0.5, [0.5, 0.0]),
    ],
)
def test_nonfinite_gradients(x, updates, reduce, x_grad, updates_grad):
    x, index = np.array([x]), np.zeros(2, 'int64')
    attrs = 0, reduce, True
    grads = differentiate(x, index, np.array(updates), attrs, np.ones(1))
    np.testing.assert_allclose(grads[0], [x_grad], 1e-12)
    np.testing.assert_allclose(grads[1], updates_grad, 1e-12)


@pytest.mark.parametrize('reduce', LINEAR_REDUCES)
def test_gradients_of_sparse_index(reduce):
    x, updates = np.ones((20000, 4)), np.ones((2000, 4))
    index = np.arange(2000) * 9 + 5
    attrs = 0, reduce, False
    x_grad, updates_grad = differentiate(x, index, updates, attrs, x)
    expected = x.copy()
    expected[index] = 0
    np.testing.assert_array_equal(x_grad, expected)
    np.testing.assert_array_equal(updates_grad, updates)
