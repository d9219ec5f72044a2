"""Kernels on streams of the caller, and in a CUDA graph."""

import numpy as np
import pytest
from masked_scatter_cases import reference_masked_scatter
from scatter_test_utils import assert_same_bits, random_array, random_mask

from gpu_tests.arrays import arguments_on_device, on_device, to_array
from gpu_tests.ops import index_op, run

torch = pytest.importorskip('torch')
pytestmark = pytest.mark.real_gpu
SIZE = (1 << 20) + 3


def calls(rng):
    """Yields (kernel, arguments) with every operator."""
    x, value = (
        # whole numbers, so that sums do not depend on their order
        rng.integers(-1000, 1000, (1000, 999)).astype('float64')
        for _ in range(2)
    )
    mask = random_mask(rng, (1000, 999))
    index = rng.integers(-1000, 1000, 500)
    yield 'masked_scatter', (x, mask, value)
    yield 'masked_scatter_grad', (x, mask, value, x)
    yield 'select_scatter', (x, value[0], 0, 3)
    yield 'select_scatter_grad', (x, value[0], x, 0, 3)
    yield 'diagonal_scatter', (x, value[0], 0, 0, 1)
    yield 'diagonal_scatter_grad', (x, value[0], x, 0, 0, 1)
    for reduce in ('assign', 'sum', 'mean', 'amax'):
        op, attrs = index_op(reduce), (0, reduce, True)
        yield op, (x, index, value[:500], *attrs)
        yield f'{op}_grad', (x, index, value[:500], x, *attrs)


def bits(outputs):
    return [to_array(out).tobytes() for out in outputs]


def test_work_goes_to_the_stream_of_the_caller(rng):
    x, value = (random_array(rng, (SIZE,), 'float32') for _ in range(2))
    mask = random_mask(rng, (SIZE,))
    tensors = [on_device(a) for a in (x, mask, value)]
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        # Only seen if the kernel waits for its own stream's work.
        tensors[0].fill_(3)
        (out,) = run('masked_scatter', *tensors)
    stream.synchronize()
    expected = reference_masked_scatter(np.full_like(x, 3), mask, value)
    assert_same_bits(to_array(out), expected)


def test_host_does_not_wait(rng):
    for kernel, arguments in calls(rng):
        tensors = arguments_on_device(arguments)
        run(kernel, *tensors)  # whatever is loaded late is loaded now
        torch.cuda.synchronize()
        torch.cuda._sleep(200_000_000)
        busy = torch.cuda.Event()
        busy.record()
        run(kernel, *tensors)
        assert not busy.query(), f'{kernel} waited for the device'
        torch.cuda.synchronize()


def test_graph_replays_every_operator(rng):
    for kernel, arguments in calls(rng):
        tensors = arguments_on_device(arguments)
        expected = bits(run(kernel, *tensors))
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = run(kernel, *tensors)
        for _ in range(2):
            for out in outputs:
                out.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert bits(outputs) == expected, kernel


def test_graph_sees_new_data(rng):
    x, value = (
        on_device(random_array(rng, (SIZE,), 'float32')) for _ in range(2)
    )
    mask = on_device(random_mask(rng, (SIZE,)))
    graph = torch.cuda.CUDAGraph()
    run('masked_scatter', x, mask, value)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        (out,) = run('masked_scatter', x, mask, value)
    value.fill_(-1)
    mask.logical_not_()
    graph.replay()
    torch.cuda.synchronize()
    expected = reference_masked_scatter(*map(to_array, (x, mask, value)))
    assert_same_bits(to_array(out), expected)
