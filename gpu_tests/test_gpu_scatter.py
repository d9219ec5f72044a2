"""scatter on the GPU against the definition, and its gradient."""

import numpy as np
import pytest
from index_reduce_cases import cases, operands, slots_of
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_numbers,
)

from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    check_gradients,
    on_device,
    run,
    run_in_place,
    shifted,
    to_array,
)
from gpu_tests.library import KernelError
from gpu_tests.ops import run as run_tensors
from gpu_tests.test_gpu_index_reduce import check

# What index_scatter calls the two ways.
REDUCE_OF = {True: 'assign', False: 'sum'}


@pytest.fixture
def rng():
    return np.random.default_rng(28)


def first_axis_cases():
    """Yields (name, x shape, index, updates shape)."""
    for name, x_shape, axis, index, updates_shape in cases():
        if axis == 0:
            yield name, x_shape, index, updates_shape


def check_scatter(out, arrays, overwrite, dtype, message=''):
    attrs = 0, REDUCE_OF[overwrite], False
    check(out, arrays, attrs, dtype, f'{message}, {overwrite}')


@pytest.mark.parametrize('overwrite', REDUCE_OF)
@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case(rng, dtype, overwrite):
    for name, x_shape, index, updates_shape in first_axis_cases():
        for kind in ('int64', 'int32'):
            x = operands(rng, x_shape, 'sum', dtype)
            updates = operands(rng, updates_shape, 'sum', dtype)
            arrays = x, index.astype(kind), updates
            (out,) = run('scatter', *arrays, overwrite)
            check_scatter(out, arrays, overwrite, dtype, name)
            out = run_in_place('scatter', *arrays, overwrite)
            check_scatter(out, arrays, overwrite, dtype, f'{name}, in place')


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


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts_and_long_indexes(rng, dtype):
    for columns in (1, 3, 64):
        x = operands(rng, (700, columns), 'sum', dtype)
        updates = operands(rng, (3073, columns), 'sum', dtype)
        index = np.minimum(rng.geometric(0.1, 3073), 700) - 1
        arrays = x, index, updates
        for starts in ((0, 0, 0), (1, 3, 0), (0, 0, 5)):
            tensors = [shifted(a, s) for a, s in zip(arrays, starts)]
            for overwrite in REDUCE_OF:
                (out,) = run_tensors('scatter', *tensors, overwrite)
                check_scatter(to_array(out), arrays, overwrite, dtype)


def test_updates_that_share_memory_with_x(rng):
    x = operands(rng, (50, 40), 'sum')
    index = rng.integers(0, 50, 50)
    for overwrite in REDUCE_OF:
        tensor = on_device(x)
        run_tensors(
            *('scatter', tensor, on_device(index), tensor, overwrite),
            out=[tensor],
        )
        check_scatter(to_array(tensor), (x, index, x), overwrite, 'float64')


def expected_gradients(index, updates_shape, out_grad):
    """Of x and updates: each update has the gradient of its slot."""
    slots = slots_of(index, len(out_grad))
    x_grad = out_grad.copy()
    x_grad[slots] = 0
    updates_grad = np.zeros(updates_shape, out_grad.dtype)
    if index.ndim == 0:
        updates_grad[...] = out_grad[slots[0]]
    else:
        updates_grad[: len(slots)] = out_grad[slots]
    return x_grad, updates_grad


@pytest.mark.parametrize('overwrite', REDUCE_OF)
@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_gradients(rng, dtype, overwrite):
    for name, x_shape, index, updates_shape in first_axis_cases():
        out_grad = random_array(rng, x_shape, dtype)
        updates = np.zeros(updates_shape, out_grad.dtype)
        check_gradients(
            *('scatter_grad', index, updates, out_grad, overwrite),
            out_grad=2,
            expected=expected_gradients(index, updates_shape, out_grad),
            check=lambda grad, bits, name=name: assert_same_bits(
                grad, bits, name
            ),
        )


@pytest.mark.parametrize(
    'index, updates_shape, reason',
    [
        (np.zeros(3, 'int16'), (3, 4), 'the dtype of index must be'),
        (np.zeros((3, 2), 'int64'), (3, 4), 'index must have shape'),
        (np.zeros(3, 'int64'), (2, 4), 'updates must have the shape of x'),
        (np.zeros(3, 'int64'), (3, 5), 'updates must have the shape of x'),
    ],
)
def test_operands_that_do_not_fit_are_refused(index, updates_shape, reason):
    x, updates = np.zeros((5, 4)), np.zeros(updates_shape)
    for overwrite in REDUCE_OF:
        with pytest.raises(KernelError, match=rf'\(scatter\) {reason}'):
            run('scatter', x, index, updates, overwrite)
