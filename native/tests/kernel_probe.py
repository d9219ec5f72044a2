"""CPU kernels out of Paddle's registry, called on Tensors of the caller's choice.

What lies between a Python call and a kernel is left out, so that a test says
which tensors are the same and which have no memory. A kernel's error is a
RuntimeError with its own text.

kernel_probe.cc is compiled on import and linked with the kernels as the build has
compiled them, which so register themselves once more: the native module takes the
gradients out of Paddle's registry on its import. The result is kept in the build
folder.
"""

import importlib.util
import os
from pathlib import Path

import paddle
from paddle import _native_lib  # noqa: F401  registers kernels first
from scripts.common import native_compiler
from scripts.common.files import file_sha256, sha256

SOURCE = Path(__file__).with_suffix('.cc')


def _build():
    """The path of the module."""
    libraries = ['-lphi_core', '-lphi', '-lcommon', '-l:libiomp5.so']
    arguments = ['-O1', '-shared', SOURCE]
    arguments += native_compiler.objects('kernels/cpu')
    arguments += native_compiler.paddle_libs(*libraries)
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


def _load():
    spec = importlib.util.spec_from_file_location('kernel_probe', _build())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_module = _load()
# {(kernel, dtype): what it takes} of the kernels of this project
registered = _module.registered


def tensor(array, memory=True):
    """A Tensor; without `memory` it has a shape and a dtype alone."""
    found = paddle.to_tensor(array)
    if not memory:
        found._clear_data()
    return found


def resize(tensor, shape):
    """What an InferMeta function does to an output."""
    tensor.get_tensor()._set_dims(list(shape))


def run(kernel, dtype, inputs, attributes, outputs):
    """Calls a kernel. A Tensor may be None, and may be there twice."""
    number = paddle.base.framework.convert_np_dtype_to_dtype_(dtype).value
    _module.run(kernel, number, list(inputs), list(attributes), list(outputs))
