"""Measure the GPU kernels against PyTorch on one GPU.

Prints the tables of docs/benchmark.md: for each case and its gradients, the
milliseconds of a call and PyTorch's time divided by them, medians of rounds of
10 calls in which both sides alternate. Results are compared with PyTorch's
first.
"""

import argparse
import itertools
import statistics

import torch
from gpu_tests import ops

DEVICE = 'cuda'
ROUNDS = 5
CALLS = 10  # per round
# Their names in torch.Tensor.index_reduce. A sum uses index_add.
REDUCES = {'mean': 'mean', 'mul': 'prod', 'amax': 'amax'}
COLUMNS = ('ours, ms', 'PyTorch', 'gradients, ms', 'PyTorch')


def normal(*shape, dtype='float32'):
    return torch.randn(shape, device=DEVICE, dtype=getattr(torch, dtype))


def masked_cases():
    """Yield (cells, kernel, its arguments, PyTorch's function) of each case."""
    for dtype, shape, density in (
        ('float32', (4096, 4096), 0.5),
        ('float32', (4096, 4096), 0.01),
        ('float32', (4096, 1), 0.5),
        ('bfloat16', (4096, 4096), 0.5),
    ):
        x = normal(4096, 4096, dtype=dtype)
        mask = torch.rand(shape, device=DEVICE) < density
        values = normal(int(mask.expand(x.shape).sum()), dtype=dtype)
        prefix = '' if dtype == 'float32' else f'{dtype} '
        name = f'masked_scatter, {prefix}4096x4096, {density:.0%}'
        if shape[1] == 1:
            name += ', broadcast mask'
        function = torch.Tensor.masked_scatter
        yield [name], 'masked_scatter', (x, mask, values), function


def view_cases():
    for axis in (0, 1):
        arguments = normal(4096, 4096), normal(4096), axis, 5
        name = f'select_scatter, 4096x4096, axis {axis}'
        yield [name], 'select_scatter', arguments, torch.select_scatter
    arguments = normal(256, 2, 256, 256), normal(256, 256, 256), 1, 1
    name = 'select_scatter, 256x2x256x256, axis 1'
    yield [name], 'select_scatter', arguments, torch.select_scatter
    arguments = normal(4096, 4096), normal(4096), 0, 0, 1
    name = 'diagonal_scatter, 4096x4096'
    yield [name], 'diagonal_scatter', arguments, torch.diagonal_scatter


def index_function(reduce):
    """Return a function of PyTorch with the arguments of index_scatter."""

    def function(x, index, updates, axis, *_):
        if reduce == 'assign':
            return x.index_copy(axis, index, updates)
        if reduce == 'sum':
            return x.index_add(axis, index, updates)
        return x.index_reduce(axis, index, updates, REDUCES[reduce])

    return function


def index_cases():
    for shape, axis, length in (
        ((65536, 256), 0, 65536),
        ((4096, 4096), 1, 4096),
        ((1 << 22,), 0, 1 << 22),
        ((16, 64), 0, 1 << 16),
    ):
        x, size = normal(*shape) + 2, shape[axis]
        updates = normal(*shape[:axis], length, *shape[axis + 1 :])
        index = torch.randint(size, (length,), device=DEVICE)
        for reduce in ('assign', 'sum', *REDUCES):
            entries = index
            if reduce == 'assign':
                if length > size:
                    continue
                # PyTorch requires unique entries.
                entries = torch.randperm(size, device=DEVICE)[:length]
            cells = [reduce, 'x'.join(map(str, shape)), axis, length]
            is_linear = reduce in ('assign', 'sum', 'mean')
            kernel = 'index_scatter' if is_linear else 'index_reduce'
            arguments = x, entries, updates / 1000 + 1, axis, reduce, True
            yield cells, kernel, arguments, index_function(reduce)


def time_calls(call):
    """Return the milliseconds of a call on the GPU."""
    call()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / CALLS


def compare(ours, theirs):
    """Return our time and the ratio as cells; both calls return Tensors."""
    for actual, expected in zip(ours(), theirs()):
        torch.testing.assert_close(actual, expected, rtol=1e-2, atol=1e-2)
    times = [
        [time_calls(call) for call in (ours, theirs)] for _ in range(ROUNDS)
    ]
    own, other = (statistics.median(column) for column in zip(*times))
    return [f'{own:.3f}', f'{other / own:.2f}x']


def prepare(kernel, *arguments):
    """Return a function that calls a kernel and returns its outputs."""
    outs, call = ops.prepare(kernel, *arguments)
    return lambda: call() or outs


def measure(kernel, arguments, function):
    """Return the cells of the forward and the gradient kernel of a case."""
    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    attributes = arguments[len(tensors) :]
    forward = compare(
        prepare(kernel, *arguments), lambda: [function(*arguments)]
    )
    leaves = [tensors[0].requires_grad_(), tensors[-1].requires_grad_()]
    out = function(*arguments)
    out_grad = torch.randn_like(out)
    between = [out.detach()] if kernel == 'index_reduce' else []
    return forward + compare(
        prepare(f'{kernel}_grad', *tensors, *between, out_grad, *attributes),
        lambda: torch.autograd.grad(out, leaves, out_grad, retain_graph=True),
    )


def print_row(*cells):
    print(f'|{"|".join(map(str, cells))}|', flush=True)


def print_tables(text):
    """Measure the cases whose cells contain a text; print their tables."""
    for titles, *tables in (
        (['call'], masked_cases, view_cases),
        (['reduce', 'x', 'axis', 'entries'], index_cases),
    ):
        print()
        print_row(*titles, *COLUMNS)
        print_row('---', *['---:'] * len([*titles, *COLUMNS][1:]))
        for cells, *case in itertools.chain(*(cases() for cases in tables)):
            if text in '|'.join(map(str, cells)):
                print_row(*cells, *measure(*case))


def main():
    parser = argparse.ArgumentParser('python -m bench.gpu', description=__doc__)
    parser.add_argument('--filter', default='', help='part of a row')
    options = parser.parse_args()
    print(f'{torch.cuda.get_device_name()}; PyTorch {torch.__version__}')
    print_tables(options.filter)


if __name__ == '__main__':
    main()
