"""Operators in static graphs and their gradients, as custom operators.

Each entry of ops_yaml, gradients included, is a custom operator.
Installed as paddle._native_static.
"""

import functools

from paddle import _native_lib as _lib
from paddle.base import core

# ---- calls


def _promote(tensors):
    """Promote mixed floating point inputs to the widest dtype under auto_cast, as
    Paddle does for operators on no AMP list."""
    import paddle

    if core._get_amp_attrs()._amp_level == core.AmpLevel.O0:
        return tensors
    order = ['float16', 'bfloat16', 'float32', 'float64']
    names = [str(t.dtype).rpartition('.')[2].lower() for t in tensors]
    floating = [name for name in names if name in order]
    if len(set(floating)) < 2:
        return tensors
    widest = max(floating, key=order.index)
    if set(floating) == {'float16', 'bfloat16'}:
        widest = 'float32'
    return tuple(
        paddle.cast(t, widest) if name in order and name != widest else t
        for t, name in zip(tensors, names)
    )


def run_static(op, tensors, attrs):
    """Append a call with the Values `tensors` to the program."""
    tensors = _promote(tensors)
    # An exception from InferMeta inside the graph builder ends the process.
    op.infer(list(tensors), attrs)
    return core.pir.ops._run_custom_op(op.name, *tensors, *attrs)[0]


# ---- gradients
# Paddle builds a backward graph with core.call_vjp, operator by operator. It
# supports custom operators, but treats the appended gradients as constants:
# higher orders would silently be missing.


def _append_gradient(entry, call, inputs, results, gradients, stop_gradients):
    """Append the gradient `entry` of `call`. Return, as core.call_vjp does, a list
    for each differentiable input: its gradient, or None if it is stopped."""
    sources = {'input': inputs, 'result': results, 'gradient': gradients}
    tensors = []
    for t in entry.inputs:
        kind, at = t.source
        tensor = sources[kind][at][0]
        tensors.append(None if t.optional and _is_zeros(tensor) else tensor)
    outputs = [gradient.forward_input for gradient in entry.outputs]
    is_needed = {
        at: not stops[0] for at, stops in zip(sorted(outputs), stop_gradients)
    }
    grads = core.pir.ops._run_custom_op(
        entry.custom_op,
        *tensors,
        *(call.attrs()[attr.name] for attr in entry.attrs),
        [i for i, at in enumerate(outputs) if is_needed[at]],
    )
    by_input = dict(zip(outputs, grads))
    return [[by_input[at] if is_needed[at] else None] for at in sorted(outputs)]


def _append_scatter(call, inputs, results, gradients, stop_gradients):
    """Append the gradient of Paddle's scatter_grad, which Paddle 3.3.1 lacks: the
    scatter of the incoming gradients."""
    if stop_gradients[0][0]:
        return [[None]]
    # Deferred: paddle._C_ops imports this module.
    import paddle

    (index,), (updates,), (out_grad,) = inputs
    grads = [
        grad if grad.initialized() else paddle.zeros_like(like)
        for (grad,), like in zip(gradients, (out_grad, updates))
    ]
    overwrite = call.attrs()['overwrite']
    return [[paddle._C_ops.scatter(grads[0], index, grads[1], overwrite)]]


def _is_zeros(value):
    """Return whether a gradient is zeros that Paddle created for an unused
    result."""
    if value is None:
        return True
    op = value.get_defining_op()
    if op is None or op.name() != 'pd_op.full_like':
        return False
    fill = op.operand_source(1).get_defining_op()
    return fill.name() == 'pd_op.full' and fill.attrs()['value'] == 0


_SCATTER_GRAD = 'pd_op.scatter_grad'
_VJPS = {_SCATTER_GRAD: _append_scatter}


def _ignore_no_grad(get_grad_op_desc):
    """Compute all gradients of a custom operator in legacy IR, which supports all
    or none."""

    def wrapped(op, no_grad, *args):
        if f'custom_op.{op.type().removesuffix("_grad")}' in _VJPS:
            no_grad = no_grad - {f'{v}@GRAD' for v in op.input_arg_names()}
        return get_grad_op_desc(op, no_grad, *args)

    return wrapped


def load():
    """Register the operators and patch Paddle's functions; call once."""
    for entry in _lib.entries:
        if entry.gradient and not entry.is_base:
            _VJPS[f'custom_op.{entry.custom_op}'] = functools.partial(
                _append_gradient, entry.gradient
            )
    core.load_op_meta_info_and_register_op(_lib.__file__)
    call_vjp, has_vjp = core.call_vjp, core.has_vjp
    operation = core.pir.Operation
    semantics = operation.get_input_grad_semantics
    core.call_vjp = lambda op, *args: _VJPS.get(op.name(), call_vjp)(op, *args)
    core.has_vjp = lambda op: op.name() == _SCATTER_GRAD or has_vjp(op)
    operation.get_input_grad_semantics = lambda op: (
        [False, False, True]  # of its index, updates and out_grad
        if op.name() == _SCATTER_GRAD
        else semantics(op)
    )
    core.get_grad_op_desc = _ignore_no_grad(core.get_grad_op_desc)
