"""masked_fill and masked_scatter on the GPU, as in the CPU's tests."""

from dataclasses import dataclass
from functools import partial
from typing import Callable

import masked_fill_cases
import masked_scatter_cases
import numpy as np
import pytest
from masked_cases import TOLERANCE, kinds_of_masks
from scatter_test_utils import (
    ALL_DTYPES,
    GRAD_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    to_numbers,
)

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
from gpu_tests.ops import run as run_tensors


@dataclass(frozen=True)
class MaskedOp:
    name: str
    cases: Callable
    reference: Callable
    reference_grad: Callable
    # the same as the reference, without a loop
    fast: Callable
    # (x shape, mask, shape that masked_fill's value has) -> that of the value
    value_shape: Callable
    # which of x and value has a gradient that is a sum
    summed: int


FILL = MaskedOp(
    name='masked_fill',
    cases=masked_fill_cases.cases,
    reference=masked_fill_cases.reference_masked_fill,
    reference_grad=masked_fill_cases.reference_masked_fill_grad,
    fast=lambda x, mask, value: np.where(mask, value, x),
    value_shape=lambda x_shape, mask, shape: shape,
    summed=1,
)
SCATTER = MaskedOp(
    name='masked_scatter',
    cases=masked_scatter_cases.cases,
    reference=masked_scatter_cases.reference_masked_scatter,
    reference_grad=masked_scatter_cases.reference_masked_scatter_grad,
    fast=masked_scatter_cases.fast_masked_scatter,
    # No value to spare: a read past the end would find other memory.
    value_shape=lambda x_shape, mask, shape: (
        masked_scatter_cases.count_true(x_shape, mask),
    ),
    summed=0,
)


@pytest.fixture(params=[FILL, SCATTER], ids=lambda op: op.name)
def op(request):
    return request.param


def arrays_of(rng, op, dtype, x_shape, mask, value_shape):
    value_shape = op.value_shape(x_shape, mask, value_shape)
    x, value = (random_array(rng, s, dtype) for s in (x_shape, value_shape))
    return x, mask, value


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case_equals_the_plain_loops(rng, op, dtype):
    for name, x_shape, mask, value_shape in op.cases():
        x, value = (random_array(rng, s, dtype) for s in (x_shape, value_shape))
        expected = op.reference(x, mask, value)
        (out,) = run(op.name, x, mask, value)
        assert_same_bits(out, expected, name)
        if expected.shape == x_shape:
            out = run_in_place(op.name, x, mask, value)
            assert_same_bits(out, expected, f'{name}, in place')


def test_value_must_not_enlarge_what_is_filled(rng):
    x, mask = random_array(rng, (3, 1), 'float32'), np.ones((3, 4), bool)
    for shape in ((5,), (2, 4), (3, 1, 4), (1, 1, 4), (0,)):
        value = random_array(rng, shape, 'float32')
        with pytest.raises(KernelError, match=r'\(masked_fill\) value must'):
            run('masked_fill', x, mask, value)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_lengths_around_the_tiles(rng, op, dtype):
    for size in tile_edges(dtype):
        masks = dict(kinds_of_masks(rng, (size,)))
        half = masks['half']
        fills = [(str(shape), half, shape) for shape in ((), (1,), (size,))]
        takes = [(name, mask, None) for name, mask in masks.items()]
        for name, mask, value_shape in fills if op is FILL else takes:
            arrays = arrays_of(rng, op, dtype, (size,), mask, value_shape)
            (out,) = run(op.name, *arrays)
            assert_same_bits(out, op.fast(*arrays), f'{size}, {name}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_broadcast_operands_of_many_row_lengths(rng, op, dtype):
    for row in (1, 3, 8, 16, 33, 4097):
        rows = 30000 // row
        shape = rows, row
        for x_shape, mask_shape, value_shape in (
            (shape, (row,), (rows, 1)),
            (shape, (rows, 1), (row,)),
            (shape, shape, (1, row)),
            ((row,), shape, shape),
            ((rows, 1), shape, (row,)),
            ((rows, 1), (row,), ()),
            ((), shape, (rows, 1)),
            ((rows // 7, 7, row), (rows // 7, 1, row), (7, 1)),
        ):
            mask = random_mask(rng, mask_shape)
            arrays = arrays_of(rng, op, dtype, x_shape, mask, value_shape)
            (out,) = run(op.name, *arrays)
            message = f'{x_shape}, {mask_shape}, {value_shape}'
            assert_same_bits(out, op.fast(*arrays), message)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, op, dtype):
    mask = random_mask(rng, (5000,))
    arrays = arrays_of(rng, op, dtype, (5000,), mask, (5000,))
    for starts in ((1, 0, 0), (0, 3, 0), (0, 0, 5), (1, 7, 3)):
        tensors = [shifted(a, s) for a, s in zip(arrays, starts)]
        (out,) = run_tensors(op.name, *tensors)
        assert_same_bits(to_array(out), op.fast(*arrays), f'{starts}')
        if op is FILL:
            x, mask_tensor, value = tensors
            run_tensors(op.name, x, mask_tensor, value[:1], out=[x])
            expected = op.fast(arrays[0], mask, arrays[2][0])
            assert_same_bits(to_array(x), expected, f'{starts}, in place')


def test_mask_bytes_other_than_one_are_true(rng, op):
    x, value = (random_array(rng, (5000,), 'float32') for _ in range(2))
    mask = rng.choice([0, 1, 2, 128, 255], 5000).astype('uint8')
    # Made bool on the device: a copy of a bool may make all bytes 1.
    tensors = [on_device(array) for array in (x, mask, value)]
    tensors[1] = tensors[1].view(torch.bool)
    (out,) = run_tensors(op.name, *tensors)
    assert_same_bits(to_array(out), op.fast(x, mask != 0, value))


def test_value_that_shares_memory_with_x(rng, op):
    x = random_array(rng, (90, 100), 'float32')
    mask = random_mask(rng, (90, 100))
    part = 3 if op is FILL else slice(None)
    tensor = on_device(x)
    run_tensors(op.name, tensor, on_device(mask), tensor[part], out=[tensor])
    assert_same_bits(to_array(tensor), op.fast(x, mask, x[part]))


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients_of_every_case(rng, op, dtype):
    for name, x_shape, mask, value_shape in op.cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        out_grad = random_numbers(rng, shape, dtype)
        x, value = (np.zeros(s, out_grad.dtype) for s in (x_shape, value_shape))
        check_gradients(
            *(f'{op.name}_grad', x, mask, value, out_grad),
            out_grad=3,
            expected=op.reference_grad(
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
def test_gradients_summed_over_many_elements(rng, op, dtype):
    for shape, summed_shape in (
        *(((300, 700), summed) for summed in ((700,), (300, 1), (), (1,))),
        ((5, 900, 7), (5, 1, 7)),
        ((40, 9, 50), (1, 9, 1)),
    ):
        mask = random_mask(rng, shape)
        out_grad = random_numbers(rng, shape, dtype)
        shapes = [shape, (mask.size,)]
        shapes[op.summed] = summed_shape
        x, value = (np.zeros(s, out_grad.dtype) for s in shapes)
        grads = run(
            *(f'{op.name}_grad', x, mask, value, out_grad),
            wanted=[i == op.summed for i in range(2)],
        )
        expected = op.reference_grad(
            shapes[0], mask, shapes[1], out_grad.astype('complex128')
        )[op.summed]
        rtol = {'float16': 1e-3, 'float32': 1e-6}.get(dtype, 1e-13)
        scale = largest(expected)
        assert_close(grads[op.summed], expected, dtype, rtol, f'{shape}', scale)


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, dtype):
    for _, x_shape, mask, value_shape in SCATTER.cases():
        shapes = x_shape, value_shape
        x, value = (random_numbers(rng, s, dtype) for s in shapes)
        operands = x, mask, value
        check_second_order('masked_scatter', operands, check=assert_same_bits)
