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

TEXT_KEYS = (
    'op', 'backward_op', 'forward', 'args', 'output', 'backward', 'inplace',
    'optional', 'no_need_buffer', 'traits', 'interfaces',
)  # fmt: skip
# key -> what it may hold: text, a list, or further keys.
SHAPE = {
    **dict.fromkeys(TEXT_KEYS, str),
    'infer_meta': {'func': str, 'param': list, 'spmd_rule': str},
    'kernel': {'func': str, 'param': list, 'data_type': str},
}
KINDS = {str: 'one line of text', list: 'a list [a, b]', dict: 'keys below it'}

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


def rule_shape(raw, shape=SHAPE, start=''):
    for key, value in raw.items():
        below = shape.get(key)
        kind = dict if isinstance(below, dict) else below
        if key not in shape:
            known = _listed(shape)
            yield f'{start}{key}: unknown key; expected one of {known}'
        elif not isinstance(value, kind):
            yield f'{start}{key}: expected {KINDS[kind]}, got {value!r}'
        elif kind is dict:
            if 'func' not in value:
                yield f'{key}: expected a func, got none'
            yield from rule_shape(value, below, f'{key}.')


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
    text = raw['args']
    if text.startswith('(') and text.endswith(')'):
        yield from _argument_faults('args', text[1:-1])
    else:
        yield f'args: expected a list in brackets, got `{text}`'


def rule_forward(raw):
    text = raw.get('forward', '')
    if FORWARD.fullmatch(text):
        left, _, outputs = text.partition('->')
        inside = left[left.index('(') + 1 : left.rindex(')')]
        yield from _argument_faults('forward', inside)
        yield from _item_faults('forward', outputs, *ITEMS['output'])
    elif 'forward' in raw:
        yield (
            'forward: expected `name (Tensor x, int axis) -> Tensor(out)`, got '
            f'`{text}`'
        )


def rule_items(raw):
    for key, (pattern, what) in ITEMS.items():
        if key in raw:
            yield from _item_faults(key, raw[key], pattern, what)
            yield from _twin_faults(key, split_items(raw[key]))


def rule_single_names(raw):
    names = {'backward': raw.get('backward', 'none')}
    for block in ('infer_meta', 'kernel'):
        for key, text in raw[block].items():
            if key != 'param':
                names[f'{block}.{key}'] = text
    for key, text in names.items():
        if not re.fullmatch(r'\w+', text):
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


TEXT_RULES = (
    rule_name,
    rule_args,
    rule_forward,
    rule_items,
    rule_single_names,
)


def grammar_faults(raw):
    """Of an entry's keys; if these are right, of what stands behind them."""
    found = [*rule_shape(raw), *rule_needed_keys(raw)]
    return found or [fault for rule in TEXT_RULES for fault in rule(raw)]
