"""Every call of the tables: values, gradients, bits that repeat, streams."""

import numpy as np
import pytest
from fuzz.guard import guarded_copy
from scatter_test_utils import ALL_DTYPES, GRAD_DTYPES, assert_same_bits

from gpu_tests import device, ops
from gpu_tests.arrays import (
    DTYPE_OF_SIZE,
    arguments_on_device,
    assert_close,
    check_gradients,
    check_second_order,
    run,
    run_in_place,
    shifted,
    to_array,
)
from gpu_tests.cases import LONG_TABLES, TABLES
from gpu_tests.device import torch

FAMILIES = pytest.mark.parametrize('family', TABLES)
# A table of one dtype, where others would say the same.
SAMPLE = 'float32'
RUNS = 3 if device.emulated() else 20


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


@FAMILIES
@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_values_of_many_elements(rng, family, dtype):
    for call in LONG_TABLES[family](rng, dtype):
        check_value(call, dtype)


@FAMILIES
@pytest.mark.parametrize('dtype', DTYPE_OF_SIZE)
def test_unaligned_starts(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        for starts in ((1, 0, 0), (0, 3, 0), (5, 1, 7)):
            tensors = [shifted(a, s) for a, s in zip(call.arrays, starts)]
            (out,) = ops.run(call.op, *tensors, *call.attributes)
            found = to_array(out)
            check(found, call.expected, dtype, call.rtol, call.name)


def grad_arguments(call):
    return *call.arrays, call.out_grad, *call.attributes


@pytest.mark.parametrize('family', ['masked', 'view'])
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_gradients(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        check_gradients(
            *(f'{call.op}_grad', *grad_arguments(call)),
            out_grad=len(call.arrays),
            expected=call.grads,
            check=lambda found, right, call=call: check(
                found, right, dtype, call.grad_rtol, call.name
            ),
        )


@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_linear_gradients_by_index(rng, dtype):
    for call in TABLES['index'](rng, dtype):
        if call.grads is None:
            continue  # mul, amax, amin: test_gpu_index_gradients
        found = run(f'{call.op}_grad', *grad_arguments(call))
        for grad, right in zip(found, call.grads):
            assert_close(grad, right, dtype, call.grad_rtol, call.name)


@pytest.mark.parametrize('family', ['masked', 'view'])
def test_gradients_of_many_elements(rng, family):
    for call in LONG_TABLES[family](rng, 'float64'):
        found = run(f'{call.op}_grad', *grad_arguments(call))
        for grad, right in zip(found, call.grads):
            scale = max(1, np.abs(right).max(initial=0))
            assert_close(grad, right, 'float64', 1e-13, call.name, scale)


@FAMILIES
@pytest.mark.parametrize('dtype', GRAD_DTYPES)
def test_second_order_with_and_without_each_gradient(rng, family, dtype):
    for call in TABLES[family](rng, dtype):
        if call.op != 'index_reduce':
            check_second_order(
                *(call.op, call.arrays, *call.attributes),
                check=assert_same_bits,
            )


def calls(rng, family, table=TABLES):
    """(kernel, arguments) of every call and its gradient."""
    for call in table[family](rng, SAMPLE):
        yield call.op, (*call.arrays, *call.attributes)
        out_grad = np.ones(call.expected.shape, SAMPLE)
        arguments = *call.arrays, out_grad, *call.attributes
        yield f'{call.op}_grad', arguments


def bits(outputs):
    return [to_array(out).tobytes() for out in outputs]


@FAMILIES
def test_runs_repeat(rng, family):
    table = TABLES if device.emulated() else LONG_TABLES
    for kernel, arguments in calls(rng, family, table):
        tensors = arguments_on_device(arguments)
        first = bits(ops.run(kernel, *tensors))
        for _ in range(RUNS - 1):
            assert bits(ops.run(kernel, *tensors)) == first, kernel


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
    not device.emulated(), reason='a GPU has no such pages: use --emulate'
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


@pytest.mark.real_gpu
@FAMILIES
def test_work_goes_to_the_stream_of_the_caller(rng, family):
    stream = torch.cuda.Stream()
    for kernel, arguments in calls(rng, family):
        tensors = arguments_on_device(arguments)
        first = tensors[0].clone()
        want = bits(ops.run(kernel, *tensors))
        tensors[0].zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2_000_000)
            tensors[0].copy_(first)  # seen by who waits for this stream's work
            found = ops.run(kernel, *tensors)
        stream.synchronize()
        assert bits(found) == want, kernel


@pytest.mark.real_gpu
@FAMILIES
def test_graph_replays_without_the_host(rng, family):
    for kernel, arguments in calls(rng, family):
        if kernel == 'masked_scatter':
            value = arguments[2]
            if value.size < arguments[1].size * arguments[0].size:
                continue  # the host counts the Trues
        tensors = arguments_on_device(arguments)
        want = bits(ops.run(kernel, *tensors))
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = ops.run(kernel, *tensors)
        for out in outputs:
            out.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert bits(outputs) == want, kernel
