"""Checks ops_yaml/*.yaml: the syntax, the names, and that each gradient fits the entry
that it is the gradient of.

Exit status: 0 clean, 1 faults, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import report
from scripts.common.wheel_headers import default_include
from scripts.op_rules.schema import load_file, tensor_names

ROOT = Path(__file__).resolve().parents[2]
# Headers that Paddle generates from its YAML: every operator, and the gradients.
HEADERS = (
    'phi/api/include/api.h',
    'phi/api/include/fused_api.h',
    'fluid/pir/dialect/operator/ir/pd_op.h',
)
OPERATOR = re.compile(r'(?m)(?:^PADDLE_API [^(]*?|"pd_op\.)(\w+?)_?["(]')


def base_names(folder):
    """The operators of an installed Paddle."""
    paths = [Path(folder, header) for header in HEADERS]
    texts = [path.read_text('utf-8') for path in paths if path.is_file()]
    return set(OPERATOR.findall('\n'.join(texts)))


def check_folder(folder, reserved=()):
    """The faults of a folder's files; `reserved`: names of Paddle's operators."""
    paths, faults, owners = sorted(Path(folder).glob('*.yaml')), [], {}
    for path in paths:
        try:
            for entry in check_file(path):
                owner = 'Paddle' if entry.name in reserved else path.name
                if owners.setdefault(entry.name, owner) != path.name:
                    raise ValueError(f'{entry.name}: the name is taken')
        except (yaml.YAMLError, TypeError, ValueError) as error:
            faults.append(f'{path.name}: {error}')
    return faults if paths else [f'{folder}: no .yaml files']


def check_file(path):
    """The entries of a file."""
    entries = load_file(path).entries
    ops = [entry.name for entry in entries if not entry.is_backward]
    if ops != [path.stem]:
        raise ValueError(f'expected the op {path.stem}, received {ops}')
    known = {entry.name: entry for entry in entries}
    if len(known) < len(entries):
        raise ValueError('two entries have the same name')
    for entry in entries:
        if entry.backward:
            names = [x for x in known if known[x].forward_name == entry.name]
            entry.expect_names('backward', [entry.backward], names)
        if entry.is_backward:
            entry.expect_names('forward', [entry.forward_name], known)
            check_gradient(entry, known[entry.forward_name])
    return entries


def check_gradient(entry, of):
    """Raises unless the signature of `entry` is that of a gradient of `of`."""
    signature = of.signature
    if of.is_backward:  # x_grad of an entry is grad_x in that of its gradient
        signature = re.sub(r'(\w+)_grad\b', r'grad_\1', signature)
    expected = f'{of.name} {signature}'
    fits = entry.forward.replace(' ', '') == expected.replace(' ', '')
    entry.expect(fits, 'forward', expected, entry.forward)
    inputs, outputs = tensor_names(signature)
    known = [*inputs, *outputs, *(f'{name}_grad' for name in outputs)]
    known += [attr.name for attr in of.attrs]
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
    include = parser.parse_args(argv).paddle_include
    headers = include or default_include(ROOT) / 'paddle'
    reserved = base_names(headers)
    print(f'check_ops_yaml: {len(reserved)} names are taken, see {headers}')
    faults = check_folder(ROOT / 'ops_yaml', reserved)
    if not reserved and (include or headers.is_dir()):
        faults.append(f'{headers} has none of {", ".join(HEADERS)}')
    return report('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
