"""select_scatter and diagonal_scatter on the GPU, as in the CPU's tests."""

from functools import partial

import numpy as np
import pytest
from scatter_test_utils import (
    ALL_DTYPES,
    GRAD_DTYPES,
    assert_same_bits,
    random_array,
    random_numbers,
)

from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    check_gradients,
    check_second_order,
    run,
    shifted,
    to_array,
)
from gpu_tests.library import KernelError
from gpu_tests.ops import run as run_tensors
from gpu_tests.view_scatter_cases import (
    DIAGONAL,
    SELECT,
    fast_scatter,
    random_pair,
    reference_scatter,
    reference_scatter_grad,
)


@pytest.fixture(params=[SELECT, DIAGONAL], ids=lambda op: op.name)
def op(request):
    return request.param


def pair_of(rng, op, make, dtype, x_shape, attributes):
    return random_pair(op, lambda s: make(rng, s, dtype), x_shape, attributes)


@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_every_case_equals_the_plain_loops(rng, op, dtype):
    for name, x_shape, attributes in op.cases:
        pair = pair_of(rng, op, random_array, dtype, x_shape, attributes)
        (out,) = run(op.name, *pair, *attributes)
        assert_same_bits(out, reference_scatter(op, *pair, attributes), name)


def shapes_around_the_packs(op):
    """Yields (x shape, attributes) with rows of every short length."""
    for length in (*range(1, 19), 31, 33, 63, 65, 255, 257, 1025):
        rows = max(2, 3000 // length)
        if op is SELECT:
            yield (rows, length), (0, rows // 2)
            yield (rows, length), (1, length // 2)
            yield (rows, 2, length), (1, 1)
        else:
            yield (rows, length), (0, 0, 1)
            yield (length, rows), (1, 0, 1)
            yield (rows, length, 3), (-1, 1, 0)
            yield (3, rows, length), (2, 1, 2)


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_rows_of_every_short_length(rng, op, dtype):
    for x_shape, attributes in shapes_around_the_packs(op):
        pair = pair_of(rng, op, random_array, dtype, x_shape, attributes)
        (out,) = run(op.name, *pair, *attributes)
        expected = fast_scatter(op, *pair, attributes)
        assert_same_bits(out, expected, f'{x_shape}, {attributes}')
        arguments = *pair, pair[0], *attributes
        grad, _ = run(f'{op.name}_grad', *arguments, wanted=(True, False))
        expected = fast_scatter(op, pair[0], np.zeros_like(pair[1]), attributes)
        assert_same_bits(grad, expected, f'{x_shape}, {attributes}, gradient')


@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_many_elements_and_unaligned_starts(rng, op, dtype):
    for x_shape, attributes in op.large_cases:
        pair = pair_of(rng, op, random_array, dtype, x_shape, attributes)
        expected = fast_scatter(op, *pair, attributes)
        for starts in ((0, 0), (1, 0), (0, 3), (5, 7)):
            tensors = [shifted(a, s) for a, s in zip(pair, starts)]
            (out,) = run_tensors(op.name, *tensors, *attributes)
            assert_same_bits(to_array(out), expected, f'{x_shape}, {starts}')


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients_of_every_case(rng, op, dtype):
    for name, x_shape, attributes in op.cases:
        pair = pair_of(rng, op, random_array, dtype, x_shape, attributes)
        out_grad = random_array(rng, x_shape, dtype)
        check_gradients(
            *(f'{op.name}_grad', *pair, out_grad, *attributes),
            out_grad=2,
            expected=reference_scatter_grad(op, out_grad, attributes),
            check=partial(assert_same_bits, message=name),
        )


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, op, dtype):
    for _, x_shape, attributes in op.cases:
        pair = pair_of(rng, op, random_numbers, dtype, x_shape, attributes)
        check_second_order(op.name, pair, *attributes, check=assert_same_bits)


@pytest.mark.parametrize(
    'x_shape, values_shape, attributes, message',
    [
        ((3, 4), (4,), (0, 3), r'\(OutOfRange\) \(select_scatter\) index'),
        ((3, 4), (4,), (2, 0), r'\(select_scatter\) axis must be in'),
        ((3, 4), (3,), (0, 0), r'\(select_scatter\) the shape of values'),
    ],
)
def test_bad_arguments_are_refused(x_shape, values_shape, attributes, message):
    x, values = np.zeros(x_shape), np.zeros(values_shape)
    with pytest.raises(KernelError, match=message):
        run('select_scatter', x, values, *attributes)
