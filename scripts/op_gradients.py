"""Rules on how a backward_op entry must agree with the entry it differentiates.

Each rule takes an entry and the file's entries by name and yields its faults. A
second-order entry sees its forward, which is a gradient itself, under the names
`grad_out`, `grad_x` instead of `out_grad`, `x_grad`.
"""

from __future__ import annotations


def rule_backward_exists(entry, entries):
    """`backward : f_grad` and `forward : f (...)` must point to each other."""
    if entry.backward:
        grad = entries.get(entry.backward)
        if grad is None or not grad.is_backward:
            yield f'backward: there is no backward_op {entry.backward}'
        elif grad.forward and grad.forward.name != entry.name:
            yield (
                f'backward: {entry.backward} is the gradient of '
                f'{grad.forward.name}'
            )
    if entry.is_backward and not any(
        other.backward == entry.name for other in entries.values()
    ):
        yield f'no entry says `backward : {entry.name}`'


def rule_forward_agrees(entry, entries):
    """The forward line must repeat the args and outputs of its entry."""
    if not entry.forward:
        return
    forward = entries.get(entry.forward.name)
    if forward is None:
        yield f'forward: there is no entry {entry.forward.name}'
        return
    seen = (*entry.forward.tensors, *entry.forward.attrs)
    real = (*forward.tensors, *forward.attrs)
    yield from _compare('args', seen, real, forward)
    yield from _compare(
        'outputs', entry.forward.outputs, forward.outputs, forward
    )
    for mine, theirs in zip(entry.forward.attrs, forward.attrs):
        # A gradient's own args may leave defaults out.
        same = _plain(mine.default) == _plain(theirs.default)
        if not same and not forward.is_backward:
            yield (
                f'forward: {mine.name} has the default {mine.default}, but '
                f'{forward.name} has {theirs.default}'
            )


def _compare(what, seen, real, forward):
    """Same number, types and names, in order."""
    if len(seen) != len(real):
        yield (
            f'forward: {len(seen)} {what}, but {forward.name} has {len(real)}'
        )
        return
    for mine, theirs in zip(seen, real):
        if mine.type != theirs.type:
            yield (
                f'forward: {mine.name} is {mine.type}, but {forward.name} has '
                f'{theirs.type} there'
            )
        wanted = seen_name(theirs.name) if forward.is_backward else theirs.name
        if mine.name != wanted:
            yield (
                f'forward: {what} name {mine.name} where {forward.name} needs '
                f'{wanted}'
            )


def seen_name(name):
    """Name under which a second-order entry sees a first-order argument."""
    if name.endswith('_grad'):
        return f'grad_{name[: -len("_grad")]}'
    return name


def _plain(default):
    return None if default is None else default.replace(' ', '').strip('"\'')


def rule_backward_args(entry, _):
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
        yield f'args: none of the output gradients {list(grads)} is there'


def rule_backward_outputs(entry, _):
    """Outputs are `<input>_grad`, in the order of the forward inputs."""
    if entry.forward:
        allowed = {f'{t.name}_grad': t.type for t in entry.forward.tensors}
        yield from _subset('output', entry.outputs, allowed)


def _subset(what, present, allowed):
    """`present` holds some of the allowed names, with their types, in order."""
    order = list(allowed)
    known = [item for item in present if item.name in allowed]
    for item in present:
        if item.name not in allowed:
            yield f'{what}: {item.name} is none of {order}'
        elif item.type != allowed[item.name]:
            yield (
                f'{what}: {item.name} is {item.type}, but the forward says '
                f'{allowed[item.name]}'
            )
    names = [item.name for item in known]
    if names != sorted(names, key=order.index):
        yield f'{what}: expected the order {order}, got {names}'


GRADIENT_RULES = (
    rule_backward_exists,
    rule_forward_agrees,
    rule_backward_args,
    rule_backward_outputs,
)
