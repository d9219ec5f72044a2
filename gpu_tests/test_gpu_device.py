"""Calls that require a GPU: CUDA graphs, and more than 2^32 elements."""

import pytest

from gpu_tests import ops

torch = ops.torch
pytestmark = pytest.mark.skipif(
    ops.is_emulated(), reason='CUDA graphs and 2^32 elements need a GPU'
)
CHUNK = 1 << 28


def operands():
    """Return x, the mask, values, an index, updates and out_grad."""
    tensors = [torch.randn(1000, 300, device='cuda') for _ in range(3)]
    x, updates, out_grad = tensors
    mask = torch.rand_like(x) < 0.5
    index = torch.randint(1000, (1000,), device='cuda')
    return x, mask, torch.randn_like(x), index, updates, out_grad


def calls(x, mask, values, index, updates, out_grad):
    return {
        'masked_scatter': (x, mask, values),
        'masked_scatter_grad': (x[0].clone(), mask, values, out_grad),
        'select_scatter': (x, values[0].clone(), 0, 3),
        'select_scatter_grad': (x, values[0].clone(), out_grad, 0, 3),
        'diagonal_scatter': (x, values[0].clone(), 0, 0, 1),
        'index_scatter': (x, index, updates, 0, 'mean', True),
        'index_scatter_grad': (x, index, updates, out_grad, 0, 'mean', True),
        'index_reduce': (x, index, updates, 0, 'mul', True),
        'index_reduce_grad': (x, index, updates, x, out_grad, 0, 'amax', True),
    }


@pytest.mark.parametrize('name', calls(*[torch.zeros(1, 1)] * 6))
def test_replayed_graph_equals_call(name):
    tensors = operands()
    arguments = calls(*tensors)[name]
    outs, call = ops.prepare(name, *arguments)
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    for tensor, other in zip(tensors, operands()):
        tensor.copy_(other)
    graph.replay()
    for out, expected in zip(outs, ops.run(name, *arguments)):
        assert torch.equal(out, expected)


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
