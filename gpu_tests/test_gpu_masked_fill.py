"""masked_fill on the GPU against the references of the CPU's tests."""

import numpy as np
import pytest
from masked_cases import TOLERANCE
from masked_fill_cases import (
    cases,
    reference_masked_fill,
    reference_masked_fill_grad,
)
from scatter_test_utils import (
    ALL_DTYPES,
    GRAD_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    storage_dtype,
    to_numbers,
)

from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    on_device,
    run,
    run_in_place,
    run_over_out_grad,
    shifted,
    tile_edges,
    to_array,
)
from gpu_tests.library import KernelError
from gpu_tests.ops import run as run_tensors


@pytest.fixture
def rng():
    return np.random.default_rng(22)


def fast_masked_fill(x, mask, value):
    return np.where(mask, value, x)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        (out,) = run('masked_fill', x, mask, value)
        assert_same_bits(out, reference_masked_fill(x, mask, value), name)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_in_place(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
            continue
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        out = run_in_place('masked_fill', x, mask, value)
        expected = reference_masked_fill(x, mask, value)
        assert_same_bits(out, expected, name)


def test_value_must_not_enlarge_the_result(rng):
    x, mask = random_array(rng, (3, 1), 'float32'), np.ones((3, 4), bool)
    for shape in ((5,), (2, 4), (3, 1, 4), (1, 1, 4), (0,)):
        value = random_array(rng, shape, 'float32')
        with pytest.raises(KernelError, match=r'\(masked_fill\) value must'):
            run('masked_fill', x, mask, value)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        x = random_array(rng, (size,), dtype)
        mask = random_mask(rng, (size,))
        for value_shape in ((), (1,), (size,)):
            value = random_array(rng, value_shape, dtype)
            (out,) = run('masked_fill', x, mask, value)
            expected = fast_masked_fill(x, mask, value)
            assert_same_bits(out, expected, f'{size}, {value_shape}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_broadcast_operands_of_many_row_lengths(rng, dtype):
    for row in (1, 3, 8, 16, 33, 4097):
        rows = 30000 // row
        shape = (rows, row)
        for shapes in (
            (shape, (row,), (rows, 1)),
            (shape, (rows, 1), (row,)),
            (shape, shape, (1, row)),
            ((row,), shape, shape),
            ((rows, 1), (row,), ()),
            ((), shape, (rows, 1)),
            ((rows // 7, 7, row), (rows // 7, 1, row), (7, 1)),
        ):
            mask = random_mask(rng, shapes[1])
            x, value = (random_array(rng, shapes[i], dtype) for i in (0, 2))
            (out,) = run('masked_fill', x, mask, value)
            assert_same_bits(out, fast_masked_fill(x, mask, value), f'{shapes}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, dtype):
    mask = random_mask(rng, (5000,))
    x, value = (random_array(rng, (5000,), dtype) for _ in range(2))
    for starts in ((1, 0, 0), (0, 3, 0), (0, 0, 5), (1, 7, 3)):
        tensors = [shifted(a, s) for a, s in zip((x, mask, value), starts)]
        (out,) = run_tensors('masked_fill', *tensors)
        expected = fast_masked_fill(x, mask, value)
        assert_same_bits(to_array(out), expected, f'{starts}')
        number = tensors[2][:1]
        run_tensors(
            'masked_fill', tensors[0], tensors[1], number, out=[tensors[0]]
        )
        expected = fast_masked_fill(x, mask, value[0])
        assert_same_bits(to_array(tensors[0]), expected, f'{starts}, in place')


def test_value_that_shares_memory_with_x(rng):
    x = random_array(rng, (90, 100), 'float32')
    mask = random_mask(rng, (90, 100))
    tensor = on_device(x)
    row = tensor[3]
    run_tensors('masked_fill', tensor, on_device(mask), row, out=[tensor])
    assert_same_bits(to_array(tensor), fast_masked_fill(x, mask, x[3]))


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients_of_every_case(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        out_grad = random_numbers(rng, shape, dtype)
        x, value = (
            np.zeros(s, storage_dtype(dtype)) for s in (x_shape, value_shape)
        )
        expected = reference_masked_fill_grad(
            x_shape, mask, value_shape, to_numbers(out_grad, dtype)
        )
        for wanted in ((True, True), (True, False), (False, True)):
            grads = run(
                'masked_fill_grad',
                *(x, mask, value, out_grad),
                wanted=wanted,
            )
            for grad, numbers, is_wanted in zip(grads, expected, wanted):
                assert (grad is not None) == is_wanted, name
                if is_wanted:
                    close(grad, numbers, dtype)
        if out_grad.size == 0:
            continue
        over = run_over_out_grad(
            *('masked_fill_grad', x, mask, value, out_grad),
            out_grad=3,
            wanted=[x, value],
        )
        for grad, numbers in zip(over, expected):
            close(grad, numbers, dtype)


def close(actual, expected, dtype):
    np.testing.assert_allclose(
        to_numbers(actual, dtype),
        expected,
        rtol=TOLERANCE[dtype],
        atol=TOLERANCE[dtype],
    )


@pytest.mark.parametrize('dtype', ('float16', 'float32', 'complex128'))
def test_gradients_summed_over_many_elements(rng, dtype):
    for shape, value_shape in (
        ((300, 700), (700,)),
        ((300, 700), (300, 1)),
        ((300, 700), ()),
        ((300, 700), (1,)),
        ((5, 900, 7), (5, 1, 7)),
        ((40, 9, 50), (1, 9, 1)),
    ):
        mask = random_mask(rng, shape)
        out_grad = random_numbers(rng, shape, dtype)
        value = np.zeros(value_shape, out_grad.dtype)
        _, expected = reference_masked_fill_grad(
            shape, mask, value_shape, out_grad.astype('complex128')
        )
        _, grad = run(
            'masked_fill_grad',
            *(out_grad, mask, value, out_grad),
            wanted=(False, True),
        )
        rtol = {'float16': 1e-3, 'float32': 1e-6}.get(dtype, 1e-13)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(grad, expected, rtol, rtol * scale)
