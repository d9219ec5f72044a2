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
    """Literals, after the arguments without a default."""
    seen = None
    for attr in entry.attrs:
        known, text = ATTR_TYPES.get(attr.type), attr.default
        if known and text is not None and not known.fullmatch(text):
            yield (
                f'args: expected a literal {attr.type} as the default of '
                f'{attr.name}, got `{text}`'
            )
        if text is not None:
            seen = attr.name
        elif seen:
            yield (
                f'args: expected a default for {attr.name}, as {seen} before '
                'it has one, got none'
            )


def arg_names(entry):
    return [a.name for a in (*entry.tensors, *entry.attrs)]


def rule_known_names(entry):
    """What is named elsewhere stands among the arguments or results."""
    tensors = [t.name for t in entry.tensors]
    results = [o.name for o in entry.outputs]
    sources, targets = zip(*entry.inplace) if entry.inplace else ((), ())
    data_type = [entry.data_type] if entry.data_type else []
    for key, names, known in (
        ('infer_meta.param', entry.infer_meta_param, arg_names(entry)),
        ('kernel.param', entry.kernel_param, arg_names(entry)),
        ('kernel.data_type', data_type, tensors),
        ('optional', marked(entry.raw, 'optional'), tensors),
        ('inplace', sources, tensors),
        ('inplace', targets, results),
        ('no_need_buffer', marked(entry.raw, 'no_need_buffer'), tensors),
    ):
        listed = ', '.join(known)
        for name in names or ():
            if name not in known:
                yield f'{key}: expected a name out of {listed}, got {name}'


def rule_inplace(entry):
    for side, what in enumerate(('input', 'output')):
        names = [pair[side] for pair in entry.inplace]
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield f'inplace: expected each {what} once, got {name} twice'


def rule_data_type(entry):
    """It names a Tensor that is always there, and its values too."""
    tensor = entry.tensor(entry.data_type)
    if tensor and tensor.optional:
        yield f'kernel.data_type: expected no optional Tensor, got {tensor.name}'
    unread = [t for t in entry.tensors if t.no_need_buffer]
    if tensor in unread or (unread and entry.data_type is None):
        yield (
            'kernel.data_type: expected a Tensor outside of no_need_buffer, '
            f'got {tensor.name if tensor else "none"}'
        )


def rule_wheel_target(entry):
    """Absent Tensors, and several results, in gradients only."""
    if entry.is_backward:
        return
    results = len(entry.outputs)
    got = f'got {results}: the wheel target knows no other'
    if entry.inplace and results > 1:
        yield f'inplace: expected it of an op with one result, {got}'
    if entry.backward and results > 1:
        yield f'output: expected one result of an op that has a gradient, {got}'
    for tensor in entry.tensors if entry.backward else ():
        if tensor.optional:
            yield (
                'optional: expected none in an op that has a gradient, got '
                f'{tensor.name}: the wheel target knows them in gradients only'
            )


ENTRY_RULES = (
    rule_names,
    rule_types,
    rule_defaults,
    rule_known_names,
    rule_inplace,
    rule_data_type,
    rule_wheel_target,
)
