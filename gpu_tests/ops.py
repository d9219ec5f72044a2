"""The operators on PyTorch's tensors: arguments as in the YAML, new outputs.

They run on a GPU that PyTorch sees, or in an emulation on the CPU.
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

# Set in the environment, so that child processes see it too.
EMULATE = 'SCATTER_OPS_EMULATE'
# The only GPU kernel of scatter in kernels/.
DOUBLE_GRAD = 'scatter_double_grad'
# The bytes of outputs before a call: a wrong number in every dtype.
POISON = 0xCD
# As phi::DataType numbers them.
DTYPES = (
    'bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
    'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip


class KernelError(RuntimeError):
    """An exception of a kernel."""


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
    """PyTorch's name of it."""
    return 'cpu' if emulated() else 'cuda'


@cache
def library():
    """The library of the kernels, built first where that is possible."""
    maker = emulate if emulated() else build
    if emulated() or shutil.which('nvcc'):
        maker.make()
    lib = ctypes.CDLL(str(maker.library_path()))
    lib.scatter_ops_entry.restype = c_char_p
    lib.scatter_ops_call.argtypes = c_int32, POINTER(_Call), c_char_p, c_int64
    return lib


@cache
def kernels():
    """{(kernel, dtype): number of the entry} of the library."""
    numbers = {}
    while text := library().scatter_ops_entry(len(numbers)):
        numbers[tuple(text.decode().split())] = len(numbers)
    return numbers


@cache
def entries():
    """{name: YAML entry} of every kernel."""
    files = load_dir(ROOT / 'ops_yaml')
    by_name = {entry.name: entry for file in files for entry in file.entries}
    scatter = load_file(ROOT / 'native/kernels/base_ops/scatter.yaml')
    return by_name | {DOUBLE_GRAD: scatter.find_entry(DOUBLE_GRAD)}


def output_shapes(entry, tensors):
    """The shapes of InferMeta."""
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


def dtype_name(tensor):
    """'float32' for a tensor of torch.float32."""
    return str(tensor.dtype).rpartition('.')[2]


def described(tensor, has_data=True):
    """A tensor, or None, for the library. It owns the dims."""
    if tensor is None:
        return _Tensor(dtype=-1)
    assert tensor.is_contiguous()
    data = (tensor.data_ptr() or None) if has_data else None
    dims = (c_int64 * len(tensor.shape))(*tensor.shape)
    return _Tensor(data, DTYPES.index(dtype_name(tensor)), len(dims), dims)


def run(name, *arguments, needed=None, out=None):
    """Runs a kernel and returns its outputs.

    `arguments` are in the order of the YAML entry. Outputs that are not `needed`
    are None. `out` lists the outputs to write to, such as x itself. Inputs with
    no_need_buffer come without data.
    """
    entry = entries()[name]
    count = len(entry.tensors)
    tensors = dict(zip((t.name for t in entry.tensors), arguments))
    like = tensors[entry.data_type]
    if out is None:
        needed = needed or [True] * len(entry.outputs)
        shapes = output_shapes(entry, tensors)
        out = [poisoned(s, like) if w else None for s, w in zip(shapes, needed)]
    inputs = [
        described(tensors[t.name], not t.no_need_buffer) for t in entry.tensors
    ]
    texts = [v if isinstance(v, str) else str(+v) for v in arguments[count:]]
    call = _Call(
        (_Tensor * count)(*inputs),
        count,
        (c_char_p * len(texts))(*(text.encode() for text in texts)),
        len(texts),
        (_Tensor * len(out))(*map(described, out)),
        len(out),
        1 if emulated() else torch.cuda.current_stream().cuda_stream,
    )
    number = kernels()[entry.kernel, dtype_name(like)]
    message = ctypes.create_string_buffer(4096)
    if library().scatter_ops_call(number, call, message, len(message)):
        raise KernelError(message.value.decode(errors='replace'))
    return out
