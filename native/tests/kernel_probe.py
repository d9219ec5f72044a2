"""CPU kernels out of Paddle's registry, called on Tensors of the caller's choice.

What lies between a Python call and a kernel is left out, so that a test says
which tensors are the same and which have no memory. A kernel's error is a
RuntimeError with its own text.

kernel_probe.cc is compiled on import and linked with the kernels as the build has
compiled them, which so register themselves once more: the native module takes the
gradients out of Paddle's registry on its import. The result is cached in the
build folder.
"""

import importlib.util
import json
import os
import shlex
from pathlib import Path

import paddle
from paddle import _native_lib  # noqa: F401  registers kernels first
from scripts.common.programs import run as run_program

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('BUILD_DIR', ROOT / 'build'))
SOURCE = Path(__file__).with_suffix('.cc')
LIBS = Path(paddle.__file__).with_name('libs')


def _load():
    entries = json.loads((BUILD / 'compile_commands.json').read_text())
    # {source: [its compiler command, its object and so on]}
    built = {Path(x['file']): x['command'].split(' -o ') for x in entries}
    command = shlex.split(built[BUILD / 'glue/native_ops.cc'][0])
    inputs = [SOURCE]
    for source, (_, rest) in built.items():
        if source.parent == ROOT / 'kernels/cpu':
            inputs.append(BUILD / rest.split()[0])
    path = BUILD / 'probe/kernel_probe.so'
    changed = max(x.stat().st_mtime for x in inputs)
    if not path.is_file() or path.stat().st_mtime < changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f'.{os.getpid()}')
        command += ['-O1', '-shared', *inputs, '-o', part]
        command += [f'-L{LIBS}', f'-Wl,-rpath,{LIBS}', '-lphi_core', '-lphi']
        done = run_program(*command, '-lcommon', '-l:libiomp5.so')
        assert done.returncode == 0, done.stderr
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
    result = paddle.to_tensor(array)
    if not memory:
        result._clear_data()
    return result


def resize(tensor, shape):
    """What an InferMeta function does to an output."""
    tensor.get_tensor()._set_dims(list(shape))


def run(kernel, dtype, inputs, attributes, outputs):
    """Calls a kernel. A Tensor may be None, and may be there twice."""
    number = paddle.base.framework.convert_np_dtype_to_dtype_(dtype).value
    _module.run(kernel, number, list(inputs), list(attributes), list(outputs))
