"""Checks ops_yaml/*.yaml against what Paddle's code generators can read.

grammar.py judges the text of an entry, entry_rules.py its contents, gradients.py
what entries owe each other; base_names.py knows the operators that Paddle already
has. All faults are shown in one run, as `file:line: entry: key: what was expected,
what came`. Exit status: 0 clean, 1 faults, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.op_rules.base_names import base_names, installed_headers, plain
from scripts.op_rules.entry_rules import ENTRY_RULES
from scripts.op_rules.gradients import GRADIENT_RULES, PAIR_RULES
from scripts.op_rules.grammar import grammar_faults
from scripts.op_rules.schema import ENTRY_KEYS, parse_entry
from scripts.op_rules.yaml_lines import read_entries

ROOT = Path(__file__).resolve().parents[2]
ENTRY_LINE = re.compile(r'^- (op|backward_op) : (\w+)$', re.MULTILINE)


def check_file(path, taken=None):
    """Faults of one file; `taken` maps the base's operators to a header."""
    found = dict.fromkeys(file_faults(path, taken or {}))
    in_order = sorted(found, key=lambda fault: fault[0])
    return [f'{path.name}:{line}: {text}' for line, text in in_order]


def file_faults(path, taken):
    """(line, fault) of everything that is wrong in a file."""
    source = path.read_text(encoding='utf-8')
    try:
        entries = read_entries(source)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        problem = getattr(error, 'problem', None) or error
        yield mark.line + 1 if mark else 1, f'expected YAML, got: {problem}'
        return
    if entries is None:
        yield 1, 'expected a list of entries, got something else'
        return
    yield from block_faults(source)
    yield from order_faults(path, entries)
    for raw, line, faults in entry_faults(path, entries, taken):
        for fault in faults:
            yield line, f'{name_of(raw)}: {fault.removeprefix("entry: ")}'


def entry_faults(path, entries, taken):
    """(entry, line, its faults): the rules on each entry, then those between
    entries. What an entry says is only asked when its text is right."""
    parsed = {}
    for raw, line in entries:
        yield raw, line, name_faults(raw, taken)
        found = grammar_faults(raw)
        yield raw, line, found
        if not found:
            entry = parse_entry(raw, path)
            parsed.setdefault(entry.name, (line, entry))
            for rule in (*ENTRY_RULES, *GRADIENT_RULES):
                yield raw, line, rule(entry)
    if len(parsed) < len(entries):
        return  # what the others say of an unread entry means nothing
    known = {name: entry for name, (_, entry) in parsed.items()}
    for line, entry in parsed.values():
        for rule in PAIR_RULES:
            yield entry.raw, line, rule(entry, known)


def name_of(raw):
    found = (str(raw[key]) for key in ENTRY_KEYS if key in raw)
    return next(found, 'entry without name')


def order_faults(path, entries):
    """What a file must hold, and in which order."""
    ops, grads = (
        [str(raw[key]) for raw, _ in entries if key in raw]
        for key in ENTRY_KEYS
    )
    if ops != [path.stem]:
        yield (
            1,
            f'expected one op, named {path.stem} as the file, got '
            f'{", ".join(ops) or "none"}',
        )
    names = [name_of(raw) for raw, _ in entries]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield entries[i][1], f'{name}: expected one entry of this name'
    order = [*sorted(ops), *sorted(grads)]
    for (_, line), name, wanted in zip(entries, names, order):
        if name != wanted:
            yield (
                line,
                f'expected {wanted} here (the op, then the backward_ops in '
                f'alphabetical order), got {name}',
            )
            return


def block_faults(source):
    """Paddle's sort-simple-yaml sorts the blocks between empty lines."""
    after_empty = True
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith('- '):
            if not ENTRY_LINE.match(line):
                yield (
                    number,
                    'expected `- op : name` or `- backward_op : name`, got '
                    f'`{line}`',
                )
            if not after_empty:
                yield number, 'expected an empty line before an entry, got none'
        elif line and after_empty and not line.startswith('#'):
            yield (
                number,
                'expected the start of an entry after an empty line, got '
                f'`{line.strip()}`',
            )
        after_empty = not line


def name_faults(raw, taken):
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
        for _, name in ENTRY_LINE.findall(path.read_text(encoding='utf-8')):
            owners.setdefault(name, set()).add(path.name)
    for name, files in sorted(owners.items()):
        if len(files) > 1:
            faults.append(
                f'{name}: expected one file with it, got '
                f'{", ".join(sorted(files))}'
            )
    return faults


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        'folder', nargs='?', type=Path, default=ROOT / 'ops_yaml'
    )
    parser.add_argument(
        '--paddle-include',
        type=Path,
        metavar='DIR',
        default=installed_headers(),
        help="include/paddle of a Paddle without this project's operators "
        "(default: that of this Python's paddle)",
    )
    return parser.parse_args(argv)


def main(argv=None):
    arguments = arguments_of(argv)
    headers = arguments.paddle_include
    try:
        taken = base_names(headers) if headers else {}
    except ValueError as error:
        print(f'check_ops_yaml: {error}', file=sys.stderr)
        return 1
    faults = check_folder(arguments.folder, taken)
    for fault in faults:
        print(f'check_ops_yaml: {fault}', file=sys.stderr)
    if headers:
        print(f'check_ops_yaml: {len(taken)} names are taken, see {headers}')
    else:
        print(
            'check_ops_yaml: this Python has no headers of Paddle, so whether '
            'a name is taken was NOT checked'
        )
    print(f'check_ops_yaml: {"FAILED" if faults else "clean"}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
