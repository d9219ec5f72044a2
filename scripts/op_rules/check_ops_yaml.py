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
from scripts.op_rules.schema import declared

ROOT = Path(__file__).resolve().parents[2]
NAME, NAMES, LIST = r'\w+', r'\w+(, \w+)*', r'\[\w+(, \w+)*\]'
OUTPUT = r'Tensor ?\(\w+\)'
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
# key, or block.key -> the text that stands there
KEYS = {
    'op': r'[a-z][a-z0-9_]*[a-z0-9]',
    'backward_op': r'[a-z][a-z0-9_]*[a-z0-9]',
    'forward': r'\w+ \(.+\) -> .+',
    'args': r'\(Tensor .+\)',
    'output': f'{OUTPUT}(, {OUTPUT})*',
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
# Keys that name Tensors of the entry, and those that name its attributes too.
OF_TENSORS = ('kernel.data_type', 'optional', 'inplace', 'no_need_buffer')
OF_ARGUMENTS = ('infer_meta.param', 'kernel.param')
# Paddle generates its headers from its own YAML, and what this project builds into
# a Paddle never touches them. The C++ API has each operator that can be called; the
# PIR dialect has the gradients too.
HEADERS = (
    'phi/api/include/api.h',
    'phi/api/include/fused_api.h',
    'fluid/pir/dialect/operator/ir/pd_op.h',
)
OPERATOR = re.compile(r'(?m)(?:^PADDLE_API [^(]*?|"pd_op\.)(\w+?)_?["(]')


def base_names(folder):
    """The operators that an installed Paddle has."""
    paths = [Path(folder, header) for header in HEADERS]
    texts = [path.read_text('utf-8') for path in paths if path.is_file()]
    return set(OPERATOR.findall('\n'.join(texts)))


def check_folder(folder, taken=()):
    """Faults of all files of a folder; `taken`: the operators of the base."""
    paths = sorted(Path(folder).glob('*.yaml'))
    faults = [] if paths else [f'{folder}: expected .yaml files, got none']
    owners = dict.fromkeys(taken, 'Paddle')  # and then who has a name
    for path in paths:
        faults += [f'{path.name}: {said}' for said in file_faults(path, owners)]
    return faults


def file_faults(path, owners):
    try:
        entries = [flat(raw) for raw in yaml.safe_load(path.read_text('utf-8'))]
    except (yaml.YAMLError, AttributeError, TypeError) as error:
        yield f'expected YAML, a list of entries, got: {error}'
        return
    ops = [entry['op'] for entry in entries if 'op' in entry]
    if ops != [path.stem]:
        yield f'expected one op, named {path.stem} as the file, got {ops}'
    for name in map(name_of, entries):
        if name in owners:
            yield f'{name}: expected a new name, got one that {owners[name]} has'
        owners.setdefault(name, path.name)
    faults = [(e, said) for e in entries for said in text_faults(e)]
    if not faults:  # what entries name is asked once all of them can be read
        known = {name_of(entry): entry for entry in entries}
        faults = [(e, said) for e in entries for said in name_faults(e, known)]
    for entry, said in faults:
        yield f'{name_of(entry)}: {said}'


def flat(raw):
    """{key, or block.key: its text} of an entry."""
    found = {}
    for key, value in raw.items():
        block = value if isinstance(value, dict) else {'': value}
        for below, text in block.items():
            if isinstance(text, list):
                text = f'[{", ".join(map(str, text))}]'
            found[f'{key}.{below}'.rstrip('.')] = str(text)
    return found


def name_of(entry):
    return entry.get('op') or entry.get('backward_op', 'entry without name')


def text_faults(entry):
    """Each key is known, and its text looks as it says in KEYS."""
    kind = ('op',) if 'op' in entry else ('backward_op', 'forward')
    for key in (*kind, *NEEDED):
        if key not in entry:
            yield f'{key}: expected this key, got none'
    for key, text in entry.items():
        if key not in KEYS:
            yield f'{key}: expected a key out of {", ".join(KEYS)}'
        elif not re.fullmatch(KEYS[key], text):
            yield f'{key}: expected a text like {KEYS[key]}, got `{text}`'
    # as Paddle's generators cut them: quotes protect no comma
    items = re.split(', *', entry.get('args', '')[1:-1])
    for item in items:
        if not re.fullmatch('|'.join(ARGUMENTS), item):
            yield (
                'args: expected `type name`, with ` = literal` if it has a '
                f'default, and a type out of Tensor, {", ".join(ATTR_TYPES)}, got '
                f'`{item}`: the wheel target knows no other'
            )
    if items != sorted(items, key=lambda item: not item.startswith('Tensor ')):
        yield f'args: expected Tensors first, got `{entry["args"]}`'
    several = ',' in entry.get('output', '')
    if 'op' in entry and (several or 'optional' in entry):
        yield (
            'op: expected one result and no optional Tensor, got more: the wheel '
            'target knows them in gradients only'
        )


def unknown(key, names, known):
    for name in names:
        if name not in known:
            listed = ', '.join(known)
            yield f'{key}: expected a name out of {listed}, got {name}'


def name_faults(entry, known):
    """What an entry names is there, and a gradient has what the entry has that it
    differentiates; `known`: the entries of the file by name."""
    args, results = declared(entry['args']), declared(entry['output'])
    for keys, kinds in ((OF_TENSORS, 'Tensor'), (OF_ARGUMENTS, '')):
        names = [x.split()[1] for x in args + results if x.startswith(kinds)]
        for key in keys:
            words = re.findall(r'\w+', entry.get(key, ''))
            yield from unknown(key, words, names)
    if 'backward' in entry:
        found = [x for x in known if called_by(known[x]) == name_of(entry)]
        yield from unknown('backward', [entry['backward']], found)
    if called_by(entry) in known:
        line = forward_line(known[called_by(entry)])
        if squeezed(entry['forward']) != squeezed(line):
            yield f'forward: expected `{line}`, got `{entry["forward"]}`'
        inputs, outputs = map(declared, line.partition(' ')[2].split(' -> '))
        grads = [f'{x}_grad' for x in outputs]
        yield from unknown('args', args, [*inputs, *outputs, *grads])
        grads = [f'{x}_grad' for x in inputs if x.startswith('Tensor')]
        yield from unknown('output', results, grads)
    elif 'forward' in entry:
        yield from unknown('forward', [called_by(entry)], known)


def called_by(entry):
    """The operator that an entry is the gradient of."""
    return entry.get('forward', '').partition(' ')[0]


def forward_line(entry):
    """What the gradient of an entry says in `forward`: its arguments and results,
    where those of a gradient that end in _grad begin with grad_."""
    text = f'{entry["args"]} -> {entry["output"]}'
    if 'backward_op' in entry:
        text = re.sub(r'(\w+)_grad\b', r'grad_\1', text)
    return f'{name_of(entry)} {text}'


def squeezed(text):
    """Without the spaces that mean nothing."""
    return re.sub(r' ?([(),=]) ?', r'\1', text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        '--paddle-include',
        type=Path,
        metavar='DIR',
        help="include/paddle of a Paddle without this project's operators "
        "(default: that of this Python's paddle)",
    )
    asked = parser.parse_args(argv).paddle_include
    headers = asked or default_include(ROOT) / 'paddle'
    taken = base_names(headers)
    faults = check_folder(ROOT / 'ops_yaml', taken)
    told = f'{len(taken)} names are taken, see {headers}'
    if not taken:
        told = f'{headers} has none of {", ".join(HEADERS)}'
        faults += [told] if asked or headers.is_dir() else []
        told += ', so whether a name is taken was NOT checked'
    print(f'check_ops_yaml: {told}')
    return verdict('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
