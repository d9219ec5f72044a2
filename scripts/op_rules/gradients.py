"""Rules on how a backward_op entry must agree with the entry it differentiates.

Each rule yields its faults as `key: sentence`. A second-order entry sees its
forward, which is a gradient itself, under the names `grad_out`, `grad_x` instead of
`out_grad`, `x_grad`; a third-order one sees `grad_grad_x` for `grad_x_grad`.
"""

from __future__ import annotations

import re

from scripts.op_rules.form import signature


def rule_backward_args(entry):
    """Forward inputs, then forward outputs, then their gradients, then attrs."""
    if not entry.forward:
        return
    inputs = {t.name: t.type for t in entry.forward.tensors}
    outputs = {o.name: o.type for o in entry.forward.outputs}
    grads = {f'{name}_grad': kind for name, kind in outputs.items()}
    allowed = {**inputs, **outputs, **grads}
    yield from _subset('args', entry.tensors, allowed)
    attrs = {a.name: a.type for a in entry.forward.attrs}
    yield from _subset('args', entry.attrs, attrs)
    if not any(t.name in grads for t in entry.tensors):
        yield f'args: expected an output gradient out of {_listed(grads)}, got none'


def rule_backward_outputs(entry):
    """Outputs are `<input>_grad`, in the order of the forward inputs."""
    if entry.forward:
        allowed = {f'{t.name}_grad': t.type for t in entry.forward.tensors}
        yield from _subset('output', entry.outputs, allowed)


def _subset(key, present, allowed):
    """`present` holds some of the allowed names, with their types, in order."""
    order = list(allowed)
    names = [item.name for item in present if item.name in allowed]
    for item in present:
        if item.name not in allowed:
            yield f'{key}: expected names out of {_listed(order)}, got {item.name}'
        elif item.type != allowed[item.name]:
            yield (
                f'{key}: expected {allowed[item.name]} {item.name}, as the '
                f'forward line says, got {item.type} {item.name}'
            )
    if names != sorted(names, key=order.index):
        yield f'{key}: expected the order {_listed(order)}, got {_listed(names)}'


def rule_backward_exists(entry, entries):
    """`backward : f_grad` and `forward : f (...)` must point to each other."""
    if entry.backward:
        grad = entries.get(entry.backward)
        if grad is None or not grad.is_backward:
            yield (
                'backward: expected a backward_op of this file, got '
                f'{entry.backward}'
            )
        elif grad.forward and grad.forward.name != entry.name:
            yield (
                f'backward: expected a gradient of {entry.name}, got '
                f'{entry.backward}, a gradient of {grad.forward.name}'
            )
    if entry.is_backward and not any(
        other.backward == entry.name for other in entries.values()
    ):
        yield (
            f'entry: expected an entry with `backward : {entry.name}`, got none'
        )


def rule_orders(entry, entries):
    """Paddle's generators have names for three orders."""
    if entry.backward and entry.name.endswith('_triple_grad'):
        yield (
            f'backward: expected none of a third-order entry, got '
            f'{entry.backward}: Paddle has no name for a fourth order'
        )


def rule_forward_agrees(entry, entries):
    """The forward line must repeat the args and outputs of its entry."""
    if not entry.forward:
        return
    forward = entries.get(entry.forward.name)
    if forward is None:
        yield f'forward: expected an entry of this file, got {entry.forward.name}'
        return
    wanted = signature(forward, seen_name if forward.is_backward else str)
    got = signature(entry.forward)
    # A gradient's own args may leave defaults out.
    if forward.is_backward:
        wanted, got = (re.sub(' = [^,)]*', '', text) for text in (wanted, got))
    if got != wanted:
        yield f'forward: expected `{wanted}`, got `{got}`'


def seen_name(name):
    """Name under which the gradient of a gradient sees the latter's argument."""
    if name.endswith('_grad'):
        return f'grad_{name[: -len("_grad")]}'
    return name


def _listed(names):
    return ', '.join(names)


# Rules on one entry, and rules that need the other entries of its file.
GRADIENT_RULES = (rule_backward_args, rule_backward_outputs)
PAIR_RULES = (rule_backward_exists, rule_orders, rule_forward_agrees)
