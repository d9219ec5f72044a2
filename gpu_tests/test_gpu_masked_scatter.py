"""masked_scatter on the GPU against the references of the CPU's tests."""

import numpy as np
import pytest
from masked_cases import TOLERANCE, kinds_of_masks
from masked_scatter_cases import (
    cases,
    count_true,
    fast_masked_scatter,
    reference_masked_scatter,
    reference_masked_scatter_grad,
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
from gpu_tests.ops import run as run_tensors


@pytest.fixture
def rng():
    return np.random.default_rng(21)


def close(actual, expected, dtype):
    np.testing.assert_allclose(
        to_numbers(actual, dtype),
        expected,
        rtol=TOLERANCE[dtype],
        atol=TOLERANCE[dtype],
    )


def exact_values(rng, dtype, x_shape, mask):
    """No value to spare: a read past the end would find other memory."""
    x = random_array(rng, x_shape, dtype)
    return x, mask, random_array(rng, (count_true(x_shape, mask),), dtype)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case_equals_the_plain_loops(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        (out,) = run('masked_scatter', x, mask, value)
        expected = reference_masked_scatter(x, mask, value)
        assert_same_bits(out, expected, name)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_in_place(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
            continue
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        out = run_in_place('masked_scatter', x, mask, value)
        expected = reference_masked_scatter(x, mask, value)
        assert_same_bits(out, expected, name)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        for name, mask in kinds_of_masks(rng, (size,)):
            arrays = exact_values(rng, dtype, (size,), mask)
            (out,) = run('masked_scatter', *arrays)
            expected = fast_masked_scatter(*arrays)
            assert_same_bits(out, expected, f'{size}, {name}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_broadcast_operands_of_many_row_lengths(rng, dtype):
    for row in (1, 3, 8, 33, 4097):
        rows = 30000 // row
        for x_shape, mask_shape in (
            ((rows, row), (row,)),
            ((rows, row), (rows, 1)),
            ((rows // 7, 7, row), (rows // 7, 1, row)),
            ((row,), (rows, row)),
            ((rows, 1), (rows, row)),
            ((), (rows, row)),
        ):
            mask = random_mask(rng, mask_shape)
            arrays = exact_values(rng, dtype, x_shape, mask)
            (out,) = run('masked_scatter', *arrays)
            expected = fast_masked_scatter(*arrays)
            assert_same_bits(out, expected, f'{x_shape}, {mask_shape}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, dtype):
    mask = random_mask(rng, (5000,))
    x, mask, value = exact_values(rng, dtype, (5000,), mask)
    for starts in ((1, 0, 0), (0, 3, 0), (0, 0, 5), (1, 7, 3)):
        tensors = [shifted(a, s) for a, s in zip((x, mask, value), starts)]
        (out,) = run_tensors('masked_scatter', *tensors)
        expected = fast_masked_scatter(x, mask, value)
        assert_same_bits(to_array(out), expected, f'{starts}')


def test_mask_bytes_other_than_one_are_true(rng):
    x, value = (random_array(rng, (5000,), 'float32') for _ in range(2))
    mask = rng.choice([0, 1, 2, 128, 255], 5000).astype('uint8')
    expected = fast_masked_scatter(x, mask != 0, value)
    mask = on_device(mask)
    (out,) = run_tensors(
        'masked_scatter', on_device(x), mask.view(bool_type()), on_device(value)
    )
    assert_same_bits(to_array(out), expected)


def bool_type():
    import torch

    return torch.bool


def test_value_that_shares_memory_with_x(rng):
    x = random_array(rng, (9000,), 'float32')
    mask = random_mask(rng, (9000,))
    tensor = on_device(x)
    run_tensors('masked_scatter', tensor, on_device(mask), tensor, out=[tensor])
    assert_same_bits(to_array(tensor), fast_masked_scatter(x, mask, x))


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients_of_every_case(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        out_grad = random_numbers(rng, shape, dtype)
        x = np.zeros(x_shape, storage_dtype(dtype))
        value = np.zeros(value_shape, storage_dtype(dtype))
        expected = reference_masked_scatter_grad(
            x_shape, mask, value_shape, to_numbers(out_grad, dtype)
        )
        for wanted in ((True, True), (True, False), (False, True)):
            grads = run(
                'masked_scatter_grad', x, mask, value, out_grad, wanted=wanted
            )
            for grad, numbers, is_wanted in zip(grads, expected, wanted):
                assert (grad is not None) == is_wanted, name
                if is_wanted:
                    close(grad, numbers, dtype)
        if out_grad.size == 0:
            continue
        for value_like in (value, None):
            over = run_over_out_grad(
                *('masked_scatter_grad', x, mask, value, out_grad),
                out_grad=3,
                wanted=[x, value_like],
            )
            close(over[0], expected[0], dtype)
            if value_like is not None:
                close(over[1], expected[1], dtype)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_gradients_of_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        mask = random_mask(rng, (size,))
        out_grad = random_array(rng, (size,), dtype)
        taken = int(mask.sum())
        for spare in (0, 5, 3000):
            value = np.zeros(taken + spare, out_grad.dtype)
            x_grad, value_grad = run(
                'masked_scatter_grad', out_grad, mask, value, out_grad
            )
            value[:taken] = out_grad[mask]
            assert_same_bits(value_grad, value, f'{size}, value')
            expected = np.where(mask, out_grad.dtype.type(0), out_grad)
            assert_same_bits(x_grad, expected, f'{size}, x')


@pytest.mark.parametrize('dtype', ('float16', 'float32', 'complex128'))
def test_gradients_summed_over_many_elements(rng, dtype):
    for shape, x_shape in (
        ((300, 700), (700,)),
        ((300, 700), (300, 1)),
        ((300, 700), ()),
        ((5, 900, 7), (5, 1, 7)),
        ((40, 9, 50), (1, 9, 1)),
    ):
        mask = random_mask(rng, shape)
        out_grad = random_numbers(rng, shape, dtype)
        x = np.zeros(x_shape, storage_dtype(dtype))
        expected, _ = reference_masked_scatter_grad(
            x_shape,
            mask,
            (mask.size,),
            to_numbers(out_grad, dtype).astype('complex128'),
        )
        x_grad, _ = run(
            'masked_scatter_grad',
            *(x, mask, np.zeros(mask.size, x.dtype), out_grad),
            wanted=(True, False),
        )
        rtol = {'float16': 1e-3, 'float32': 1e-6}.get(dtype, 1e-13)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(x_grad, expected, rtol, rtol * scale)


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        x = random_numbers(rng, x_shape, dtype)
        value = random_numbers(rng, value_shape, dtype)
        out_grad = random_numbers(rng, shape, dtype)
        for has_x, has_value in ((1, 1), (1, 0), (0, 1), (0, 0)):
            (grad,) = run(
                'masked_scatter_double_grad',
                *(x, mask, value, out_grad),
                x if has_x else None,
                value if has_value else None,
            )
            expected = reference_masked_scatter(
                x if has_x else np.zeros_like(x),
                mask,
                value if has_value else np.zeros_like(value),
            )
            assert_same_bits(grad, expected, f'{name}, {has_x}, {has_value}')
