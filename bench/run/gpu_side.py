"""Cases on a GPU: our kernels, called without Paddle on PyTorch's tensors."""

from functools import cache
from time import perf_counter

import torch
from gpu_tests import ops

from bench.run import inputs, torch_side
from bench.run.cases import BACKWARD, IN_PLACE

setup = torch_side.setup
load = torch_side.load
compute_grads = torch_side.compute_grads
stop_spinning = torch_side.stop_spinning


class Operator(torch.autograd.Function):
    """Functions that launch a kernel and that of its gradients."""

    @staticmethod
    def forward(ctx, compute, compute_grads, *_leaves):
        ctx.compute_grads = compute_grads
        return compute().detach()

    @staticmethod
    def backward(ctx, _out_grad):
        return None, None, *ctx.compute_grads()


def clock():
    """Return the seconds when the GPU has finished its work."""
    ops.context().synchronize()
    return perf_counter()


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

    if case.mode != BACKWARD:
        return {op: compute}
    x, out_grad = tensors['x'], tensors['out_grad']
    operands = [x, *filter(torch.is_tensor, arguments)]
    attributes = arguments[len(operands) - 1 :]
    saved = [compute(x)] if op == 'index_reduce' else []
    grads, call = ops.prepare(
        f'{op}_grad', *operands, *saved, out_grad, *attributes
    )
    leaves = x, operands[-1]
    return {
        op: lambda x: Operator.apply(
            lambda: compute(x), lambda: call() or grads, *leaves
        )
    }
