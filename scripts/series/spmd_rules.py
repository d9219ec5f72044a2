"""What the patch of SPMD rules changes in files of Paddle's, as hunks like those of
edits/: each entry names its rule, and the rule is registered for it.

The entries in ops_yaml have their rules; earlier patches leave these out. Operators
of Paddle's that get one are in native/kernels/base_ops.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDERS = ('ops_yaml', 'native/kernels/base_ops')
YAML = 'paddle/phi/ops/yaml/'
OP_FILES = {'op': f'{YAML}ops.yaml', 'backward_op': f'{YAML}backward.yaml'}
REGISTRY = 'paddle/phi/infermeta/spmd_rules/rules.cc'
# What stands below the registrations.
BELOW = ' // embedding rule'
ENTRY = re.compile(r'(?m)^- (op|backward_op) : (\w+)')
RULE = re.compile(
    # from the results of a gradient: those of higher orders run the same kernel
    r'(?P<above>(?:  output : .*_grad\).*\n  infer_meta :\n)?    func : .*)\n'
    r'(?P<line>    spmd_rule : (?P<rule>\w+))\n'
    r'(?P<below>(?:.*\n)*?  kernel :\n    func : .*)'
)


def add_rules(edits, root):
    """Adds the hunks to {path of Paddle's: hunks}."""
    found = {path: [] for path in (*OP_FILES.values(), REGISTRY)}
    added = []
    paths = [p for top in FOLDERS for p in (Path(root) / top).glob('*.yaml')]
    for path in sorted(paths, key=lambda path: path.stem):
        _, *words = ENTRY.split(path.read_text(encoding='utf-8'))
        for kind, name, text in zip(words[::3], words[1::3], words[2::3]):
            if match := RULE.search(text):
                above, below = (
                    match[part].replace('\n', '\n ')
                    for part in ('above', 'below')
                )
                hunk = f' {above}\n+{match["line"]}\n {below}\n'
                found[OP_FILES[kind]].append(hunk)
                added += registration(kind, name, match['rule'])
    lines = [f'+{line}\n' for line in '\n'.join(added).split('\n')]
    found[REGISTRY] = [''.join([*lines, BELOW, '\n'])]
    for path, hunks in found.items():
        edits[path] = '@@\n'.join([edits.get(path, ''), *hunks])


def registration(kind, name, rule):
    """The lines that register a rule, and that from the result of an operator."""
    rules = [rule, f'{rule}Reverse'] if kind == 'op' else [rule]
    asked = [f'PD_INFER_SPMD(phi::distributed::{each})' for each in rules]
    words = ',\n    '.join([name, *asked])
    below = [''] if kind == 'backward_op' else []
    return [f'PD_REGISTER_SPMD_RULE(\n    {words});', *below]
