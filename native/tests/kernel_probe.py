"""CPU kernels out of Paddle's registry, called on NumPy arrays.

What lies between a Python call and a kernel is left out, so that a test says
which tensors are the same and which have no memory.

kernel_probe.cc is compiled when it is first asked for and linked with the
kernels as the build has compiled them, which so register themselves once more:
the native module takes the gradients out of Paddle's registry on its import.
The result is kept in the build folder.
"""

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path

import numpy as np

from scripts.common import native_compiler
from scripts.common.files import file_sha256, sha256

SOURCE = Path(__file__).with_name('kernel_probe.cc')
MESSAGE_BYTES = 4096
MOST_DIMS = 9  # of Paddle's Tensors


class KernelError(RuntimeError):
    """A kernel refused its arguments; the text is its own."""


class _Attribute(ctypes.Structure):
    _fields_ = [('whole', c_int64), ('text', c_char_p)]


class _Call(ctypes.Structure):
    _fields_ = [
        ('kernel', c_char_p),
        ('dtype', c_char_p),
        ('inputs', POINTER(c_void_p)),
        ('input_count', c_int32),
        ('attributes', POINTER(_Attribute)),
        ('attribute_count', c_int32),
        ('outputs', POINTER(c_void_p)),
        ('output_count', c_int32),
    ]


def _arguments(paddle_dir):
    """What the compiler is told beyond what the build tells it."""
    libs = paddle_dir / 'libs'
    shared = ['-O1', '-shared', '-fvisibility=default']
    libraries = ['-lphi_core', '-lphi', '-lcommon', '-l:libiomp5.so']
    objects = native_compiler.objects('kernels/cpu')
    return [*shared, SOURCE, *objects, f'-L{libs}', *libraries]


def _build():
    """The path of the library."""
    import paddle

    arguments = _arguments(Path(paddle.__file__).parent)
    told = [paddle.__version__, *native_compiler.command(), *arguments]
    hashes = [file_sha256(x) for x in arguments if isinstance(x, Path)]
    key = '\n'.join(map(str, [*told, *hashes]))
    folder = native_compiler.BUILD / 'probe'
    path = folder / f'kernel_probe-{sha256(key.encode())[:16]}.so'
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f'{os.getpid()}.part'
    content, said = native_compiler.run([*arguments, '-o', part])
    assert content, said
    part.replace(path)
    for old in set(folder.glob('*.so')) - {path}:
        old.unlink(missing_ok=True)
    return path


@cache
def _library():
    from paddle import _native_lib  # noqa: F401  registers kernels first

    lib = ctypes.CDLL(str(_build()))
    lib.probe_kernels.argtypes = [c_char_p]
    lib.probe_kernels.restype = c_char_p
    dims = POINTER(c_int64)
    lib.probe_tensor.argtypes = [c_char_p, c_int32, dims, c_void_p]
    lib.probe_tensor.restype = c_void_p
    lib.probe_resize.argtypes = [c_void_p, c_int32, dims]
    lib.probe_dims.argtypes = [c_void_p, dims]
    lib.probe_dtype.argtypes = [c_void_p]
    lib.probe_dtype.restype = c_char_p
    lib.probe_free.argtypes = [c_void_p]
    lib.probe_read.argtypes = [c_void_p, c_void_p]
    lib.probe_run.argtypes = [POINTER(_Call), c_char_p, c_int32]
    return lib


def registered():
    """{(kernel, dtype): what it takes} of the kernels of this project."""
    path = str(_build()).encode()
    found = {}
    for line in _library().probe_kernels(path).decode().splitlines():
        name, dtype, *arguments = line.split()
        found[name, dtype] = arguments
    return found


class Tensor:
    """A DenseTensor. `memory` is false for one that has a shape alone."""

    def __init__(self, array, memory=True):
        array = np.asarray(array, order='C')
        data = array.ctypes.data if memory else None
        name = array.dtype.name.encode()
        dims = _dims(array.shape)
        self.pointer = _library().probe_tensor(name, *dims, data)

    def __del__(self):
        _library().probe_free(self.pointer)

    def resize(self, shape):
        """What an InferMeta function does to an output."""
        _library().probe_resize(self.pointer, *_dims(shape))

    @property
    def shape(self):
        dims = (c_int64 * MOST_DIMS)()
        rank = _library().probe_dims(self.pointer, dims)
        return tuple(dims[:rank])

    def numpy(self):
        dtype = _library().probe_dtype(self.pointer).decode()
        array = np.empty(self.shape, dtype)
        if array.size:
            _library().probe_read(self.pointer, array.ctypes.data)
        return array


def _dims(shape):
    return len(shape), (c_int64 * len(shape))(*shape)


def _pointers(tensors):
    found = [None if t is None else t.pointer for t in tensors]
    return (c_void_p * len(found))(*found), len(found)


def _attributes(values):
    made = [
        _Attribute(text=value.encode())
        if isinstance(value, str)
        else _Attribute(whole=value)
        for value in values
    ]
    return (_Attribute * len(made))(*made), len(made)


def run(kernel, dtype, inputs, attributes, outputs):
    """Calls a kernel. A Tensor may be None, and may be there twice."""
    call = _Call(
        kernel.encode(),
        np.dtype(dtype).name.encode(),
        *_pointers(inputs),
        *_attributes(attributes),
        *_pointers(outputs),
    )
    message = ctypes.create_string_buffer(MESSAGE_BYTES)
    if _library().probe_run(ctypes.byref(call), message, MESSAGE_BYTES):
        raise KernelError(message.value.decode(errors='replace'))
