"""masked_scatter on the GPU, as in the CPU's tests."""

from functools import partial

import numpy as np
import pytest
from masked_cases import kinds_of_masks
from masked_scatter_cases import CASES, reference_masked_scatter
from op_table import TOLERANCE
from scatter_test_utils import (
    ALL_DTYPES,
    GRAD_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    sum_to_shape,
    to_numbers,
)

from gpu_tests import ops
from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    assert_close,
    check_gradients,
    check_second_order,
    largest,
    on_device,
    run,
    run_in_place,
    shifted,
    tile_edges,
    to_array,
)
from gpu_tests.device import torch
from gpu_tests.library import KernelError


def cases():
    """(name, x shape, mask, value shape)"""
    for case in CASES:
        yield case.name, *case.inputs.values()


def expected_gradients(x_shape, mask, value_shape, out_grad):
    where = np.broadcast_to(mask, out_grad.shape)
    value_grad = np.zeros(value_shape, out_grad.dtype)
    value_grad.reshape(-1)[: np.count_nonzero(where)] = out_grad[where]
    kept = np.where(where, out_grad.dtype.type(0), out_grad)
    return sum_to_shape(kept, x_shape), value_grad


def arrays_of(rng, dtype, x_shape, mask):
    """No value to spare: a read past the end would find other memory."""
    shape = np.broadcast_shapes(x_shape, mask.shape)
    value_shape = (np.count_nonzero(np.broadcast_to(mask, shape)),)
    x, value = (random_array(rng, s, dtype) for s in (x_shape, value_shape))
    return x, mask, value


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case_equals_the_plain_loops(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        x, value = (random_array(rng, s, dtype) for s in (x_shape, value_shape))
        expected = reference_masked_scatter(x, mask, value)
        (out,) = run('masked_scatter', x, mask, value)
        assert_same_bits(out, expected, name)
        if expected.shape == x_shape:
            out = run_in_place('masked_scatter', x, mask, value)
            assert_same_bits(out, expected, f'{name}, in place')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        for name, mask in kinds_of_masks(rng, (size,)):
            arrays = arrays_of(rng, dtype, (size,), mask)
            (out,) = run('masked_scatter', *arrays)
            expected = reference_masked_scatter(*arrays)
            assert_same_bits(out, expected, f'{size}, {name}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_broadcast_operands_of_many_row_lengths(rng, dtype):
    for row in (1, 3, 8, 16, 33, 4097):
        rows = 30000 // row
        shape = rows, row
        for x_shape, mask_shape in (
            (shape, (row,)),
            (shape, (rows, 1)),
            ((row,), shape),
            ((rows, 1), shape),
            ((rows, 1), (row,)),
            ((), shape),
            ((rows // 7, 7, row), (rows // 7, 1, row)),
        ):
            mask = random_mask(rng, mask_shape)
            arrays = arrays_of(rng, dtype, x_shape, mask)
            (out,) = run('masked_scatter', *arrays)
            expected = reference_masked_scatter(*arrays)
            assert_same_bits(out, expected, f'{x_shape}, {mask_shape}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, dtype):
    mask = random_mask(rng, (5000,))
    arrays = arrays_of(rng, dtype, (5000,), mask)
    for starts in ((1, 0, 0), (0, 3, 0), (0, 0, 5), (1, 7, 3)):
        tensors = [shifted(a, s) for a, s in zip(arrays, starts)]
        (out,) = ops.run('masked_scatter', *tensors)
        expected = reference_masked_scatter(*arrays)
        assert_same_bits(to_array(out), expected, f'{starts}')


def test_mask_bytes_other_than_one_are_true(rng):
    x = random_array(rng, (5000,), 'float32')
    mask = rng.choice([0, 1, 2, 128, 255], 5000).astype('uint8')
    for spare in (0, 1000):
        value = random_array(rng, (np.count_nonzero(mask) + spare,), 'float32')
        # Made bool on the device: a copy of a bool may make all bytes 1.
        tensors = [on_device(array) for array in (x, mask, value)]
        tensors[1] = tensors[1].view(torch.bool)
        (out,) = ops.run('masked_scatter', *tensors)
        expected = reference_masked_scatter(x, mask != 0, value)
        assert_same_bits(to_array(out), expected)


@pytest.mark.parametrize(
    'x_shape, mask_shape, trues',
    [
        ((40, 50), (40, 50), 2000),
        ((40, 50), (50,), 2000),
        ((50,), (40, 1), 2000),
        ((300, 700), (300, 700), 210000),
    ],
)
def test_too_few_values_are_refused_and_nothing_is_written(
    x_shape, mask_shape, trues
):
    x, mask = np.ones(x_shape, 'float32'), np.ones(mask_shape, bool)
    for count in (0, 1, trues - 1):
        tensors = [on_device(a) for a in (x, mask, -np.ones(count, 'float32'))]
        shape = np.broadcast_shapes(x_shape, mask_shape)
        out = tensors[0] if x_shape == shape else on_device(np.ones(shape))
        out = out.to(tensors[0].dtype)
        with pytest.raises(KernelError) as error:
            ops.run('masked_scatter', *tensors, out=[out])
        assert str(error.value) == (
            '(OutOfRange) (masked_scatter) value must have an element for each '
            f'True of the broadcast mask: {trues} expected, but value has '
            f'{count}.'
        )
        assert (to_array(out) == 1).all()


def test_value_that_shares_memory_with_x(rng):
    x = random_array(rng, (90, 100), 'float32')
    mask = random_mask(rng, (90, 100))
    tensor = on_device(x)
    ops.run('masked_scatter', tensor, on_device(mask), tensor, out=[tensor])
    assert_same_bits(to_array(tensor), reference_masked_scatter(x, mask, x))


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients_of_every_case(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        out_grad = random_numbers(rng, shape, dtype)
        x, value = (np.zeros(s, out_grad.dtype) for s in (x_shape, value_shape))
        check_gradients(
            *('masked_scatter_grad', x, mask, value, out_grad),
            out_grad=3,
            expected=expected_gradients(
                x_shape, mask, value_shape, to_numbers(out_grad, dtype)
            ),
            check=partial(
                assert_close, dtype=dtype, rtol=TOLERANCE[dtype], message=name
            ),
        )


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_taken_gradients_of_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        mask = random_mask(rng, (size,))
        out_grad = random_array(rng, (size,), dtype)
        taken = int(mask.sum())
        for spare in (0, 5, 3000):
            value = np.zeros(taken + spare, out_grad.dtype)
            arrays = out_grad, mask, value, out_grad
            x_grad, value_grad = run('masked_scatter_grad', *arrays)
            value[:taken] = out_grad[mask]
            assert_same_bits(value_grad, value, f'{size}, value')
            expected = np.where(mask, out_grad.dtype.type(0), out_grad)
            assert_same_bits(x_grad, expected, f'{size}, x')


@pytest.mark.parametrize('dtype', ('float16', 'float32', 'complex128'))
def test_gradients_summed_over_many_elements(rng, dtype):
    for shape, x_shape in (
        *(((300, 700), summed) for summed in ((700,), (300, 1), (), (1,))),
        ((5, 900, 7), (5, 1, 7)),
        ((40, 9, 50), (1, 9, 1)),
    ):
        mask = random_mask(rng, shape)
        out_grad = random_numbers(rng, shape, dtype)
        x, value = (np.zeros(s, out_grad.dtype) for s in (x_shape, mask.size))
        grad, _ = run(
            *('masked_scatter_grad', x, mask, value, out_grad),
            wanted=[True, False],
        )
        expected, _ = expected_gradients(
            x_shape, mask, value.shape, out_grad.astype('complex128')
        )
        rtol = {'float16': 1e-3, 'float32': 1e-6}.get(dtype, 1e-13)
        scale = largest(expected)
        assert_close(grad, expected, dtype, rtol, f'{shape}', scale)


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, dtype):
    for _, x_shape, mask, value_shape in cases():
        shapes = x_shape, value_shape
        x, value = (random_numbers(rng, s, dtype) for s in shapes)
        operands = x, mask, value
        check_second_order('masked_scatter', operands, check=assert_same_bits)
