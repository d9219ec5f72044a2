"""The operators of one case, as PyTorch spells them."""

import torch

VERSION = torch.__version__

_REDUCES = {'mul': 'prod', 'mean': 'mean', 'amax': 'amax', 'amin': 'amin'}


def setup(threads):
    """Use so many threads."""
    torch.set_num_threads(threads)


def describe():
    """What this side is."""
    return {'version': VERSION, 'native': [], 'path': torch.__file__}


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


def _scatter(t, attrs, suffix=''):
    index, updates, axis = t['index'], t['updates'], attrs['axis']
    reduce, include_self = attrs['reduce'], attrs['include_self']

    def named(x, name):
        return getattr(x, name + suffix)

    if reduce == 'assign':
        return lambda x: named(x, 'index_copy')(axis, index, updates)
    if reduce == 'sum' and include_self:
        return lambda x: named(x, 'index_add')(axis, index, updates)
    if reduce == 'sum':
        # the second step may work in place: the first made the copy
        return lambda x: named(x, 'index_fill')(axis, index, 0).index_add_(
            axis, index, updates
        )
    how = _REDUCES[reduce]
    return lambda x: named(x, 'index_reduce')(
        axis, index, updates, how, include_self=include_self
    )


def _fill_with_tensor(t, suffix):
    mask, value = t['mask'], t['value']
    if value.dim() == 0:
        return lambda x: getattr(x, 'masked_fill' + suffix)(mask, value)
    return lambda x: torch.where(mask, value, x)


def forward(op, t, attrs, suffix=''):
    """A function of x that runs the operator on the tensors `t`."""
    if op == 'masked_scatter':
        mask, value = t['mask'], t['value']
        return lambda x: getattr(x, 'masked_scatter' + suffix)(mask, value)
    if op == 'masked_fill_scalar':
        mask, value = t['mask'], attrs['value']
        return lambda x: getattr(x, 'masked_fill' + suffix)(mask, value)
    if op == 'masked_fill_tensor':
        return _fill_with_tensor(t, suffix)
    if op == 'select_scatter':
        values, axis, index = t['values'], attrs['axis'], attrs['index']
        return lambda x: torch.select_scatter(x, values, axis, index)
    if op == 'diagonal_scatter':
        y, options = t['y'], (attrs['offset'], attrs['axis1'], attrs['axis2'])
        return lambda x: torch.diagonal_scatter(x, y, *options)
    if op == 'scatter':
        return _scatter(t, attrs, suffix)
    if op == 'clone':
        return lambda x: x.clone()
    mask, y = t['mask'], t['y']
    return lambda x: torch.where(mask, x, y)


def inplace(op, t, attrs):
    """The same, into x."""
    return forward(op, t, attrs, '_')
