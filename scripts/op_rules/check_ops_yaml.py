"""Checks ops_yaml/*.yaml: what entries may say, and that their names are free.

What an entry by itself may say, schema.py knows. That C++ takes what it says is for
the compiler, which the glue asks, and for Paddle's registry. The first fault of each
file is shown, as `file: entry: key: what was expected, what came`. Exit status: 0
clean, 1 faults, 2 wrong usage.
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
from scripts.op_rules.schema import load_file

ROOT = Path(__file__).resolve().parents[2]
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
        try:
            check_file(path, owners)
        except (yaml.YAMLError, TypeError, ValueError) as error:
            faults.append(f'{path.name}: {error}')
    return faults


def check_file(path, owners):
    entries = load_file(path).entries
    ops = [entry.name for entry in entries if not entry.is_backward]
    if ops != [path.stem]:
        raise ValueError(
            f'expected one op, named {path.stem} as the file, got {ops}'
        )
    known = {entry.name: entry for entry in entries}
    for entry in entries:
        owner = owners.setdefault(entry.name, entry)
        entry.expect(owner is entry, 'name', 'a new one', entry.name)
    for entry in entries:
        if entry.backward:
            found = [x for x in known if known[x].called_by == entry.name]
            entry.expect_names('backward', [entry.backward], found)
        if entry.is_backward:
            entry.expect_names('forward', [entry.called_by], known)
            check_gradient(entry, known[entry.called_by])


def check_gradient(entry, of):
    """A gradient has what the entry has that it is the gradient of."""
    line = f'{of.args} -> {of.output}'
    if of.is_backward:  # what ends in _grad begins with grad_ there
        line = re.sub(r'(\w+)_grad\b', r'grad_\1', line)
    same = entry.forward.replace(' ', '') == f'{of.name}{line}'.replace(' ', '')
    entry.expect(same, 'forward', f'`{of.name} {line}`', entry.forward)
    inputs, outputs = (
        re.findall(r'Tensor ?\(?(\w+)', part) for part in line.split(' -> ')
    )
    known = [*inputs, *outputs, *(f'{name}_grad' for name in outputs)]
    known += [x.name for x in of.attrs]
    names = [x.name for x in (*entry.tensors, *entry.attrs)]
    entry.expect_names('args', names, known)
    known = [f'{name}_grad' for name in inputs]
    entry.expect_names('output', [x.name for x in entry.outputs], known)


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
    print(f'check_ops_yaml: {len(taken)} names are taken, see {headers}')
    faults = check_folder(ROOT / 'ops_yaml', taken)
    if not taken and (asked or headers.is_dir()):
        faults.append(f'{headers} has none of {", ".join(HEADERS)}')
    return verdict('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
