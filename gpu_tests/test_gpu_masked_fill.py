"""masked_fill on the GPU against the references of the CPU's tests."""

import numpy as np
import pytest
from masked_fill_cases import (
    cases,
    reference_masked_fill,
    reference_masked_fill_grad,
)
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    GRAD_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    storage_dtype,
    to_numbers,
    to_storage,
)
from test_masked_scatter_grad import TOLERANCE

from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    on_device,
    run,
    run_in_place,
    shifted,
    tile_edges,
    to_array,
)
from gpu_tests.library import KernelError
from gpu_tests.ops import run as run_tensors


@pytest.fixture
def rng():
    return np.random.default_rng(22)


def numbers_of(dtype):
    """Scalars that the dtype can hold."""
    if dtype == 'bool':
        return [True, False, 2]
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return [0, info.max, info.min, 2.7, True]
    found = [0, 1.5, -0.0, float('inf'), True]
    if dtype not in HALF_DTYPES:  # which NaN they become is nobody's promise
        found.append(float('nan'))
    return [*found, 1.5 - 2j] if dtype in COMPLEX_DTYPES else found


def stored(number, dtype):
    """A scalar as an array of the dtype."""
    if dtype in HALF_DTYPES:
        return to_storage(np.float32(number), dtype)
    if dtype in INT_DTYPES:
        number = int(number)
    return np.asarray(number).astype(storage_dtype(dtype))


def fast_masked_fill(x, mask, value):
    return np.where(mask, value, x)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_tensor_in_every_case(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        (out,) = run('masked_fill_tensor', x, mask, value)
        assert_same_bits(out, reference_masked_fill(x, mask, value), name)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_scalar_in_every_case(rng, dtype):
    for i, (name, x_shape, mask, _) in enumerate(cases()):
        numbers = numbers_of(dtype)
        number = numbers[i % len(numbers)]
        x = random_array(rng, x_shape, dtype)
        (out,) = run('masked_fill_scalar', x, mask, number)
        expected = reference_masked_fill(x, mask, stored(number, dtype))
        assert_same_bits(out, expected, f'{name}, {number}')


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_in_place(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
            continue
        x = random_array(rng, x_shape, dtype)
        value = random_array(rng, value_shape, dtype)
        out = run_in_place('masked_fill_tensor', x, mask, value)
        expected = reference_masked_fill(x, mask, value)
        assert_same_bits(out, expected, name)
        out = run_in_place('masked_fill_scalar', x, mask, 1)
        expected = reference_masked_fill(x, mask, stored(1, dtype))
        assert_same_bits(out, expected, name)


@pytest.mark.parametrize(
    'dtype, number',
    [
        ('uint8', 300),
        ('int8', -129),
        ('int32', 2.0**31),
        ('int64', float('nan')),
        ('float16', 70000.0),
        ('float32', 1e39),
        ('float64', 1j),
    ],
)
def test_scalar_out_of_range_is_refused(rng, dtype, number):
    x = random_array(rng, (3,), dtype)
    with pytest.raises(KernelError, match=r'\(masked_fill_scalar\) value must'):
        run('masked_fill_scalar', x, np.ones(3, bool), number)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_lengths_around_the_tiles(rng, dtype):
    for size in tile_edges(dtype):
        x = random_array(rng, (size,), dtype)
        mask = random_mask(rng, (size,))
        for value_shape in ((), (1,), (size,)):
            value = random_array(rng, value_shape, dtype)
            (out,) = run('masked_fill_tensor', x, mask, value)
            expected = fast_masked_fill(x, mask, value)
            assert_same_bits(out, expected, f'{size}, {value_shape}')
        (out,) = run('masked_fill_scalar', x, mask, 1)
        assert_same_bits(out, fast_masked_fill(x, mask, stored(1, dtype)))


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
            (out,) = run('masked_fill_tensor', x, mask, value)
            assert_same_bits(out, fast_masked_fill(x, mask, value), f'{shapes}')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, dtype):
    mask = random_mask(rng, (5000,))
    x, value = (random_array(rng, (5000,), dtype) for _ in range(2))
    for starts in ((1, 0, 0), (0, 3, 0), (0, 0, 5), (1, 7, 3)):
        tensors = [shifted(a, s) for a, s in zip((x, mask, value), starts)]
        (out,) = run_tensors('masked_fill_tensor', *tensors)
        expected = fast_masked_fill(x, mask, value)
        assert_same_bits(to_array(out), expected, f'{starts}')
        out = shifted(x, starts[0])
        run_tensors('masked_fill_scalar', out, tensors[1], 1, out=[out])
        expected = fast_masked_fill(x, mask, stored(1, dtype))
        assert_same_bits(to_array(out), expected, f'{starts}, in place')


def test_value_that_shares_memory_with_x(rng):
    x = random_array(rng, (90, 100), 'float32')
    mask = random_mask(rng, (90, 100))
    tensor = on_device(x)
    row = tensor[3]
    run_tensors(
        'masked_fill_tensor', tensor, on_device(mask), row, out=[tensor]
    )
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
                'masked_fill_tensor_grad',
                *(x, mask, value, out_grad),
                wanted=wanted,
            )
            for grad, numbers, is_wanted in zip(grads, expected, wanted):
                assert (grad is not None) == is_wanted, name
                if is_wanted:
                    close(grad, numbers, dtype)
        (grad,) = run('masked_fill_scalar_grad', x, mask, out_grad)
        close(grad, expected[0], dtype)


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
            'masked_fill_tensor_grad',
            *(out_grad, mask, value, out_grad),
            wanted=(False, True),
        )
        rtol = {'float16': 1e-3, 'float32': 1e-6}.get(dtype, 1e-13)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(grad, expected, rtol, rtol * scale)


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, dtype):
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        x = random_numbers(rng, x_shape, dtype)
        value = random_numbers(rng, value_shape, dtype)
        out_grad = random_numbers(rng, shape, dtype)
        zero = np.zeros((), x.dtype)
        for has_x, has_value in ((1, 1), (1, 0), (0, 1), (0, 0)):
            (grad,) = run(
                'masked_fill_tensor_double_grad',
                *(mask, out_grad),
                x if has_x else None,
                value if has_value else None,
            )
            expected = reference_masked_fill(
                x if has_x else np.zeros_like(x),
                mask,
                value if has_value else zero,
            )
            assert_same_bits(grad, expected, f'{name}, {has_x}, {has_value}')
        (grad,) = run('masked_fill_scalar_double_grad', mask, out_grad, x)
        assert_same_bits(grad, reference_masked_fill(x, mask, zero), name)
