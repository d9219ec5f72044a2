"""The operators on PyTorch tensors, with the arguments of their YAML entries.

They run on PyTorch's GPU, or in an emulation on the CPU.
"""

import importlib
import os
import shutil
import sys
from functools import cache

import torch

from gpu_tests import build, emulate
from gpu_tests.build import ROOT
from scripts.op_rules.schema import load_dir

# An environment variable, so that child processes inherit it.
EMULATE = 'SCATTER_OPS_EMULATE'
# The only GPU kernel of Paddle's own scatter in kernels/.
DOUBLE_GRAD = 'scatter_double_grad'
# Every byte of an output before a call: a wrong value in every dtype.
POISON = 0xCD


def is_emulated():
    """Return whether kernels run in the emulation."""
    return os.environ.get(EMULATE) == '1'


@cache
def library():
    """Load the module of the kernels; build it first if possible."""
    maker = emulate if is_emulated() else build
    if is_emulated() or shutil.which('nvcc'):
        maker.make()
    sys.path.insert(0, str(maker.library_path().parent))
    return importlib.import_module('scatter_ops_gpu')


@cache
def entries():
    """Return {name: YAML entry} of every operator and gradient."""
    base = load_dir(ROOT / 'native/kernels/base_ops')
    return load_dir(ROOT / 'ops_yaml') | {DOUBLE_GRAD: base[DOUBLE_GRAD]}


def output_shapes(entry, tensors):
    """Return the shapes of the outputs, as InferMeta infers them."""
    if entry.is_backward:
        return [tuple(tensors[n].shape) for n in entry.infer_meta.param]
    shape = tuple(tensors['x'].shape)
    if 'mask' in tensors:
        shape = torch.broadcast_shapes(shape, tuple(tensors['mask'].shape))
    return [shape]


def poison(shape, like):
    """Allocate an output whose bytes are all POISON."""
    out = torch.empty(shape, dtype=like.dtype, device=like.device)
    if out.numel():
        out.view(-1).view(torch.uint8).fill_(POISON)
    return out


def dtype_name(tensor):
    """Return the name of a tensor's dtype, such as 'float32'."""
    return str(tensor.dtype).rpartition('.')[2]


def describe(tensor, has_data=True):
    """Convert a tensor for the library; return None for None."""
    if tensor is None:
        return None
    assert tensor.is_contiguous()
    address = tensor.data_ptr() if has_data else 0
    return library().Tensor(address, dtype_name(tensor), tensor.shape)


def context():
    """Return a GPUContext for PyTorch's current stream."""
    stream = 1 if is_emulated() else torch.cuda.current_stream().cuda_stream
    return library().Context(stream)


def prepare(name, *arguments, out=None):
    """Return the outputs of a kernel and a function that queues its launches.

    `arguments` are in the order of the YAML entry. Inputs with no_need_buffer
    are passed without data. `out` lists the outputs to write to, such as x
    itself, and None for outputs that are not needed.
    """
    entry = entries()[name]
    tensors = dict(zip((t.name for t in entry.tensors), arguments))
    like = tensors[entry.data_type]
    if out is None:
        out = [poison(shape, like) for shape in output_shapes(entry, tensors)]
    inputs = [
        describe(tensors[t.name], not t.no_need_buffer) for t in entry.tensors
    ]
    # An in-place output is the same Tensor as the input, which InferMeta
    # resizes before the kernel runs.
    by_address = {
        tensors[t.name].data_ptr(): argument
        for t, argument in zip(entry.tensors, inputs)
        if argument is not None and not t.no_need_buffer
    }
    outputs = [*map(describe, out)]
    for at, tensor in enumerate(out):
        if tensor is not None and tensor.numel():
            outputs[at] = by_address.get(tensor.data_ptr(), outputs[at])
            outputs[at].resize(tensor.shape)
    kernel = getattr(library(), f'{entry.kernel} {dtype_name(like)}')
    attributes = arguments[len(entry.tensors) :]
    return out, lambda: kernel(context(), *inputs, *attributes, *outputs)


def run(name, *arguments, out=None):
    """Run a kernel (see prepare) and return its outputs."""
    out, call = prepare(name, *arguments, out=out)
    call()
    context().synchronize()
    return out
