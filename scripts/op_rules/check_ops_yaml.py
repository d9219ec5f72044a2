"""Checks ops_yaml/*.yaml: what entries may say, and that their names are free.

Paddle knows more keys and types than the wheel target can carry out; those are
refused, and so are names that nothing defines. That C++ takes what an entry says is
for the compiler, which the glue asks, and for Paddle's registry. All faults are
shown in one run, as `file: entry: key: what was expected, what came`. Exit status:
0 clean, 1 faults, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import verdict
from scripts.common.wheel_headers import default_include
from scripts.op_rules.schema import (
    ENTRY_KEYS,
    parse_args,
    parse_entry,
    parse_outputs,
    split_items,
)

ROOT = Path(__file__).resolve().parents[2]
NAME, NAMES, LIST = r'\w+', r'\w+(, \w+)*', r'\[\w+(, \w+)*\]'
OUTPUTS = r'Tensor ?\(\w+\)(?:, Tensor ?\(\w+\))*'
# key, or block.key -> the text that stands there
KEYS = {
    'op': r'[a-z][a-z0-9_]*[a-z0-9]',
    'backward_op': r'[a-z][a-z0-9_]*[a-z0-9]',
    'forward': rf'\w+ \((.+)\) -> ({OUTPUTS})',
    'args': r'\((Tensor .+)\)',
    'output': OUTPUTS,
    'infer_meta.func': NAME,
    'infer_meta.spmd_rule': NAME,
    'infer_meta.param': LIST,
    'kernel.func': NAME,
    'kernel.param': LIST,
    'kernel.data_type': NAME,
    'optional': NAMES,
    'inplace': r'\(\w+ -> \w+\)',
    'backward': NAME,
    'no_need_buffer': NAMES,
    'interfaces': '.+',
    'traits': '.+',
}
NEEDED = ('args', 'output', 'infer_meta.func', 'kernel.func')
# type of an attribute -> its defaults, as Paddle's generators and Python read them
ATTR_TYPES = {
    'bool': 'true|false',
    'int': r'-?\d+',
    'int64_t': r'-?\d+',
    'float': r'-?\d+(\.\d*)?(e-?\d+)?',
    'str': '"[^"]*"',
}
ARGUMENTS = (
    r'Tensor \w+',
    *(rf'{kind} \w+( ?= ?({text}))?' for kind, text in ATTR_TYPES.items()),
)
# Paddle generates its headers from its own YAML, and what this project builds into
# a Paddle never touches them. The C++ API has each operator that can be called; the
# PIR dialect has the gradients too.
HEADERS = {
    'phi/api/include/api.h': r'(?m)^PADDLE_API [^(]*?(\w+?)_?\(',
    'phi/api/include/fused_api.h': r'(?m)^PADDLE_API [^(]*?(\w+?)_?\(',
    'fluid/pir/dialect/operator/ir/pd_op.h': r'"pd_op\.(\w+?)_?"',
}


def base_names(folder):
    """{operator that an installed Paddle has: the header that says so}"""
    names = {}
    for header, pattern in HEADERS.items():
        path = Path(folder) / header
        text = path.read_text(encoding='utf-8') if path.is_file() else ''
        for name in re.findall(pattern, text):
            names.setdefault(name, header)
    if not names:
        raise ValueError(
            f'{folder}: expected operators in {", ".join(HEADERS)}, got none'
        )
    return names


def check_folder(folder, taken=None):
    """Faults of all files of a folder; `taken`: {operator of the base: its header}."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        return [f'{folder}: expected .yaml files, got none']
    owners = dict(taken or {})
    return [
        f'{path.name}: {fault}'
        for path in paths
        for fault in file_faults(path, owners)
    ]


def file_faults(path, owners):
    """Faults of one file; `owners`, {name: who has it}, gets its entries."""
    try:
        raws = yaml.safe_load(path.read_text(encoding='utf-8'))
    except yaml.YAMLError as error:
        yield f'expected YAML, got: {error}'
        return
    if not isinstance(raws, list) or not all(isinstance(r, dict) for r in raws):
        yield 'expected a list of entries, got something else'
        return
    ops = [raw['op'] for raw in raws if 'op' in raw]
    if ops != [path.stem]:
        yield f'expected one op, named {path.stem} as the file, got {ops}'
    for name in map(name_of, raws):
        if name in owners:
            yield f'{name}: expected a new name, got one that {owners[name]} has'
        owners.setdefault(name, path.name)
    for name, fault in entries_faults(raws):
        yield f'{name}: {fault}'


def name_of(raw):
    names = (str(raw[key]) for key in ENTRY_KEYS if key in raw)
    return next(names, 'entry without name')


def entries_faults(raws):
    """[(entry's name, fault)] of a file. What entries name, and what they owe each
    other, is asked once all of them can be read."""
    faults = [(name_of(raw), said) for raw in raws for said in text_faults(raw)]
    if faults:
        return faults
    known = {entry.name: entry for entry in map(parse_entry, raws)}
    return [
        (entry.name, said)
        for entry in known.values()
        for said in (*name_faults(entry), *gradient_faults(entry, known))
    ]


def text_faults(raw):
    """Each key is known, and its text looks as it says in KEYS."""
    found = {}
    for key, value in raw.items():
        block = value if isinstance(value, dict) else {'': value}
        for below, text in block.items():
            if isinstance(text, list):
                text = f'[{", ".join(map(str, text))}]'
            found[f'{key}.{below}'.rstrip('.')] = str(text)
    kinds = [key for key in ENTRY_KEYS if key in found]
    wanted = (*NEEDED, 'forward') if kinds == ['backward_op'] else NEEDED
    for key in wanted if len(kinds) == 1 else ENTRY_KEYS:
        if key not in found:
            yield f'{key}: expected this key, got none'
    for key, text in found.items():
        match = re.fullmatch(KEYS.get(key, ''), text)
        if key not in KEYS:
            yield f'{key}: expected a key out of {", ".join(KEYS)}'
        elif not match:
            yield f'{key}: expected a text like {KEYS[key]}, got `{text}`'
        elif key in ('args', 'forward'):
            yield from argument_faults(key, match[1])


def argument_faults(key, text):
    """Of `Tensor x, int axis = 0`."""
    for item in split_items(text):
        if not re.fullmatch('|'.join(ARGUMENTS), item):
            yield (
                f'{key}: expected `type name`, with ` = literal` if it has a '
                f'default, and a type out of Tensor, {", ".join(ATTR_TYPES)}, got '
                f'`{item}`: the wheel target knows no other'
            )


def unknown(key, names, known):
    for name in names:
        if name not in known:
            listed = ', '.join(known)
            yield f'{key}: expected a name out of {listed}, got {name}'


def name_faults(entry):
    """What is named stands among the arguments or results. An op that has a gradient
    has one result, and none of its Tensors is optional."""
    tensors = [t.name for t in entry.tensors]
    results = [o.name for o in entry.outputs]
    everything = [*tensors, *(a.name for a in entry.attrs)]
    optional = [t.name for t in entry.tensors if t.optional]
    for key, names, known in (
        ('infer_meta.param', entry.infer_meta_param or (), everything),
        ('kernel.param', entry.kernel_param or (), everything),
        ('kernel.data_type', split_items(entry.data_type or ''), tensors),
        ('inplace', [source for source, _ in entry.inplace], tensors),
        ('inplace', [target for _, target in entry.inplace], results),
    ):
        yield from unknown(key, names, known)
    for key in ('optional', 'no_need_buffer'):
        yield from unknown(key, split_items(entry.raw.get(key, '')), tensors)
    if entry.backward and not entry.is_backward and optional:
        yield (
            'optional: expected none in an op that has a gradient, got '
            f'{", ".join(optional)}: the wheel target knows them in gradients only'
        )
    limited = entry.backward or entry.inplace
    if limited and not entry.is_backward and results[1:]:
        yield (
            'output: expected one result of an op that has a gradient or a form in '
            f'place, got {", ".join(results)}: the wheel target knows no other'
        )


def seen_name(forward, name):
    """Name under which a gradient sees an argument of what it differentiates."""
    if forward.is_backward and name.endswith('_grad'):
        return f'grad_{name.removesuffix("_grad")}'
    return name


def gradient_faults(entry, known):
    """What an entry and its gradient, or what it is the gradient of, owe each
    other. `known`: the entries of the file by name."""
    gradient = known.get(entry.backward)
    if entry.backward and (not gradient or gradient.forward != entry.name):
        yield (
            f'backward: expected a gradient of {entry.name} in this file, got '
            f'{entry.backward}'
        )
    if not entry.is_backward:
        return
    forward = known.get(entry.forward)
    if not forward:
        yield f'forward: expected an entry of this file, got {entry.forward}'
        return
    inputs = [seen_name(forward, t.name) for t in forward.tensors]
    results = [seen_name(forward, o.name) for o in forward.outputs]
    args, output = re.fullmatch(KEYS['forward'], entry.raw['forward']).groups()
    said = (*parse_args(args), parse_outputs(output))
    if said != (inputs, forward.attrs, results):
        yield (
            f'forward: expected the arguments and results of {forward.name}, got '
            f'{entry.raw["forward"]}'
        )
    tensors = [*inputs, *results, *(f'{name}_grad' for name in results)]
    yield from unknown('args', [t.name for t in entry.tensors], tensors)
    attrs = [f'{a.type} {a.name}' for a in forward.attrs]
    yield from unknown(
        'args', [f'{a.type} {a.name}' for a in entry.attrs], attrs
    )
    gradients = [f'{name}_grad' for name in inputs]
    yield from unknown('output', [o.name for o in entry.outputs], gradients)


def main(argv=None):
    known = default_include(ROOT) / 'paddle'
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('folder', nargs='?', type=Path, default=ROOT / 'ops_yaml')
    add(
        '--paddle-include',
        type=Path,
        metavar='DIR',
        default=known if known.is_dir() else None,
        help="include/paddle of a Paddle without this project's operators "
        "(default: that of this Python's paddle)",
    )
    arguments = parser.parse_args(argv)
    headers = arguments.paddle_include
    try:
        taken = base_names(headers) if headers else {}
    except ValueError as error:
        return verdict('check_ops_yaml', [error], 'clean')
    told = (
        f'{len(taken)} names are taken, see {headers}'
        if headers
        else 'this Python has no headers of Paddle, so whether a name is taken '
        'was NOT checked'
    )
    print(f'check_ops_yaml: {told}')
    faults = check_folder(arguments.folder, taken)
    return verdict('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
