"""Cases on a GPU: our kernels, called without Paddle on PyTorch's tensors."""

from functools import cache

import torch
from gpu_tests import ops

from bench.run import inputs
from bench.run.cases import BACKWARD, IN_PLACE
from bench.run.torch_side import clock, load, setup, stop_spinning  # noqa: F401


def compute_grads(out, *_):
    """Launch the gradient kernel of the function that returned out."""
    return out.compute_grads()


def make_candidates(case, tensors):
    """Return {name: function of x that computes the case}."""
    op, arguments = case.op, inputs.list_arguments(case, tensors)
    if op == 'scatter':
        is_linear = case.reduce in ('assign', 'sum', 'mean')
        op = 'index_scatter' if is_linear else 'index_reduce'
        arguments += case.axis, case.reduce, case.include_self

    @cache  # Python would take longer than some kernels
    def prepare(x):
        outs = [x] if case.mode == IN_PLACE else None
        return ops.prepare(op, x, *arguments, out=outs)

    def compute(x):
        (out,), call = prepare(x)
        call()
        return out

    if case.mode == BACKWARD:
        out = compute(tensors['x'])
        operands = [tensors['x'], *filter(torch.is_tensor, arguments)]
        attributes = arguments[len(operands) - 1 :]
        operands += [out] * (op == 'index_reduce') + [tensors['out_grad']]
        grads, call = ops.prepare(f'{op}_grad', *operands, *attributes)
        out.compute_grads = lambda: call() or grads
    return {op: compute}
