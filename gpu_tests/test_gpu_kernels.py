"""Random calls: results, gradients and in-place calls."""

import numpy as np
import pytest
from fuzz import reference
from fuzz.arrays import (
    ALL_DTYPES,
    GRAD_DTYPES,
    assert_same_bits,
    draw_array,
)
from fuzz.reference import RTOL

from gpu_tests import ops
from gpu_tests.arrays import (
    check_second_order,
    gradient_arguments,
    gradients,
    run,
    run_in_place,
)
from gpu_tests.cases import APIS, draw_calls, draw_long_calls

EACH_API = pytest.mark.parametrize('api', APIS)
# One dtype for each element size.
DTYPE_OF_SIZE = ('int8', 'int16', 'float32', 'float64', 'complex128')


def check(actual, expected, call):
    is_exact = reference.tolerance(call.case) is None
    # Others may be accumulated in another order.
    rtol = None if is_exact else RTOL.get(call.case.dtype, 0)
    assert_same_bits(actual, expected, f'{call.op}{call.attributes}', rtol)


def check_value(call):
    (out,) = run(call.op, *call.arrays, *call.attributes)
    check(out, reference.results(call.case)['result'], call)
    if out.shape == call.arrays[0].shape:
        actual = run_in_place(call.op, *call.arrays, *call.attributes)
        assert_same_bits(actual, out, f'{call.op}{call.attributes}, in place')


def check_gradients(call, compute=run):
    grads = compute(f'{call.op}_grad', *gradient_arguments(call))
    _, *expected = reference.results(call.case).values()
    for grad, right in zip(grads, expected):
        check(grad, right, call)


@EACH_API
@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_values(api, dtype):
    for call in draw_calls(api, dtype):
        check_value(call)


@EACH_API
@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_values_of_large_operands(api, dtype):
    for call in draw_long_calls(api, dtype):
        check_value(call)


@EACH_API
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients(api, dtype):
    for call in draw_calls(api, dtype, differentiable=True):
        check_gradients(call, gradients)


@EACH_API
def test_gradients_of_large_operands(api):
    for call in draw_long_calls(api, 'float64', differentiable=True):
        check_gradients(call)


@EACH_API
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(api, dtype):
    for call in draw_calls(api, dtype, 10):
        if call.op != 'index_reduce':
            check_second_order(call.op, call.arrays, *call.attributes)


def test_kernels_are_registered_for_every_dtype():
    fewer = {
        # The dtypes of Paddle's scatter_grad on a GPU.
        ops.DOUBLE_GRAD: ALL_DTYPES[4:10],
        'index_reduce_grad': GRAD_DTYPES,
    }
    names = {entry.kernel for entry in ops.entries().values()}
    expected = {f'{k} {d}' for k in names for d in fewer.get(k, ALL_DTYPES)}
    assert {name for name in dir(ops.library()) if ' ' in name} == expected


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('shape', [(5,), (5, 1)])
def test_second_order_of_scatter_accumulates_updates(dtype, shape):
    rng = np.random.default_rng(21)
    index = np.array([4, 1, 4, 0, 4]).reshape(shape)
    x, updates = (draw_array(rng, (n, 3), dtype, 'finite') for n in (6, 5))
    operands, attributes = (x, index, updates), (0, 'sum', False)
    check_second_order('index_scatter', operands, *attributes, of_scatter=True)


def test_second_order_of_scatter_checks_updates():
    x, index = np.ones((4, 3), 'float32'), np.array([0, 1])
    with pytest.raises(RuntimeError, match='The shape of updates should be'):
        run(ops.DOUBLE_GRAD, index, x[:2, :2], x, x, x[:2, :2], True)
    for x_grad in (x, None):  # without elements, any shape is accepted
        operands = index, x[:2, :0], x, x_grad, None
        (actual,) = run(ops.DOUBLE_GRAD, *operands, True)
        assert_same_bits(actual, 0 * x if x_grad is None else x)


@pytest.mark.parametrize(
    ('x', 'updates', 'reduce', 'x_grad', 'updates_grad'),
    [
        (1e200, [1e200, 2e-200], 'mul', 2.0, [2.0, np.inf]),
        (2.0, [np.inf, 4.0], 'mul', np.inf, [8.0, np.inf]),
        (np.nan, [np.nan, 1.0], 'amax', 0.5, [0.5, 0.0]),
    ],
)
def test_nonfinite_gradients(x, updates, reduce, x_grad, updates_grad):
    arrays = np.array([x]), np.zeros(2, 'int64'), np.array(updates)
    attributes = 0, reduce, True
    out = run('index_reduce', *arrays, *attributes)
    arguments = *arrays, *out, np.ones(1), *attributes
    grads = gradients('index_reduce_grad', *arguments)
    np.testing.assert_allclose(grads[0], [x_grad], 1e-12)
    np.testing.assert_allclose(grads[1], updates_grad, 1e-12)
