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

SOURCE = Path(__file__).with_suffix('.cc')


def _load():
    inputs = [SOURCE, *native_compiler.objects('kernels/cpu')]
    path = native_compiler.BUILD / 'probe/kernel_probe.so'
    changed = max(x.stat().st_mtime for x in inputs)
    if not path.is_file() or path.stat().st_mtime < changed:
        libs = ('-lphi_core', '-lphi', '-lcommon', '-l:libiomp5.so')
        linked = native_compiler.paddle_libs(*libs)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f'.{os.getpid()}')
        content, said = native_compiler.run(
            ['-O1', '-shared', *inputs, *linked, '-o', part]
        )
        assert content, said
        part.replace(path)
    spec = importlib.util.spec_from_file_location('kernel_probe', path)
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
