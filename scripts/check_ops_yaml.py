"""Checks ops_yaml/*.yaml against the schema of Paddle's op generators.

op_schema.py reads the entries; the rules here say what an entry may hold and what
the entries of a file owe each other. All faults are shown in one run, as
`file: entry: fault`. Exit status: 0 clean, 1 faults, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml
from op_gradients import GRADIENT_RULES
from op_schema import ENTRY_KEYS, SchemaError, parse_entry

ROOT = Path(__file__).resolve().parents[1]
ENTRY_LINE = re.compile(r'^- (op|backward_op) : (\w+)$', re.MULTILINE)

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
TENSOR_TYPES = {'Tensor', 'Tensor[]'}
PLAIN_TYPES = {'bool', 'int', 'int64_t', 'float', 'double'}
ATTR_TYPES = (
    PLAIN_TYPES
    | {f'{t}[]' for t in (*PLAIN_TYPES, 'str', 'Scalar')}
    | {f'Scalar({t})' for t in PLAIN_TYPES}
    | {'str', 'Place', 'DataLayout', 'DataType', 'IntArray', 'Scalar'}
)


def raw_rule_keys(raw):
    known = STRING_KEYS | FREE_KEYS | set(BLOCK_KEYS)
    for key, value in raw.items():
        if key not in known:
            yield f'unknown key {key!r}'
        elif key in STRING_KEYS and not isinstance(value, str):
            yield f'{key}: expected one line of text, got {value!r}'
        elif key in BLOCK_KEYS and not isinstance(value, dict):
            yield f'{key}: expected keys below it, got {value!r}'
        elif key in BLOCK_KEYS:
            for inner in value:
                if inner not in BLOCK_KEYS[key]:
                    yield f'{key}: unknown key {inner!r}'


def raw_rule_params(raw):
    for key in ('infer_meta', 'kernel'):
        block = raw.get(key)
        if not isinstance(block, dict):
            continue
        if not isinstance(block.get('func'), str):
            yield f'{key}: func must name a function, got {block.get("func")!r}'
        if not isinstance(block.get('param', []), list):
            yield f'{key}: param must be a list, got {block["param"]!r}'


def raw_rule_needed_keys(raw):
    backward = 'backward_op' in raw
    for key in ('args', 'output', *(['forward'] if backward else [])):
        if key not in raw:
            yield f'key {key!r} is missing'
    if 'forward' in raw and not backward:
        yield "key 'forward' belongs to a backward_op only"
    if 'invoke' in raw:
        for key in ('infer_meta', 'kernel'):
            if key in raw:
                yield f'invoke and {key} exclude each other'
    elif 'infer_meta' not in raw or not {'kernel', 'composite'} & set(raw):
        yield 'expected infer_meta and kernel (or invoke)'


def rule_types(entry, _):
    for tensor in entry.tensors:
        if tensor.type not in TENSOR_TYPES:
            yield f'args: {tensor.name} has the unknown type {tensor.type!r}'
    for attr in entry.attrs:
        if attr.type not in ATTR_TYPES:
            yield f'args: {attr.name} has the unknown type {attr.type!r}'


def rule_defaults_last(entry, _):
    seen = None
    for attr in entry.attrs:
        if attr.default is not None:
            seen = attr.name
        elif seen:
            yield (
                f'args: {attr.name} has no default, but {seen} before it has one'
            )


def _arg_names(entry):
    return [a.name for a in (*entry.tensors, *entry.attrs)]


def rule_param_names(entry, _):
    pairs = (
        ('infer_meta', entry.infer_meta_param),
        ('kernel', entry.kernel_param),
    )
    for key, names in pairs:
        for name in names or ():
            if name not in _arg_names(entry):
                yield f'{key}: param names {name}, which is not in args'
    for name in re.findall(r'\w+', entry.data_type or ''):
        if name not in _arg_names(entry):
            yield f'kernel: data_type names {name}, which is not in args'


def rule_inplace(entry, _):
    outputs = {o.name: o.type for o in entry.outputs}
    for source, target in entry.inplace:
        tensor = entry.tensor(source)
        if tensor is None:
            yield f'inplace: {source} is not a Tensor of args'
        if target not in outputs:
            yield f'inplace: {target} is not an output'
        elif tensor and tensor.type != outputs[target]:
            yield (
                f'inplace: {source} is {tensor.type}, but {target} is '
                f'{outputs[target]}'
            )


def rule_intermediate(entry, _):
    outputs = [o.name for o in entry.outputs]
    for name in re.findall(r'\w+', str(entry.raw.get('intermediate', ''))):
        if name not in outputs:
            yield f'intermediate: {name} is not an output'
    transform = entry.raw.get('data_transform')
    if isinstance(transform, dict):
        for key in BLOCK_KEYS['data_transform']:
            for name in re.findall(r'\w+', str(transform.get(key, ''))):
                if entry.tensor(name) is None:
                    yield f'data_transform: {name} is not a Tensor of args'


def rule_no_need_buffer(entry, _):
    """A tensor without its buffer cannot say which kernel runs."""
    without = [t.name for t in entry.tensors if t.no_need_buffer]
    if not without or not entry.kernel:
        return
    if not entry.data_type:
        yield 'no_need_buffer: kernel needs data_type from another tensor'
    elif entry.data_type in without:
        yield (
            f'no_need_buffer: data_type comes from {entry.data_type}, which has '
            'no buffer'
        )


RAW_RULES = (raw_rule_keys, raw_rule_params, raw_rule_needed_keys)
ENTRY_RULES = (
    rule_types,
    rule_defaults_last,
    rule_param_names,
    rule_inplace,
    rule_intermediate,
    rule_no_need_buffer,
    *GRADIENT_RULES,
)


def check_file(path):
    """Faults of one file, each as `file: entry: fault`."""
    text = path.read_text(encoding='utf-8')
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f'{path.name}: not valid YAML: {error}']
    if not isinstance(data, list) or not all(isinstance(r, dict) for r in data):
        return [f'{path.name}: expected a list of entries']
    faults = [
        f'{path.name}: {fault}' for fault in _file_rules(path, text, data)
    ]
    entries = []
    for raw in data:
        name = _name(raw) or 'entry without name'
        for rule in RAW_RULES:
            faults += [f'{path.name}: {name}: {fault}' for fault in rule(raw)]
        try:
            entries.append(parse_entry(raw, path))
        except (SchemaError, TypeError, AttributeError) as error:
            faults.append(f'{path.name}: {name}: {_without_where(error, path)}')
    by_name = {entry.name: entry for entry in entries}
    for entry in entries:
        for rule in ENTRY_RULES:
            found = rule(entry, by_name)
            faults += [f'{path.name}: {entry.name}: {f}' for f in found]
    return list(dict.fromkeys(faults))


def _name(raw):
    return next((str(raw[key]) for key in ENTRY_KEYS if key in raw), None)


def _without_where(error, path):
    """The error's text without the file and entry that it begins with."""
    return re.sub(rf'^{re.escape(path.name)}: (\w+: )?', '', str(error))


def _file_rules(path, text, data):
    ops = [str(raw['op']) for raw in data if 'op' in raw]
    grads = [str(raw['backward_op']) for raw in data if 'backward_op' in raw]
    if ops != [path.stem]:
        yield (
            f'expected one op entry, named {path.stem} as the file, got '
            f'{ops or "none"}'
        )
    names = [_name(raw) for raw in data]
    for name in sorted({n for n in names if n and names.count(n) > 1}):
        yield f'{name}: there are {names.count(name)} entries of this name'
    if names != [*sorted(ops), *sorted(grads)]:
        yield (
            'expected the op, then the backward_ops in alphabetical order, got '
            f'{names}'
        )
    lines = [name for _, name in ENTRY_LINE.findall(text)]
    if lines != names:
        yield 'every entry must begin with `- op : name` or `- backward_op : name`'


def check_folder(folder):
    """Faults of all files of a folder."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        return [f'{folder}: no .yaml file found']
    faults = [fault for path in paths for fault in check_file(path)]
    owners = {}
    for path in paths:
        for _, name in ENTRY_LINE.findall(path.read_text(encoding='utf-8')):
            owners.setdefault(name, set()).add(path.name)
    for name, files in sorted(owners.items()):
        if len(files) > 1:
            faults.append(f'{name}: in more than one file: {sorted(files)}')
    return faults


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        'folder', nargs='?', type=Path, default=ROOT / 'ops_yaml'
    )
    faults = check_folder(parser.parse_args(arguments).folder)
    for fault in faults:
        print(f'check_ops_yaml: {fault}', file=sys.stderr)
    print(f'check_ops_yaml: {"FAILED" if faults else "clean"}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
