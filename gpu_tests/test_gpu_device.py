"""Calls that require a GPU: CUDA graphs, and more than 2^32 elements."""

import pytest
from fuzz.arrays import assert_same_bits

from gpu_tests import ops
from gpu_tests.arrays import gradient_arguments, move_to_device, to_array
from gpu_tests.cases import APIS, draw_long_calls

torch = ops.torch
pytestmark = pytest.mark.skipif(
    ops.is_emulated(), reason='CUDA graphs and 2^32 elements need a GPU'
)
CHUNK = 1 << 28


@pytest.mark.parametrize('api', APIS)
def test_replayed_graph_equals_call(api):
    calls = {call.op: call for call in draw_long_calls(api, 'float32')}
    for op, call in calls.items():
        check_graph(op, (*call.arrays, *call.attributes))
        check_graph(f'{op}_grad', gradient_arguments(call))


def check_graph(kernel, arguments):
    arguments = move_to_device(arguments)
    outs, call = ops.prepare(kernel, *arguments)
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    for tensor in filter(torch.is_tensor, arguments):
        tensor.copy_(tensor.flip(0))
    graph.replay()
    for out, expected in zip(outs, ops.run(kernel, *arguments)):
        assert_same_bits(to_array(out), to_array(expected), kernel)


def random_bytes(*shape):
    memory = torch.cuda.get_device_properties(0).total_memory
    if memory < 40 << 30:
        pytest.skip(f'requires 40 GiB, the GPU has {memory >> 30}')
    return torch.randint(100, shape, dtype=torch.int8, device='cuda')


def test_masked_scatter_of_more_than_2_to_the_32_elements():
    numel = (1 << 32) + 12345
    x, mask = random_bytes(numel), random_bytes(numel) < 50
    values = random_bytes(sum(int(m.sum()) for m in mask.split(CHUNK)))
    (out,) = ops.run('masked_scatter', x, mask, values)
    x_grad, values_grad = ops.run('masked_scatter_grad', x, mask, values, out)
    assert torch.equal(values_grad, values)
    begin = 0
    for i, selected in enumerate(mask.split(CHUNK)):
        at = slice(i * CHUNK, i * CHUNK + len(selected))
        end = begin + int(selected.sum())
        assert torch.equal(out[at][selected], values[begin:end])
        kept = x[at].masked_fill(selected, 0)
        assert torch.equal(out[at].masked_fill(selected, 0), kept)
        assert torch.equal(x_grad[at], kept)
        begin = end


@pytest.mark.parametrize('axis', [0, 1])
def test_sum_into_more_than_2_to_the_32_elements(axis):
    size = 66000
    x, updates = random_bytes(size, size), random_bytes(size, size)
    index = torch.randint(size, (size,), device='cuda')
    (out,) = ops.run('index_scatter', x, index, updates, axis, 'sum', True)
    parts = (tensor.split(6000, 1 - axis) for tensor in (x, updates, out))
    for part, part_of_updates, actual in zip(*parts):
        expected = part.index_add(axis, index, part_of_updates)
        assert torch.equal(actual, expected)
