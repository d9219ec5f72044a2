"""The operators on PyTorch tensors: arguments as in the YAML, results fresh."""

from functools import cache

from gpu_tests import device
from gpu_tests.build import ROOT
from gpu_tests.device import torch
from gpu_tests.library import ShapeOnly, dtype_name
from scripts.op_rules.schema import load_dir

# What outputs hold before a call: a wrong number in every dtype.
POISON = 0xCD


@cache
def entries():
    """{name: entry} of every kernel."""
    files = load_dir(ROOT / 'ops_yaml')
    return {entry.name: entry for file in files for entry in file.entries}


def index_op(reduce):
    """The operator that has a reduction by an index."""
    linear = ('assign', 'sum', 'mean')
    return 'index_scatter' if reduce in linear else 'index_reduce'


def output_shapes(entry, tensors):
    """What the InferMeta functions say."""
    if entry.is_backward:
        return [tuple(tensors[n].shape) for n in entry.infer_meta_param]
    shape = tuple(tensors['x'].shape)
    if 'mask' in tensors:
        shape = torch.broadcast_shapes(shape, tuple(tensors['mask'].shape))
    return [shape]


def poisoned(shape, like):
    """An output in which every byte that is not written shows."""
    out = torch.empty(shape, dtype=like.dtype, device=like.device)
    if out.numel():
        out.view(-1).view(torch.uint8).fill_(POISON)
    return out


def prepare(name, *arguments, wanted=None, out=None, make=poisoned):
    """(a function without arguments that runs a kernel, its outputs).

    `arguments` are in the order of the YAML entry. Outputs that are not
    `wanted` are None. `out` names the outputs to write to, such as x itself.
    Operands whose data the entry does not need come without it.
    """
    entry = entries()[name]
    count = len(entry.tensors)
    tensors = dict(zip((t.name for t in entry.tensors), arguments))
    like = tensors[entry.data_type]
    if out is None:
        wanted = wanted or [True] * len(entry.outputs)
        shapes = output_shapes(entry, tensors)
        out = [make(s, like) if w else None for s, w in zip(shapes, wanted)]
    inputs = [
        ShapeOnly(tensors[t.name]) if t.no_need_buffer else tensors[t.name]
        for t in entry.tensors
    ]
    call = device.library().prepare(
        entry.kernel,
        dtype_name(like),
        inputs,
        list(arguments[count:]),
        out,
        device.stream(),
        device.multiprocessors(),
    )
    return call, out


def run(name, *arguments, **options):
    """Runs a kernel; a list of its outputs. Arguments as for `prepare`."""
    call, out = prepare(name, *arguments, **options)
    call()
    return out
