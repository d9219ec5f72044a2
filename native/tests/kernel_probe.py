"""Direct calls of the CPU kernels in Paddle's registry.

No argument parsing or InferMeta runs first, so that tests decide which Tensors
alias and which are unallocated. Errors of a kernel raise RuntimeError.

kernel_probe.cc is compiled on import and linked with the object files of the
kernels, which registers the kernels again: the native module hides the gradient
kernels when it is imported. The result is cached in the build folder.
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
    # {source: [compiler command, object file and other options]}
    built = {Path(x['file']): x['command'].split(' -o ') for x in entries}
    kernel = ROOT / 'kernels/cpu/masked_scatter_kernel.cc'
    command = shlex.split(built[kernel][0])
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
# Returns {(kernel, dtype): argument types} of the kernels of this project.
signatures = _module.signatures


def tensor(array, memory=True):
    """Create a Tensor; without `memory`, it has only a shape and a dtype."""
    result = paddle.to_tensor(array)
    if not memory:
        result._clear_data()
    return result


def resize(tensor, shape):
    """Set the dims, as InferMeta does."""
    tensor.get_tensor()._set_dims(list(shape))


def run(kernel, dtype, inputs, attributes, outputs):
    """Call a kernel. Tensors may be None or alias each other."""
    number = paddle.base.framework.convert_np_dtype_to_dtype_(dtype).value
    _module.run(kernel, number, list(inputs), list(attributes), list(outputs))
