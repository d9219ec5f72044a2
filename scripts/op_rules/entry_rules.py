"""What one entry may say: types, names that exist, and which Tensor says the dtype.

Each rule takes an entry of schema.py and yields its faults as `key: sentence`.
What two entries owe each other is in gradients.py.
"""

from __future__ import annotations

from scripts.op_rules.grammar import candidates, split_items, value_of

TENSOR_TYPES = {'Tensor', 'Tensor[]'}
PLAIN_TYPES = {'bool', 'int', 'int64_t', 'float', 'double'}
ATTR_TYPES = (
    PLAIN_TYPES
    | {f'{t}[]' for t in (*PLAIN_TYPES, 'str', 'Scalar')}
    | {f'Scalar({t})' for t in PLAIN_TYPES}
    | {'str', 'Place', 'DataLayout', 'DataType', 'IntArray', 'Scalar'}
)
# What may choose the kernel's dtype, layout or backend besides a Tensor.
CHOICE_TYPES = {
    'data_type': 'DataType',
    'layout': 'DataLayout',
    'backend': 'Place',
}


def rule_types(entry):
    for args, known in (
        (entry.tensors, TENSOR_TYPES),
        (entry.attrs, ATTR_TYPES),
    ):
        for arg in args:
            if arg.type not in known:
                yield (
                    f'args: expected a type out of {", ".join(sorted(known))} '
                    f'for {arg.name}, got `{arg.type}`'
                )


def rule_defaults_last(entry):
    seen = None
    for attr in entry.attrs:
        if attr.default is not None:
            seen = attr.name
        elif seen:
            yield (
                f'args: expected a default for {attr.name}, as {seen} before '
                'it has one, got none'
            )


def arg_names(entry):
    return [a.name for a in (*entry.tensors, *entry.attrs)]


def rule_param_names(entry):
    for key, names in (
        ('infer_meta.param', entry.infer_meta_param),
        ('kernel.param', entry.kernel_param),
    ):
        yield from _unknown(key, names or (), arg_names(entry))


def rule_data_transform(entry):
    tensors = [t.name for t in entry.tensors]
    for inner in ('skip_transform', 'support_trans_dtype'):
        key = f'data_transform.{inner}'
        text = value_of(entry.raw, key)
        if isinstance(text, str):
            yield from _unknown(key, split_items(text), tensors)


def rule_intermediate(entry):
    text = entry.raw.get('intermediate')
    if isinstance(text, str):
        outputs = [o.name for o in entry.outputs]
        yield from _unknown('intermediate', split_items(text), outputs)


def _unknown(key, names, known):
    for name in names:
        if name not in known:
            yield (
                f'{key}: expected a name out of {", ".join(known)}, got {name}'
            )


def rule_inplace(entry):
    inputs = {t.name: t.type for t in entry.tensors}
    outputs = {o.name: o.type for o in entry.outputs}
    for source, target in entry.inplace:
        yield from _unknown('inplace', [source], inputs)
        yield from _unknown('inplace', [target], outputs)
        types = inputs.get(source), outputs.get(target)
        if None not in types and types[0] != types[1]:
            yield (
                f'inplace: expected two of one type, got {types[0]} {source} '
                f'and {types[1]} {target}'
            )
    for side, what in enumerate(('input', 'output')):
        names = [pair[side] for pair in entry.inplace]
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f'inplace: expected each {what} once, got {name} twice'


def rule_kernel_choice(entry):
    """data_type, layout and backend name something that is always there."""
    for choice, attr_type in CHOICE_TYPES.items():
        key = f'kernel.{choice}'
        for name in candidates(value_of(entry.raw, key)):
            tensor, attr = entry.tensor(name), entry.attr(name)
            wanted = f'{key}: expected a Tensor of args or a {attr_type}, got'
            if attr and attr.type != attr_type:
                yield f'{wanted} {attr.type} {name}'
            elif not attr and not tensor:
                yield f'{wanted} {name}'
            elif tensor and tensor.optional:
                yield f'{key}: expected no optional Tensor, got {name}'


def rule_data_type_buffer(entry):
    """A tensor without its buffer cannot say which kernel runs."""
    without = [t.name for t in entry.tensors if t.no_need_buffer]
    if not without or not entry.kernel:
        return
    key = 'kernel.data_type'
    if not entry.data_type:
        yield f'{key}: expected a Tensor outside of no_need_buffer, got none'
    for name in candidates(entry.data_type):
        if name in without:
            yield (
                f'{key}: expected a Tensor outside of no_need_buffer, got {name}'
            )


ENTRY_RULES = (
    rule_types,
    rule_defaults_last,
    rule_param_names,
    rule_data_transform,
    rule_intermediate,
    rule_inplace,
    rule_kernel_choice,
    rule_data_type_buffer,
)
