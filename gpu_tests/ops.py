"""The operators on PyTorch tensors, with the arguments of their YAML entries.

They run on PyTorch's GPU, or in an emulation on the CPU.
"""

import ctypes
import os
import shutil
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_void_p
from functools import cache

from gpu_tests import build, emulate
from gpu_tests.build import ROOT
from scripts.op_rules.schema import load_dir, load_file

try:
    import torch
except ImportError:
    torch = None

# An environment variable, so that child processes inherit it.
EMULATE = 'SCATTER_OPS_EMULATE'
# The only GPU kernel of Paddle's own scatter in kernels/.
DOUBLE_GRAD = 'scatter_double_grad'
# Every byte of an output before a call.
POISON = 0xCD
# In the order of phi::DataType in stub/paddle_stub.h.
DTYPES = (
    'bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
    'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip


class KernelError(RuntimeError):
    """An exception thrown by a kernel."""


class _Tensor(Structure):
    _fields_ = [
        ('data', c_void_p),
        ('dtype', c_int32),
        ('rank', c_int32),
        ('dims', POINTER(c_int64)),
    ]


class _Call(Structure):
    _fields_ = [
        ('inputs', POINTER(_Tensor)),
        ('input_count', c_int32),
        ('attributes', POINTER(c_char_p)),
        ('attribute_count', c_int32),
        ('outputs', POINTER(_Tensor)),
        ('output_count', c_int32),
        ('stream', c_void_p),
    ]


def is_emulated():
    """Return whether kernels run in the emulation."""
    return os.environ.get(EMULATE) == '1'


def skip_reason():
    """Return why no kernel can run, or ''."""
    if torch is None:
        return 'PyTorch is not installed'
    if is_emulated():
        return ''
    if not torch.cuda.is_available():
        return f'PyTorch {torch.__version__} finds no CUDA device'
    if shutil.which('nvcc') is None and not build.library_path().is_file():
        return 'nvcc is not installed'
    return ''


def device():
    """Return the name of the device in PyTorch."""
    return 'cpu' if is_emulated() else 'cuda'


@cache
def library():
    """Load the library of the kernels; build it first if possible."""
    maker = emulate if is_emulated() else build
    if is_emulated() or shutil.which('nvcc'):
        maker.make()
    lib = ctypes.CDLL(str(maker.library_path()))
    lib.scatter_ops_entry.restype = c_char_p
    lib.scatter_ops_call.argtypes = c_int32, POINTER(_Call), c_char_p, c_int64
    return lib


@cache
def kernels():
    """Return {(kernel, dtype): index of the entry} of the library."""
    numbers = {}
    while text := library().scatter_ops_entry(len(numbers)):
        numbers[tuple(text.decode().split())] = len(numbers)
    return numbers


@cache
def entries():
    """Return {name: YAML entry} of every operator and gradient."""
    files = load_dir(ROOT / 'ops_yaml')
    by_name = {entry.name: entry for file in files for entry in file.entries}
    scatter = load_file(ROOT / 'native/kernels/base_ops/scatter.yaml')
    return by_name | {DOUBLE_GRAD: scatter.find_entry(DOUBLE_GRAD)}


def output_shapes(entry, tensors):
    """Return the shapes of the outputs, as InferMeta infers them."""
    if entry.is_backward:
        return [tuple(tensors[n].shape) for n in entry.infer_meta_param]
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
    """Convert a tensor or None for the library; the result owns the dims."""
    if tensor is None:
        return _Tensor(dtype=-1)
    assert tensor.is_contiguous()
    data = (tensor.data_ptr() or None) if has_data else None
    dims = (c_int64 * len(tensor.shape))(*tensor.shape)
    return _Tensor(data, DTYPES.index(dtype_name(tensor)), len(dims), dims)


def run(name, *arguments, needed=None, out=None):
    """Run a kernel and return its outputs.

    `arguments` are in the order of the YAML entry. Outputs that are not `needed`
    are None. `out` lists the outputs to write to, such as x itself. Inputs with
    no_need_buffer are passed without data.
    """
    entry = entries()[name]
    count = len(entry.tensors)
    tensors = dict(zip((t.name for t in entry.tensors), arguments))
    like = tensors[entry.data_type]
    if out is None:
        needed = needed or [True] * len(entry.outputs)
        shapes = output_shapes(entry, tensors)
        out = [poison(s, like) if w else None for s, w in zip(shapes, needed)]
    inputs = [
        describe(tensors[t.name], not t.no_need_buffer) for t in entry.tensors
    ]
    texts = [v if isinstance(v, str) else str(+v) for v in arguments[count:]]
    call = _Call(
        (_Tensor * count)(*inputs),
        count,
        (c_char_p * len(texts))(*(text.encode() for text in texts)),
        len(texts),
        (_Tensor * len(out))(*map(describe, out)),
        len(out),
        1 if is_emulated() else torch.cuda.current_stream().cuda_stream,
    )
    number = kernels()[entry.kernel, dtype_name(like)]
    message = ctypes.create_string_buffer(4096)
    if library().scatter_ops_call(number, call, message, len(message)):
        raise KernelError(message.value.decode(errors='replace'))
    return out
