"""The operators of one case, as PyTorch spells them."""

import torch

from bench.run import torch_ways
from bench.run.inputs import same_call

SEVERAL_WAYS = {
    'masked_scatter': torch_ways.masked_scatters,
    'masked_fill': torch_ways.fills,
    'scatter': torch_ways.scatters,
}


def setup(threads):
    """Use so many threads."""
    torch.set_num_threads(threads)


def describe():
    """What this side is."""
    return {'version': torch.__version__, 'native': [], 'path': torch.__file__}


def quiet():
    """Nothing to do: torch's idle threads sleep at once."""


def load(array, dtype):
    """A tensor of its own memory from a numpy array."""
    # clone: numpy asks for huge pages, torch does not; both Paddle sides copy
    # into memory of their own allocator too.
    tensor = torch.from_numpy(array).clone()
    return tensor.to(torch.bfloat16) if dtype == 'bfloat16' else tensor


def require_grad(tensor):
    """Let gradients flow to a leaf."""
    tensor.requires_grad_(True)


def to_numpy(tensor):
    """A numpy array; bfloat16 becomes float32."""
    tensor = tensor.detach()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    return tensor.numpy()


def gradients(out, inputs, out_grad):
    """The gradients of `inputs`."""
    return torch.autograd.grad(out, inputs, out_grad)


def step(out, inputs, weight):
    """The gradients that backward() of the sum of `out` leaves at `inputs`."""
    for leaf in inputs:
        leaf.grad = None
    loss = out if weight is None else out * weight
    loss.sum().backward()
    return [leaf.grad for leaf in inputs]


def ways(op, t, attrs, inplace=False):
    """{name: a function of x that runs the operator on the tensors `t`}"""
    if op in SEVERAL_WAYS:
        return SEVERAL_WAYS[op](t, attrs, '_' if inplace else '')
    return {op: same_call(torch, op, t, attrs)}
