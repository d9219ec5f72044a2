"""Check the syntax, names and gradient signatures of ops_yaml/*.yaml.

Exit status: 0 success, 1 faults, 2 invalid usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import report
from scripts.common.wheel_headers import find_include
from scripts.op_rules.schema import load_file, parse_tensor_names

ROOT = Path(__file__).resolve().parents[2]
# Headers that Paddle generates from its YAML: all operators and gradients.
HEADERS = (
    'phi/api/include/api.h',
    'phi/api/include/fused_api.h',
    'fluid/pir/dialect/operator/ir/pd_op.h',
)
OPERATOR = re.compile(r'(?m)(?:^PADDLE_API [^(]*?|"pd_op\.)(\w+?)_?["(]')


def read_base_names(folder):
    """Return the names of the operators of an installed Paddle."""
    paths = [Path(folder, header) for header in HEADERS]
    texts = [path.read_text('utf-8') for path in paths if path.is_file()]
    return set(OPERATOR.findall('\n'.join(texts)))


def check_folder(folder, reserved=()):
    """Return the faults of a folder; no entry may have a reserved name."""
    paths, faults, owners = sorted(Path(folder).glob('*.yaml')), [], {}
    for path in paths:
        try:
            for entry in check_file(path):
                owner = 'Paddle' if entry.name in reserved else path.name
                if owners.setdefault(entry.name, owner) != path.name:
                    raise ValueError(f'{entry.name}: name already in use')
        except (yaml.YAMLError, TypeError, ValueError) as error:
            faults.append(f'{path.name}: {error}')
    return faults if paths else [f'{folder}: no .yaml files']


def check_file(path):
    """Check a file; return its entries."""
    entries = load_file(path).entries
    ops = [entry.name for entry in entries if not entry.is_backward]
    if ops != [path.stem]:
        raise ValueError(f'expected the op {path.stem}, received {ops}')
    by_name = {entry.name: entry for entry in entries}
    if len(by_name) < len(entries):
        raise ValueError('two entries have the same name')
    for entry in entries:
        if entry.backward:
            names = [e.name for e in entries if e.forward_name == entry.name]
            entry.expect_names('backward', [entry.backward], names)
        if entry.is_backward:
            entry.expect_names('forward', [entry.forward_name], by_name)
            check_gradient(entry, by_name[entry.forward_name])
    return entries


def check_gradient(entry, forward):
    """Raise ValueError unless `entry` is the gradient of `forward`."""
    signature = forward.signature
    if forward.is_backward:  # its gradient renames x_grad to grad_x
        signature = re.sub(r'(\w+)_grad\b', r'grad_\1', signature)
    expected = f'{forward.name} {signature}'
    is_gradient = entry.forward.replace(' ', '') == expected.replace(' ', '')
    entry.expect(is_gradient, 'forward', expected, entry.forward)
    inputs, outputs = parse_tensor_names(signature)
    allowed = [*inputs, *outputs, *(f'{name}_grad' for name in outputs)]
    allowed += [attr.name for attr in forward.attrs]
    names = [x.name for x in (*entry.tensors, *entry.attrs)]
    entry.expect_names('args', names, allowed)
    allowed = [f'{name}_grad' for name in inputs]
    entry.expect_names('output', [x.name for x in entry.outputs], allowed)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        '--paddle-include',
        type=Path,
        metavar='DIR',
        help="include/paddle of a Paddle without this project's operators "
        "(default: the one of this Python)",
    )
    include = parser.parse_args(argv).paddle_include
    headers = include or find_include(ROOT) / 'paddle'
    reserved = read_base_names(headers)
    print(f'check_ops_yaml: {len(reserved)} operators in {headers}')
    faults = check_folder(ROOT / 'ops_yaml', reserved)
    if not reserved and (include or headers.is_dir()):
        faults.append(f'{headers} lacks {", ".join(HEADERS)}')
    return report('check_ops_yaml', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
