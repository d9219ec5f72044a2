"""What one entry may say: types, names that exist, and which Tensor says the dtype.

Each rule takes an entry of schema.py and yields its faults as `key: sentence`.
What two entries owe each other is in gradients.py.
"""

from __future__ import annotations

import re

from scripts.op_rules.schema import marked

# type -> its defaults, as both Paddle's generators and Python read them
ATTR_TYPES = {
    'bool': re.compile('true|false'),
    'int': re.compile(r'-?\d+'),
    'int64_t': re.compile(r'-?\d+'),
    'float': re.compile(r'-?\d+(\.\d*)?(e-?\d+)?'),
    'str': re.compile(r'"[^"]*"'),
}


def rule_names(entry):
    """Names of the generators' kind, each once, and those that are needed."""
    if not re.fullmatch('[a-z][a-z0-9_]+', entry.name):
        yield (
            'entry: expected a name of two or more small letters, digits and '
            f'_, got `{entry.name}`'
        )
    if entry.is_backward != bool(entry.forward):
        yield 'forward: expected this key in every backward_op, and only there'
    for block in ('infer_meta', 'kernel'):
        for key, text in {'func': '', **entry.raw.get(block, {})}.items():
            if key != 'param' and not re.fullmatch(r'\w+', str(text)):
                yield f'{block}.{key}: expected one name, got `{text}`'
    names = arg_names(entry)
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f'args: expected each name once, got {name} twice'


def rule_types(entry):
    if not entry.tensors:
        yield 'args: expected a Tensor, got none'
    for tensor in entry.tensors:
        if tensor.type != 'Tensor':
            yield (
                f'args: expected Tensor for {tensor.name}, got `{tensor.type}`: '
                'the wheel target knows no other'
            )
    for attr in entry.attrs:
        if attr.type not in ATTR_TYPES:
            yield (
                f'args: expected a type out of {", ".join(ATTR_TYPES)} for '
                f'{attr.name}, got `{attr.type}`: the wheel target knows no other'
            )


def rule_defaults(entry):
    for attr in entry.attrs:
        known = ATTR_TYPES.get(attr.type)
        text = attr.default
        if known and text is not None and not known.fullmatch(text):
            yield (
                f'args: expected a literal {attr.type} as the default of '
                f'{attr.name}, got `{text}`'
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


def _unknown(key, names, known):
    for name in names:
        if name not in known:
            yield (
                f'{key}: expected a name out of {", ".join(known)}, got {name}'
            )


def rule_inplace(entry):
    for source, target in entry.inplace:
        yield from _unknown(
            'inplace', [source], [t.name for t in entry.tensors]
        )
        yield from _unknown(
            'inplace', [target], [o.name for o in entry.outputs]
        )
    for side, what in enumerate(('input', 'output')):
        names = [pair[side] for pair in entry.inplace]
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f'inplace: expected each {what} once, got {name} twice'
    if entry.inplace and not entry.is_backward and len(entry.outputs) > 1:
        yield (
            'inplace: expected it of an op with one result, got '
            f'{len(entry.outputs)}: the wheel target knows no other'
        )


def rule_marks(entry):
    names = [t.name for t in entry.tensors]
    for key in ('optional', 'no_need_buffer'):
        yield from _unknown(key, marked(entry.raw, key), names)


def rule_data_type(entry):
    """It names a Tensor that is always there, and its values too."""
    key, name = 'kernel.data_type', entry.data_type
    if name is None:
        if any(t.no_need_buffer for t in entry.tensors):
            yield f'{key}: expected a Tensor outside of no_need_buffer, got none'
        return
    tensor = entry.tensor(name)
    if tensor is None:
        yield from _unknown(key, [name], [t.name for t in entry.tensors])
    elif tensor.optional:
        yield f'{key}: expected no optional Tensor, got {name}'
    elif tensor.no_need_buffer:
        yield f'{key}: expected a Tensor outside of no_need_buffer, got {name}'


def rule_optional(entry):
    """The wheel target knows absent Tensors in gradients only."""
    if entry.is_backward or not entry.backward:
        return
    for tensor in entry.tensors:
        if tensor.optional:
            yield (
                'optional: expected none in an op that has a gradient, got '
                f'{tensor.name}: the wheel target knows them in gradients only'
            )


def rule_one_result(entry):
    if entry.backward and not entry.is_backward and len(entry.outputs) > 1:
        yield (
            'output: expected one result of an op that has a gradient, got '
            f'{len(entry.outputs)}: the wheel target knows no other'
        )


ENTRY_RULES = (
    rule_names,
    rule_types,
    rule_defaults,
    rule_defaults_last,
    rule_param_names,
    rule_inplace,
    rule_marks,
    rule_data_type,
    rule_optional,
    rule_one_result,
)
