"""A library of the kernels, called through ctypes."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_void_p

MESSAGE_BYTES = 4096


class KernelError(RuntimeError):
    """A kernel refused its arguments; the text is its own."""


class _Tensor(Structure):
    _fields_ = [
        ('data', c_void_p),
        ('dtype', c_char_p),
        ('rank', c_int32),
        ('dims', POINTER(c_int64)),
    ]


class _Call(Structure):
    _fields_ = [
        ('key', c_char_p),
        ('inputs', POINTER(_Tensor)),
        ('input_count', c_int32),
        ('attributes', POINTER(c_char_p)),
        ('attribute_count', c_int32),
        ('outputs', POINTER(_Tensor)),
        ('output_count', c_int32),
        ('stream', c_void_p),
    ]


class ShapeOnly:
    """A tensor of which a kernel may know everything but the data."""

    def __init__(self, tensor):
        self.shape = tensor.shape
        self.dtype = tensor.dtype


def dtype_name(tensor):
    """'float32' for a tensor of torch.float32."""
    return str(tensor.dtype).rpartition('.')[2]


def _described(tensor):
    """A tensor as the library takes it; it points to the dims that it keeps."""
    if tensor is None:
        return _Tensor()
    data = None
    if not isinstance(tensor, ShapeOnly):
        if not tensor.is_contiguous():
            raise ValueError('a kernel takes dense tensors only')
        data = tensor.data_ptr() or None
    dims = (c_int64 * len(tensor.shape))(*tensor.shape)
    dtype = dtype_name(tensor).encode()
    return _Tensor(data, dtype, len(tensor.shape), dims)


class Library:
    """The kernels. Tensors are PyTorch's, dense, and None where absent."""

    def __init__(self, path):
        lib = ctypes.CDLL(str(path))
        lib.scatter_ops_entry.restype = c_char_p
        lib.scatter_ops_call.argtypes = [POINTER(_Call), c_char_p, c_int64]
        self._lib = lib

    def table(self):
        """The (kernel, dtype) pairs that there are, as a list."""
        found = []
        while text := self._lib.scatter_ops_entry(len(found)):
            found.append(tuple(text.decode().split()))
        return found

    def call(self, kernel, dtype, inputs, attributes, outputs, stream=0):
        """Puts a kernel's work onto a stream."""
        texts = [v if isinstance(v, str) else str(int(v)) for v in attributes]
        call = _Call(
            f'{kernel} {dtype}'.encode(),
            (_Tensor * len(inputs))(*map(_described, inputs)),
            len(inputs),
            (c_char_p * len(texts))(*(text.encode() for text in texts)),
            len(texts),
            (_Tensor * len(outputs))(*map(_described, outputs)),
            len(outputs),
            stream,
        )
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        if self._lib.scatter_ops_call(
            ctypes.byref(call), message, MESSAGE_BYTES
        ):
            raise KernelError(message.value.decode(errors='replace'))
