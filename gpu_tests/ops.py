"""The operators on PyTorch tensors: arguments as in the YAML, results fresh.

They run on a GPU that PyTorch sees, or in an emulation on the CPU.
"""

import os
import shutil
from functools import cache

from gpu_tests import build, emulate
from gpu_tests.build import ROOT
from gpu_tests.library import Library, ShapeOnly, dtype_name
from scripts.op_rules.schema import load_dir, load_file

try:
    import torch
except ImportError:
    torch = None

# Set in the environment, so that processes that tests start see it too.
EMULATE = 'SCATTER_OPS_EMULATE'
# Of scatter, whose other GPU kernels are Paddle's.
DOUBLE_GRAD = 'scatter_double_grad'
# What outputs hold before a call: a wrong number in every dtype.
POISON = 0xCD


def emulated():
    """Whether kernels run in the emulation."""
    return os.environ.get(EMULATE) == '1'


def missing():
    """Why no kernel can run here, or ''."""
    if torch is None:
        return 'PyTorch is not installed'
    if emulated():
        return ''
    if not torch.cuda.is_available():
        return f'PyTorch {torch.__version__} sees no CUDA device'
    if shutil.which('nvcc') is None and not build.library_path().is_file():
        return 'nvcc is not installed'
    return ''


def device():
    """What PyTorch calls it."""
    return 'cpu' if emulated() else 'cuda'


@cache
def library():
    """The kernels, built first where that is possible."""
    maker = emulate if emulated() else build
    if emulated() or shutil.which('nvcc'):
        maker.make()
    return Library(maker.library_path())


def stream():
    """PyTorch's present stream, so that its own work is in order with ours."""
    return 1 if emulated() else torch.cuda.current_stream().cuda_stream


@cache
def entries():
    """{name: entry} of every kernel."""
    files = load_dir(ROOT / 'ops_yaml')
    found = {entry.name: entry for file in files for entry in file.entries}
    scatter = load_file(ROOT / 'native/kernels/base_ops/scatter.yaml')
    return found | {DOUBLE_GRAD: scatter.entry(DOUBLE_GRAD)}


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


def run(name, *arguments, wanted=None, out=None):
    """Runs a kernel; a list of its outputs.

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
        out = [poisoned(s, like) if w else None for s, w in zip(shapes, wanted)]
    inputs = [
        ShapeOnly(tensors[t.name]) if t.no_need_buffer else tensors[t.name]
        for t in entry.tensors
    ]
    library().call(
        entry.kernel,
        dtype_name(like),
        inputs,
        list(arguments[count:]),
        out,
        stream(),
    )
    return out
