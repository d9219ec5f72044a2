"""What scatter on the GPU does on its own: index_scatter's kernels do the work,
whose tests make its calls too."""

import numpy as np
import pytest
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_numbers,
)

from gpu_tests.arrays import run
from gpu_tests.library import KernelError


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'complex128'])
def test_sums_start_from_zero_and_follow_the_index(rng, dtype):
    for columns in (1, 2, 64):
        x = random_numbers(rng, (5, columns), dtype)
        updates = random_numbers(rng, (60, columns), dtype)
        index = np.arange(60) % 4
        updates[index == 3] = -np.zeros((), dtype)
        (out,) = run('scatter', x, index, updates, False)
        expected = x.copy()
        expected[:4] = 0
        for slot, row in zip(index, updates):
            expected[slot] = expected[slot] + row
        assert_same_bits(out, expected, f'{columns}')


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_gradients_are_moved_bit_by_bit(rng, dtype):
    out_grad = random_array(rng, (50, 7), dtype)
    index = rng.integers(-50, 50, 90)
    updates = np.zeros((90, 7), out_grad.dtype)
    grads = run('scatter_grad', index, updates, out_grad, False)
    assert_same_bits(grads[1], out_grad[index])
    out_grad[index] = 0
    assert_same_bits(grads[0], out_grad)


@pytest.mark.parametrize(
    'index, updates_shape, reason',
    [
        (np.zeros(3, 'int16'), (3, 4), 'the dtype of index must be'),
        (np.zeros((3, 2), 'int64'), (3, 4), 'index must have shape'),
        (np.zeros(3, 'int64'), (2, 4), 'updates must have the shape of x'),
    ],
)
def test_operands_that_do_not_fit_are_refused(index, updates_shape, reason):
    x, updates = np.zeros((5, 4)), np.zeros(updates_shape)
    with pytest.raises(KernelError, match=rf'\(scatter\) {reason}'):
        run('scatter', x, index, updates, True)
