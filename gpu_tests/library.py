"""The library of gpu_tests/build.py, called through ctypes."""

import ctypes
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int32,
    c_int64,
    c_void_p,
)

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
        ('multiprocessors', c_int32),
    ]


class ShapeOnly:
    """A tensor of which a kernel may know everything but the data."""

    def __init__(self, tensor):
        self.shape = tensor.shape
        self.dtype = tensor.dtype


def dtype_name(tensor):
    """'float32' for a tensor of torch.float32."""
    return str(tensor.dtype).rpartition('.')[2]


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

    def keep_memory(self):
        """Temporaries come out of a pool that gives nothing back."""
        if self._lib.scatter_ops_keep_memory():
            raise KernelError('there is no pool of device memory')

    def prepare(
        self,
        kernel,
        dtype,
        inputs,
        attributes,
        outputs,
        stream=0,
        multiprocessors=1,
    ):
        """A function that puts a kernel's work onto a stream."""
        kept = [inputs, outputs]  # the call points into all of these
        texts = [v if isinstance(v, str) else str(int(v)) for v in attributes]
        call = _Call(
            f'{kernel} {dtype}'.encode(),
            self._tensors(inputs, kept),
            len(inputs),
            (c_char_p * len(texts))(*(text.encode() for text in texts)),
            len(texts),
            self._tensors(outputs, kept),
            len(outputs),
            stream,
            multiprocessors,
        )
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        entry, reference = self._lib.scatter_ops_call, byref(call)

        def run(kept=kept):
            if entry(reference, message, MESSAGE_BYTES):
                raise KernelError(message.value.decode(errors='replace'))

        return run

    def _tensors(self, tensors, kept):
        return (_Tensor * len(tensors))(
            *(self._tensor(t, kept) for t in tensors)
        )

    def _tensor(self, tensor, kept):
        if tensor is None:
            return _Tensor()
        data = None
        if not isinstance(tensor, ShapeOnly):
            if not tensor.is_contiguous():
                raise ValueError('a kernel takes dense tensors only')
            data = tensor.data_ptr() or None
        dims = (c_int64 * len(tensor.shape))(*tensor.shape)
        kept.append(dims)  # the call points to it
        dtype = dtype_name(tensor).encode()
        return _Tensor(data, dtype, len(tensor.shape), dims)
