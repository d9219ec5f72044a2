"""What the text of a YAML entry has to look like for Paddle's code generators.

They read most values with regular expressions and die, or drop a part in silence,
where the text does not match. Each rule takes an entry as YAML gives it and yields
its faults as `key: sentence`.
"""

from __future__ import annotations

import re

STRING_KEYS = {
    'op', 'backward_op', 'forward', 'args', 'output', 'backward', 'invoke',
    'inplace', 'view', 'optional', 'intermediate', 'no_need_buffer',
    'composite', 'support_tensor', 'traits', 'interfaces',
}  # fmt: skip
BLOCK_KEYS = {
    'infer_meta': {
        'func', 'param', 'spmd_rule', 'local_shape', 'global_shape',
    },
    'kernel': {
        'func', 'param', 'data_type', 'layout', 'backend', 'force_backend',
    },
    'data_transform': {'skip_transform', 'support_trans_dtype'},
}  # fmt: skip
FREE_KEYS = {'support_dygraph_mode'}

NAME = re.compile(r'[a-z][a-z0-9_]+')
# The parts of a forward line as the generators cut it: up to the first `)`.
FORWARD = re.compile(r'[a-z][a-z0-9_]+\s*\([^)]+\)\s*->\s*\S.*')
ARGUMENT = re.compile(r'[\w()\[\]]+ [A-Za-z]\w*(\s*=\s*[^\s=][^=]*)?')
OUTPUT = re.compile(r'Tensor(\[\])?\s*(\(\w+\))?\s*(\{[^}]+\})?')
PAIR = re.compile(r'\(\s*\w+\s*->\s*\w+\s*\)')
CALL = re.compile(r'\w+\s*\([^)]+\)')
KERNELS = re.compile(r'\w+\s*(\{[^}]+->[^}]+\})?')
CANDIDATE = re.compile(r'\w+|complex\(\w+\)')
# Commas in braces belong to a default such as {1, 1}; quotes protect none.
COMMA = re.compile(r',(?![^{]*\})')

# key -> (what each item between commas must match, what to call it)
ITEMS = {
    'output': (OUTPUT, '`Tensor(name)` or `Tensor[](name){size}`'),
    'inplace': (PAIR, '`(input -> output)`'),
    'view': (PAIR, '`(input -> output)`'),
    'optional': (re.compile(r'\w+'), 'a name'),
    'intermediate': (re.compile(r'\w+'), 'a name'),
    'no_need_buffer': (re.compile(r'\w+'), 'a name'),
    'data_transform.skip_transform': (re.compile(r'\w+'), 'a name'),
    'data_transform.support_trans_dtype': (re.compile(r'\w+'), 'a name'),
    'traits': (re.compile(r'(\w+::)+\w+'), 'a C++ class with its namespace'),
    'interfaces': (
        re.compile(r'(\w+::)+\w+'),
        'a C++ class with its namespace',
    ),
    'kernel.func': (KERNELS, '`kernel` or `kernel {dense -> dense}`'),
}


def split_items(text):
    """The parts between commas, as the generators cut them."""
    return [item.strip() for item in COMMA.split(text.strip())]


def value_of(raw, key):
    """The value of `kernel` or `kernel.param`; None where there is none."""
    outer, _, inner = key.partition('.')
    value = raw.get(outer)
    if not inner:
        return value
    return value.get(inner) if isinstance(value, dict) else None


def candidates(text):
    """The arguments that data_type, layout or backend name."""
    items = str(text or '').split('>' if '>' in str(text) else ',')
    return [re.sub(r'^complex\((\w+)\)$', r'\1', i.strip()) for i in items if i]


def rule_keys(raw):
    known = STRING_KEYS | FREE_KEYS | set(BLOCK_KEYS)
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
    for key in ('args', 'output', *(['forward'] if backward else [])):
        if key not in raw:
            yield f'{key}: expected this key, got none'
    if 'forward' in raw and not backward:
        yield 'forward: expected this key in a backward_op only'
    if 'invoke' in raw:
        for key in ('infer_meta', 'kernel'):
            if key in raw:
                yield f'{key}: expected invoke or {key}, got both'
    elif 'infer_meta' not in raw or not {'kernel', 'composite'} & set(raw):
        yield 'entry: expected infer_meta and kernel (or invoke), got neither'


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
    if 'backward_op' in raw:
        yield from _inner_bracket_faults('args', text)


def rule_forward(raw):
    text = raw.get('forward')
    if not isinstance(text, str):
        return
    found = list(_inner_bracket_faults('forward', text.partition('->')[0]))
    yield from found
    if not found and not FORWARD.fullmatch(text):
        yield (
            'forward: expected `name (Tensor x, int axis) -> Tensor(out)`, got '
            f'`{text}`'
        )
    elif not found:
        left, _, outputs = text.partition('->')
        inside = left[left.index('(') + 1 : left.rindex(')')]
        yield from _argument_faults('forward', inside)
        yield from _item_faults('forward', outputs, *ITEMS['output'])


def rule_items(raw):
    for key, (pattern, what) in ITEMS.items():
        text = value_of(raw, key)
        if isinstance(text, str):
            yield from _item_faults(key, text, pattern, what)
        elif text is not None and key.startswith('data_transform'):
            yield f'{key}: expected names with commas, got {text!r}'


def rule_single_names(raw):
    for key in ('backward', 'infer_meta.func'):
        text = value_of(raw, key)
        if isinstance(text, str) and not re.fullmatch(r'\w+', text):
            yield f'{key}: expected one name, got `{text}`'


def rule_calls(raw):
    for key in ('invoke', 'composite'):
        text = raw.get(key)
        if isinstance(text, str) and not CALL.match(text):
            yield f'{key}: expected `function(x, y)`, got `{text}`'


def rule_candidates(raw):
    for key in ('data_type', 'layout', 'backend'):
        text = value_of(raw, f'kernel.{key}')
        for item in re.split('[,>]', text) if isinstance(text, str) else ():
            if not CANDIDATE.fullmatch(item.strip()):
                yield (
                    f'kernel.{key}: expected names with `,` or `>`, got `{text}`'
                )


def _argument_faults(key, inside):
    for item in split_items(inside):
        if not ARGUMENT.fullmatch(item):
            yield (
                f'{key}: expected `type name` or `type name = default` with one '
                f'blank after the type, got `{item}`'
            )


def _inner_bracket_faults(key, text):
    """Every generator takes such a list to end at the first `)`."""
    inside = text[text.find('(') + 1 : text.rfind(')')]
    for item in split_items(inside):
        if '(' in item or ')' in item:
            better = re.sub(r'\(\w*\)', '', item)
            yield f'{key}: expected `{better}` without brackets, got `{item}`'


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
    rule_calls,
    rule_candidates,
)
