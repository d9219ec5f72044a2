"""Calls of paddle._C_ops in static graphs and of distributed Tensors, which
paddle._native_lib dispatches here.

Installed as paddle._native_runtime.
"""

from paddle import _native_lib as _lib
from paddle import _native_static as _static
from paddle._native_lib import has_grad


class Op:
    """One operator, read from its table in C++.

    differentiable: indices of the inputs that have a gradient.
    reads_overwritten: the gradient reads the input that the in-place form
    overwrites.
    """

    def __init__(self, entry):
        first = entry.gradient
        self.name = entry.name
        self.inputs = [t.name for t in entry.inputs]
        self.arguments = len(entry.inputs) + len(entry.attrs)
        self.inplace_input = entry.inplace_input
        self.differentiable = [grad.forward_input for grad in first.outputs]
        self.reads_overwritten = any(
            t.source == ('input', entry.inplace_input) and t.needs_buffer
            for t in first.inputs
        )
        self.call = getattr(_lib, self.name)
        self.infer, self.encode = entry.infer, entry.encode

    def split(self, args):
        """Split the arguments of a call into Tensors and attributes."""
        size = len(self.inputs)
        return args[:size], args[size : self.arguments]

    def requires_grad(self, tensors):
        return has_grad() and any(
            not tensors[i].stop_gradient for i in self.differentiable
        )


_OPS = {e.name: Op(e) for e in _lib.entries if not e.is_backward}


def run_static(name, inplace, *args):
    """Append a call to a PIR program. There is no in-place form."""
    op = _OPS[name]
    return _static.run_static(op, *op.split(args))


def run_distributed(name, inplace, *args):
    """Run a dygraph call with at least one distributed Tensor."""
    # Deferred: paddle.distributed is imported after this module.
    from paddle import _native_distributed

    op = _OPS[name]
    run = (
        _native_distributed.run_inplace if inplace else _native_distributed.run
    )
    return run(op, *op.split(args))


def install(c_ops):
    """Add the functions to paddle._C_ops, whose globals are `c_ops`."""
    for entry in _lib.entries:
        if entry.is_backward:
            continue
        for name in (entry.name, f'{entry.name}_'):
            if entry.is_base:
                c_ops[name] = _lib.extend(name, c_ops[name])
            elif hasattr(_lib, name):
                c_ops[name] = getattr(_lib, name)
                c_ops['__all__'].append(name)


def _check_version():
    """Raise ImportError unless the module is compiled for this release."""
    from paddle.version import full_version

    if full_version != _lib.paddle_version:
        raise ImportError(
            f'paddle._native_lib is built for paddle {_lib.paddle_version}, '
            f'but the version is {full_version}: run '
            f'scripts/apply_and_build.sh again.'
        )


_check_version()
_static.load()
