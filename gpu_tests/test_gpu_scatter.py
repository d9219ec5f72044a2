"""The second order of scatter on a GPU: the adjoint of the gradient there, which
each of several updates of a slot gets, whatever `overwrite` says."""

from itertools import product

import numpy as np
import pytest
from scatter_test_utils import random_numbers

from gpu_tests import ops
from gpu_tests.arrays import assert_close, run


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('overwrite', [True, False])
@pytest.mark.parametrize('given', [*product((True, False), repeat=2)])
def test_second_order_of_scatter(rng, dtype, overwrite, given):
    index = np.array([4, 1, 4, 0, 4])
    shapes = (6, 3), (5, 3)
    of_x, of_updates = (
        np.asarray(random_numbers(rng, shape, dtype)) for shape in shapes
    )
    expected = np.zeros((6, 3))
    if given[0]:
        expected += of_x
        expected[index] = 0
    if given[1]:
        np.add.at(expected, index, of_updates)
    (found,) = run(
        ops.DOUBLE_GRAD,
        *(index, np.zeros_like(of_updates), np.zeros_like(of_x)),
        *(of_x if given[0] else None, of_updates if given[1] else None),
        overwrite,
    )
    rtol = {'float16': 1e-2, 'float32': 1e-6}.get(dtype, 1e-13)
    assert_close(found, expected, dtype, rtol)
