"""Checks ops_yaml/*.yaml against what Paddle's code generators can read.

schema.py reads them, form.py judges their text, entry_rules.py what they say,
gradients.py what entries owe each other; base_names.py knows the operators that
Paddle already has. All faults are shown in one run, as `file:line: entry: key: what was expected,
what came`. Exit status: 0 clean, 1 faults, 2 wrong usage.
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
from scripts.op_rules.base_names import base_names, plain
from scripts.op_rules.entry_rules import ENTRY_RULES
from scripts.op_rules.form import form_faults
from scripts.op_rules.gradients import PAIR_RULES
from scripts.op_rules.schema import ENTRY_KEYS, SchemaError, parse_entry

ROOT = Path(__file__).resolve().parents[2]
ENTRY_LINE = re.compile(r'(?m)^- (?:op|backward_op) : (\w+)$')


def check_file(path, taken=None):
    """Faults of one file; `taken` maps the base's operators to a header."""
    found = dict.fromkeys(file_faults(path, taken or {}))
    in_order = sorted(found, key=lambda fault: fault[0])
    return [f'{path.name}:{line}: {text}' for line, text in in_order]


def file_faults(path, taken):
    """(line, fault) of everything that is wrong in a file."""
    source = path.read_text(encoding='utf-8')
    try:
        raws = yaml.safe_load(source)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        problem = getattr(error, 'problem', None) or error
        yield mark.line + 1 if mark else 1, f'expected YAML, got: {problem}'
        return
    if not isinstance(raws, list) or not all(isinstance(r, dict) for r in raws):
        yield 1, 'expected a list of entries, got something else'
        return
    numbered = enumerate(source.split('\n'), 1)
    lines = [number for number, line in numbered if line.startswith('- ')]
    yield from name_faults(path, raws, lines)
    read = []
    for raw, line, faults in entry_faults(raws, lines, taken, read):
        for fault in faults:
            yield line, f'{name_of(raw)}: {fault.removeprefix("entry: ")}'
    if len(read) == len(raws):
        yield from form_faults(source, read)


def entry_faults(raws, lines, taken, read):
    """(entry, line, its faults): the rules on each entry, then those between
    entries; `read` gets the entries that can be read."""
    for raw, line in zip(raws, lines):
        yield raw, line, taken_faults(raw, taken)
        try:
            entry = parse_entry(raw)
        except SchemaError as error:
            yield raw, line, [str(error)]
            continue
        read.append(entry)
        for rule in ENTRY_RULES:
            yield raw, line, rule(entry)
    if len(read) < len(raws):
        return  # what the others say of an unread entry means nothing
    known = {entry.name: entry for entry in reversed(read)}
    for entry, line in zip(read, lines):
        for rule in PAIR_RULES:
            yield entry.raw, line, rule(entry, known)


def name_of(raw):
    found = (str(raw[key]) for key in ENTRY_KEYS if key in raw)
    return next(found, 'entry without name')


def name_faults(path, raws, lines):
    """A file holds one op, and each of its entries once."""
    ops = [str(raw['op']) for raw in raws if 'op' in raw]
    if ops != [path.stem]:
        got = ', '.join(ops) or 'none'
        yield 1, f'expected one op, named {path.stem} as the file, got {got}'
    names = [name_of(raw) for raw in raws]
    for i, (name, line) in enumerate(zip(names, lines)):
        if name in names[:i]:
            yield line, f'{name}: expected one entry of this name'


def taken_faults(raw, taken):
    """A new operator needs a name that the base does not have."""
    name = name_of(raw)
    if plain(name) in taken:
        yield (
            'entry: expected a name that is new to Paddle, got one that '
            f'{taken[plain(name)]} has'
        )


def check_folder(folder, taken=None):
    """Faults of all files of a folder."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        return [f'{folder}: expected .yaml files, got none']
    faults = [fault for path in paths for fault in check_file(path, taken)]
    owners = {}
    for path in paths:
        for name in set(ENTRY_LINE.findall(path.read_text(encoding='utf-8'))):
            owners.setdefault(name, []).append(path.name)
    for name, files in sorted(owners.items()):
        if files[1:]:
            listed = ', '.join(files)
            faults.append(f'{name}: expected one file with it, got {listed}')
    return faults


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
    faults = check_folder(arguments.folder, taken)
    told = f'{len(taken)} names are taken, see {headers}'
    if not headers:
        told = (
            'this Python has no headers of Paddle, so whether a name is taken '
            'was NOT checked'
        )
    print(f'check_ops_yaml: {told}')
    return verdict('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
