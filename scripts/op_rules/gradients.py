"""Rules on how a backward_op entry must agree with the entry it differentiates.

Each rule yields its faults as `key: sentence`. A second-order entry sees its
forward, which is a gradient itself, under the names `grad_out`, `grad_x` instead of
`out_grad`, `x_grad`. That the forward line repeats its entry is a matter of form.
"""

from __future__ import annotations

from scripts.op_rules.form import seen_name


def rule_backward(entry, entries):
    """Args: forward inputs, then forward outputs, then their gradients, then attrs.
    Outputs: `<input>_grad`, in the order of the forward inputs."""
    if not entry.forward:
        return
    forward = entries.get(entry.forward)
    if forward is None:
        yield f'forward: expected an entry of this file, got {entry.forward}'
        return
    inputs, outputs, attrs = (
        {seen_name(forward, item.name): item.type for item in items}
        for items in (forward.tensors, forward.outputs, forward.attrs)
    )
    grads = {f'{name}_grad': kind for name, kind in outputs.items()}
    yield from _subset('args', entry.tensors, {**inputs, **outputs, **grads})
    yield from _subset('args', entry.attrs, attrs)
    if not any(t.name in grads for t in entry.tensors):
        names = ', '.join(grads)
        yield f'args: expected an output gradient out of {names}, got none'
    wanted = {f'{name}_grad': kind for name, kind in inputs.items()}
    yield from _subset('output', entry.outputs, wanted)


def _subset(key, present, allowed):
    """`present` holds some of the allowed names, with their types, in order."""
    order, listed = list(allowed), ', '.join(allowed)
    names = [item.name for item in present if item.name in allowed]
    for item in present:
        if item.name not in allowed:
            yield f'{key}: expected names out of {listed}, got {item.name}'
        elif item.type != allowed[item.name]:
            yield (
                f'{key}: expected {allowed[item.name]} {item.name}, as the '
                f'forward line says, got {item.type} {item.name}'
            )
    if names != sorted(names, key=order.index):
        yield f'{key}: expected the order {listed}, got {", ".join(names)}'


def rule_backward_exists(entry, entries):
    """`backward : f_grad` and `forward : f (...)` must point to each other."""
    if entry.backward:
        grad = entries.get(entry.backward)
        if grad is None or not grad.is_backward:
            yield (
                'backward: expected a backward_op of this file, got '
                f'{entry.backward}'
            )
        elif grad.forward not in (None, entry.name):
            yield (
                f'backward: expected a gradient of {entry.name}, got '
                f'{entry.backward}, a gradient of {grad.forward}'
            )
    named = [other.backward for other in entries.values()]
    if entry.is_backward and entry.name not in named:
        yield (
            f'entry: expected an entry with `backward : {entry.name}`, got none'
        )


def rule_orders(entry, entries):
    """The second order is the last."""
    if entry.backward and entry.name.endswith('_double_grad'):
        yield (
            f'backward: expected none of a second-order entry, got '
            f'{entry.backward}'
        )


PAIR_RULES = (rule_backward, rule_backward_exists, rule_orders)
