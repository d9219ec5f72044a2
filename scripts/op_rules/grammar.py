"""What the text of a YAML entry has to look like for the generators.

Paddle's read most values with regular expressions and die, or drop a part in
silence, where the text does not match. They know more keys and forms than stand
here; what the wheel target cannot carry out is left out, so that both targets do
the same. Each rule takes an entry as YAML gives it and yields its faults as
`key: sentence`.
"""

from __future__ import annotations

import re

from scripts.op_rules.schema import split_items

STRING_KEYS = {
    'op', 'backward_op', 'forward', 'args', 'output', 'backward', 'inplace',
    'optional', 'no_need_buffer', 'traits', 'interfaces',
}  # fmt: skip
BLOCK_KEYS = {
    'infer_meta': {'func', 'param', 'spmd_rule'},
    'kernel': {'func', 'param', 'data_type'},
}

NAME = re.compile(r'[a-z][a-z0-9_]+')
# The parts of a forward line as the generators cut it: up to the first `)`.
FORWARD = re.compile(r'[a-z][a-z0-9_]+\s*\([^)]+\)\s*->\s*\S.*')
ARGUMENT = re.compile(r'[\w()\[\]]+ [A-Za-z]\w*(\s*=\s*[^\s=][^=]*)?')
OUTPUT = re.compile(r'Tensor\s*(\(\w+\))?')
PAIR = re.compile(r'\(\s*\w+\s*->\s*\w+\s*\)')
A_NAME = (re.compile(r'\w+'), 'a name')
A_CLASS = (re.compile(r'(\w+::)+\w+'), 'a C++ class with its namespace')

# key -> (what each item between commas must match, what to call it)
ITEMS = {
    'output': (OUTPUT, '`Tensor(name)`'),
    'inplace': (PAIR, '`(input -> output)`'),
    'optional': A_NAME,
    'no_need_buffer': A_NAME,
    'traits': A_CLASS,
    'interfaces': A_CLASS,
}
SINGLE_NAMES = (
    'backward', 'infer_meta.func', 'infer_meta.spmd_rule', 'kernel.func',
    'kernel.data_type',
)  # fmt: skip


def value_of(raw, key):
    """The value of `kernel` or `kernel.param`; None where there is none."""
    outer, _, inner = key.partition('.')
    value = raw.get(outer)
    if not inner:
        return value
    return value.get(inner) if isinstance(value, dict) else None


def rule_keys(raw):
    known = STRING_KEYS | set(BLOCK_KEYS)
    for key, value in raw.items():
        if key not in known:
            yield f'{key}: unknown key; expected one of {_listed(known)}'
        elif key in STRING_KEYS and not isinstance(value, str):
            yield f'{key}: expected one line of text, got {value!r}'
        elif key in BLOCK_KEYS and not isinstance(value, dict):
            yield f'{key}: expected keys below it, got {value!r}'
        elif key in BLOCK_KEYS:
            for inner in set(value) - BLOCK_KEYS[key]:
                known_inner = _listed(BLOCK_KEYS[key])
                yield (
                    f'{key}.{inner}: unknown key; expected one of {known_inner}'
                )


def rule_blocks(raw):
    for key in ('infer_meta', 'kernel'):
        block = raw.get(key)
        if not isinstance(block, dict):
            continue
        if 'func' not in block:
            yield f'{key}: expected a func, got none'
        for inner, value in block.items():
            wanted = list if inner == 'param' else str
            if not isinstance(value, wanted):
                what = 'a list [a, b]' if wanted is list else 'text'
                yield f'{key}.{inner}: expected {what}, got {value!r}'


def rule_needed_keys(raw):
    backward = 'backward_op' in raw
    needed = ('args', 'output', 'infer_meta', 'kernel')
    for key in (*needed, *(['forward'] if backward else [])):
        if key not in raw:
            yield f'{key}: expected this key, got none'
    if 'forward' in raw and not backward:
        yield 'forward: expected this key in a backward_op only'


def rule_name(raw):
    name = str(raw.get('op', raw.get('backward_op', '')))
    if not NAME.fullmatch(name):
        yield (
            'entry: expected a name of two or more small letters, digits and '
            f'_, got `{name}`'
        )


def rule_args(raw):
    text = raw.get('args')
    if not isinstance(text, str):
        return
    if not (text.startswith('(') and text.endswith(')')):
        yield f'args: expected a list in brackets, got `{text}`'
        return
    yield from _argument_faults('args', text[1:-1])


def rule_forward(raw):
    text = raw.get('forward')
    if not isinstance(text, str):
        return
    if not FORWARD.fullmatch(text):
        yield (
            'forward: expected `name (Tensor x, int axis) -> Tensor(out)`, got '
            f'`{text}`'
        )
        return
    left, _, outputs = text.partition('->')
    inside = left[left.index('(') + 1 : left.rindex(')')]
    yield from _argument_faults('forward', inside)
    yield from _item_faults('forward', outputs, *ITEMS['output'])


def rule_items(raw):
    for key, (pattern, what) in ITEMS.items():
        text = value_of(raw, key)
        if isinstance(text, str):
            yield from _item_faults(key, text, pattern, what)
            yield from _twin_faults(key, split_items(text))


def rule_single_names(raw):
    for key in SINGLE_NAMES:
        text = value_of(raw, key)
        if isinstance(text, str) and not re.fullmatch(r'\w+', text):
            yield f'{key}: expected one name, got `{text}`'


def _argument_faults(key, inside):
    names, attr = [], ''
    for item in split_items(inside):
        head = item.partition('=')[0].strip()
        names.append(head.rpartition(' ')[2])
        if not ARGUMENT.fullmatch(item):
            yield (
                f'{key}: expected `type name` or `type name = default` with one '
                f'blank after the type, got `{item}`'
            )
        elif not head.startswith('Tensor'):
            attr = head
        elif attr:
            yield (
                f'{key}: expected Tensors before attributes, got `{item}` after '
                f'`{attr}`'
            )
    yield from _twin_faults(key, names)


def _twin_faults(key, names):
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f'{key}: expected each name once, got {name} twice'


def _item_faults(key, text, pattern, what):
    for item in split_items(text):
        if not pattern.fullmatch(item):
            yield f'{key}: expected {what}, got `{item}`'


def _listed(names):
    return ', '.join(sorted(names))


GRAMMAR_RULES = (
    rule_keys,
    rule_blocks,
    rule_needed_keys,
    rule_name,
    rule_args,
    rule_forward,
    rule_items,
    rule_single_names,
)
