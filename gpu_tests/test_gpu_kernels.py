"""Every call of the tables: values, gradients, bits that repeat."""

import numpy as np
import pytest
from fuzz.guard import guarded_copy
from scatter_test_utils import ALL_DTYPES, GRAD_DTYPES, assert_same_bits

from gpu_tests import ops
from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    arguments_on_device,
    assert_close,
    check_second_order,
    gradient_arguments,
    gradients,
    run,
    run_in_place,
    to_array,
)
from gpu_tests.cases import LONG_TABLES, TABLES
from gpu_tests.ops import torch

FAMILIES = pytest.mark.parametrize('family', TABLES)
# A table of one dtype, where others would say the same.
SAMPLE = 'float32'


def check(found, expected, dtype, rtol, message):
    if rtol:
        assert_close(found, expected, dtype, rtol, message)
    else:
        assert_same_bits(found, expected, message)


def check_value(call, dtype):
    (out,) = run(call.op, *call.arrays, *call.attributes)
    check(out, call.expected, dtype, call.rtol, call.name)
    if call.expected.shape == call.arrays[0].shape:
        found = run_in_place(call.op, *call.arrays, *call.attributes)
        assert_same_bits(found, out, f'{call.name}, in place')


@FAMILIES
@pytest.mark.parametrize('dtype', ALL_DTYPES)
def test_values(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        check_value(call, dtype)


@pytest.mark.parametrize('family', LONG_TABLES)
@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_values_of_many_elements(rng, family, dtype):
    for call in LONG_TABLES[family](rng, dtype):
        check_value(call, dtype)


def grad_arguments(call):
    return gradient_arguments(
        call.op, call.arrays, call.out_grad, call.attributes
    )


@FAMILIES
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        found = gradients(f'{call.op}_grad', *grad_arguments(call))
        for grad, right in zip(found, call.grads):
            assert_close(grad, right, dtype, call.grad_rtol, call.name)


def test_gradients_of_many_elements(rng):
    for call in LONG_TABLES['masked'](rng, 'float64'):
        found = run(f'{call.op}_grad', *grad_arguments(call))
        for grad, right in zip(found, call.grads):
            scale = max(1, np.abs(right).max(initial=0))
            assert_close(grad, right, 'float64', 1e-13, call.name, scale)


@FAMILIES
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        if call.op != 'index_reduce':
            check_second_order(call.op, call.arrays, *call.attributes)


def calls(rng, family):
    """(kernel, arguments) of every call and its gradient."""
    for call in TABLES[family](rng, SAMPLE):
        yield call.op, (*call.arrays, *call.attributes)
        out_grad = np.ones(call.expected.shape, SAMPLE)
        yield (
            f'{call.op}_grad',
            gradient_arguments(call.op, call.arrays, out_grad, call.attributes),
        )


def bits(outputs):
    return [to_array(out).tobytes() for out in outputs]


@FAMILIES
def test_outputs_that_come_with_other_dims(rng, family):
    """As programs of the old IR have them: the kernels size them."""
    for kernel, arguments in calls(rng, family):
        if not kernel.endswith('_grad'):
            continue
        tensors = arguments_on_device(arguments)
        want = [to_array(out) for out in ops.run(kernel, *tensors)]
        given = [ops.poisoned((w.size + 81,), tensors[0]) for w in want]
        untouched = [to_array(out).copy() for out in given]
        ops.run(kernel, *tensors, out=given)
        for out, right, old in zip(given, want, untouched):
            found, size = to_array(out), right.size
            assert_same_bits(found[:size], right.reshape(-1), kernel)
            assert_same_bits(found[size:], old[size:], kernel)


@pytest.mark.skipif(
    not ops.emulated(), reason='a GPU has no such pages: use --emulate'
)
@FAMILIES
def test_nothing_is_read_behind_the_operands(rng, family):
    for kernel, arguments in calls(rng, family):
        tensors = [
            torch.from_numpy(guarded_copy(a, 'end'))
            if isinstance(a, np.ndarray)
            else a
            for a in arguments
        ]
        found = ops.run(kernel, *tensors)
        want = ops.run(kernel, *arguments_on_device(arguments))
        assert bits(found) == bits(want), kernel
