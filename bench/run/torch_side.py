"""The operators of one case, as PyTorch spells them."""

import torch

from bench.run import torch_ways

VERSION = torch.__version__

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
    return {'version': VERSION, 'native': [], 'path': torch.__file__}


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


def clone(tensor):
    """A fresh copy."""
    return tensor.clone()


def to_numpy(tensor):
    """A numpy array; bfloat16 becomes float32."""
    tensor = tensor.detach()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    return tensor.numpy()


def data_bytes(tensor):
    """Bytes of a tensor's elements."""
    return tensor.numel() * tensor.element_size()


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


def _only(op, t, attrs):
    if op == 'select_scatter':
        values, axis, index = t['values'], attrs['axis'], attrs['index']
        return lambda x: torch.select_scatter(x, values, axis, index)
    if op == 'diagonal_scatter':
        y, options = t['y'], (attrs['offset'], attrs['axis1'], attrs['axis2'])
        return lambda x: torch.diagonal_scatter(x, y, *options)
    if op == 'clone':
        return lambda x: x.clone()
    mask, y = t['mask'], t['y']
    return lambda x: torch.where(mask, x, y)


def ways(op, t, attrs, inplace=False):
    """{name: a function of x that runs the operator on the tensors `t`}"""
    if op in SEVERAL_WAYS:
        return SEVERAL_WAYS[op](t, attrs, '_' if inplace else '')
    return {op: _only(op, t, attrs)}
