"""The one form of entries: what was read, written again, is the same text.

Paddle's generators read most values with regular expressions and die, or drop a
part in silence, where the text does not match; a part that is not read here is
not written again. Paddle knows more keys and forms; what the wheel target cannot
carry out is left out, so that both targets do the same.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import zip_longest

from scripts.op_rules.schema import marked


def arguments(entry, name=str):
    """`Tensor x, int axis = 0` of an entry."""
    tensors = [f'{t.type} {name(t.name)}' for t in entry.tensors]
    attrs = [
        f'{a.type} {a.name}' + (f' = {a.default}' if a.default else '')
        for a in entry.attrs
    ]
    return ', '.join(tensors + attrs)


def outputs(entry, name=str):
    return ', '.join(f'{o.type}({name(o.name)})' for o in entry.outputs)


def seen_name(forward, name):
    """Name under which a gradient sees an argument of what it differentiates."""
    if forward.is_backward and name.endswith('_grad'):
        return f'grad_{name[: -len("_grad")]}'
    return name


def entry_lines(entry, known):
    """An entry as it has to stand in its file. `known`: entries by name, as a
    forward line repeats its entry."""
    yield f'- {entry.kind} : {entry.name}'
    forward = known.get(entry.forward)
    if forward:
        seen = partial(seen_name, forward)
        names = f'({arguments(forward, seen)}) -> {outputs(forward, seen)}'
        yield f'  forward : {forward.name} {names}'
    elif entry.forward:
        yield f'  forward : {entry.raw["forward"]}'
    yield f'  args : ({arguments(entry)})'
    yield f'  output : {outputs(entry)}'
    for block, keys in (
        ('infer_meta', ('func', 'spmd_rule', 'param')),
        ('kernel', ('func', 'param', 'data_type')),
    ):
        yield f'  {block} :'
        for key in keys:
            value = entry.raw.get(block, {}).get(key)
            if isinstance(value, list):
                value = f'[{", ".join(map(str, value))}]'
            if value is not None:
                yield f'    {key} : {value}'
    texts = {
        'optional': ', '.join(marked(entry.raw, 'optional')),
        'inplace': ', '.join(f'({a} -> {b})' for a, b in entry.inplace),
        'backward': entry.backward,
        'no_need_buffer': ', '.join(marked(entry.raw, 'no_need_buffer')),
        'interfaces': entry.raw.get('interfaces'),
        'traits': entry.raw.get('traits'),
    }
    for key, text in texts.items():
        if text:
            yield f'  {key} : {text}'


def plain(line):
    """A line without the blanks on which Paddle's files do not agree."""
    line = line.replace('Tensor (', 'Tensor(')
    return re.sub(r' *= *', ' = ', line) if '=' in line else line


def form_faults(source, entries):
    """(line, fault) of lines that are others than they have to be: the op comes
    first, then the backward_ops in alphabetical order. Only of the first one if
    those behind it need not be wrong."""
    in_order = sorted(entries, key=lambda e: (e.is_backward, e.name))
    known = {entry.name: entry for entry in entries}
    texts = ['\n'.join(entry_lines(entry, known)) for entry in in_order]
    wanted = '\n\n'.join(texts).split('\n')
    found = source.strip('\n').split('\n')
    above = len(source) - len(source.lstrip('\n'))
    pairs = zip_longest(found, wanted, fillvalue='')
    for number, (line, right) in enumerate(pairs, 1 + above):
        if plain(line) != right:
            yield number, f'expected `{right.strip()}`, got `{line.strip()}`'
            if heads(found) != heads(wanted):
                return


def heads(lines):
    return [(n, x) for n, x in enumerate(lines) if x.startswith('- ')]
