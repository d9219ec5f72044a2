"""The functions of the Python API with paddle._native_lib in front of them.

In dygraph a call like any other on dense CPU Tensors is answered by a C function,
without the Python in between; the Python function, which is the documented one,
serves all other calls and names what is wrong with one.
Installed as paddle._native_calls.
"""

import functools
import inspect
import sys

from paddle import _native_lib as _lib

_PREFIX = 'direct_'


def _with_direct_call(function, call):
    @functools.wraps(function)
    def api(*args, **kwargs):
        out = call(*args, **kwargs)
        if out is NotImplemented:
            return function(*args, **kwargs)
        return out

    api.__signature__ = inspect.signature(function)
    return api


def install():
    """Let the functions of paddle.tensor.manipulation try the C function first.

    Called at the end of paddle.tensor, which has imported them.
    """
    from paddle import _C_ops
    from paddle.base import framework

    tensor = sys.modules['paddle.tensor']
    manipulation = tensor.manipulation
    _lib.watch_dygraph(framework, _C_ops, manipulation)
    for direct, call in vars(_lib).items():
        if not direct.startswith(_PREFIX):
            continue
        name = direct.removeprefix(_PREFIX)
        function = _with_direct_call(getattr(manipulation, name), call)
        for module in (manipulation, tensor):
            setattr(module, name, function)
