"""The functions of the Python API with paddle._native_lib in front of them.

In dygraph a call like any other on dense CPU Tensors is answered by a C function,
without the Python in between; the Python function, which is the documented one,
serves all other calls and names what is wrong with one. What a call means is
asked of the Python functions too, once for each kind of call.
Installed as paddle._native_calls.
"""

import functools
import inspect
import sys

from paddle import _native_lib as _lib

# The C function of each Python function.
DIRECT = {}
# Python functions, and the operators behind each.
FUNCTIONS = {
    'masked_scatter': ('masked_scatter',),
    'masked_fill': ('masked_fill',),
    'select_scatter': ('select_scatter',),
    'diagonal_scatter': ('diagonal_scatter',),
    'scatter': ('scatter', 'index_scatter', 'index_reduce'),
}


def _entry(op):
    return getattr(_lib, op).__self__


def _decide_scatter(manipulation, api_name):
    def decide(x, overwrite, axis, reduce, include_self, *_):
        if overwrite and (reduce != 'sum' or include_self):
            return None  # a warning, which each call shall have
        op, attrs = manipulation._scatter_op(
            api_name, x, overwrite, axis, reduce, include_self
        )
        return _entry(op), attrs

    return decide


def _direct_call(manipulation, name):
    from paddle import _C_ops

    op = name.removesuffix('_')
    suffix = name[len(op) :]
    originals = (
        (manipulation, '_has_scatter_kernels', None),
        *((_C_ops, f'{one}{suffix}', _entry(one)) for one in FUNCTIONS[op]),
    )
    decide = fill = None
    if op == 'scatter':
        decide = _decide_scatter(manipulation, name)
    if op == 'masked_fill':
        fill = functools.partial(manipulation._fill_tensor, name)
    signature = inspect.signature(getattr(manipulation, name))
    parameters = tuple(
        (p.name,) if p.default is p.empty else (p.name, p.default)
        for p in signature.parameters.values()
    )
    return _lib.direct(
        _entry(op), op != name, parameters, decide, fill, originals
    )


def _with_direct_call(function, call):
    @functools.wraps(function)
    def api(*args, **kwargs):
        out = call(args, kwargs)
        if out is NotImplemented:
            return function(*args, **kwargs)
        return out

    api.__signature__ = inspect.signature(function)
    return api


def install():
    """Let the functions of paddle.tensor.manipulation try the C function first.

    Called at the end of paddle.tensor, which has imported them.
    """
    tensor = sys.modules['paddle.tensor']
    manipulation = tensor.manipulation
    for op in FUNCTIONS:
        for name in (op, f'{op}_'):
            if not hasattr(manipulation, name):
                continue
            DIRECT[name] = _direct_call(manipulation, name)
            function = _with_direct_call(
                getattr(manipulation, name), DIRECT[name]
            )
            for module in (manipulation, tensor):
                setattr(module, name, function)
