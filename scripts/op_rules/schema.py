"""Parser of ops_yaml/*.yaml.

A file contains an operator: an `op` entry and its `backward_op` entries, as in
Paddle's ops.yaml and backward.yaml. Keys, types, names and gradient signatures
that the wheel target does not support raise TypeError or ValueError.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

# {type of an attribute: (C++ type, AttrType in native/)}
ATTR_TYPES = {
    'bool': ('bool', 'kBool'),
    'int': ('int', 'kInt'),
    'int64_t': ('int64_t', 'kInt64'),
    'str': ('std::string', 'kString'),
}
ATTR = rf'({"|".join(ATTR_TYPES)}) \w+( ?= ?[^,]+)?'
ARGS = rf'\(Tensor \w+(, Tensor \w+)*(, {ATTR})*\)'
OUTPUT = r'Tensor ?\(\w+\)(, Tensor ?\(\w+\))*'
# Headers that Paddle generates from its YAML: all operators and gradients.
HEADERS = (
    'phi/api/include/api.h',
    'phi/api/include/fused_api.h',
    'fluid/pir/dialect/operator/ir/pd_op.h',
)
OPERATOR = re.compile(r'(?m)(?:^PADDLE_API [^(]*?|"pd_op\.)(\w+?)_?["(]')


class TensorArg(NamedTuple):
    """A Tensor argument."""

    name: str
    optional: bool
    no_need_buffer: bool


class Attr(NamedTuple):
    name: str
    type: str


class Function(NamedTuple):
    """The value of infer_meta or kernel."""

    func: str
    param: list | None = None
    spmd_rule: str | None = None
    data_type: str | None = None


class Entry:
    """An `op` or `backward_op` entry; missing keys are None or empty.

    order: 0 of an operator, 1 of its gradient, and so on; forward_entry: the
    entry whose gradient this is. load_file sets both.
    """

    order, forward_entry = 0, None

    def __init__(
        self, args, output, infer_meta, kernel, op=None, backward_op=None,
        forward='', optional='', inplace='', backward=None, no_need_buffer='',
        interfaces='', traits='',
    ):  # fmt: skip
        self.is_backward, self.name = not op, op or backward_op
        self.expect(re.fullmatch(ARGS, args), 'args', f'like {ARGS}', args)
        match = re.fullmatch(OUTPUT, output)
        self.expect(match, 'output', f'like {OUTPUT}', output)
        self.forward, self.signature = forward, f'{args} -> {output}'
        self.forward_inputs, self.forward_outputs = parse_tensor_names(forward)
        self.backward = backward
        infer, kernel = Function(**infer_meta), Function(**kernel)
        self.infer_meta, self.infer_meta_param = infer.func, infer.param
        self.kernel, self.kernel_param = kernel.func, kernel.param
        self.spmd_rule, self.data_type = infer.spmd_rule, kernel.data_type
        names, self.outputs = parse_tensor_names(self.signature)
        lists = {
            'optional': re.findall(r'\w+', optional),
            'no_need_buffer': re.findall(r'\w+', no_need_buffer),
            'inplace': re.findall(r'\w+', inplace),
            'kernel.data_type': [kernel.data_type] * bool(kernel.data_type),
        }
        tensors = [*names, *self.outputs]
        for key, names_of_key in lists.items():
            self.expect_names(key, names_of_key, tensors)
        self.tensors = [
            TensorArg(n, n in lists['optional'], n in lists['no_need_buffer'])
            for n in names
        ]
        self.attrs = [
            Attr(name, kind)
            for kind, name in re.findall(r'(\w+) (\w+)[^,]*', args)
            if kind != 'Tensor'
        ]
        self.inplace = re.findall(r'(\w+) -> (\w+)', inplace)
        allowed = [*tensors, *(attr.name for attr in self.attrs)]
        self.expect_names('infer_meta.param', infer.param or (), allowed)
        self.expect_names('kernel.param', kernel.param or (), allowed)

    def expect(self, is_valid, key, expected, received):
        if not is_valid:
            raise ValueError(
                f'{self.name}: {key} should be {expected}, but received '
                f'{received}'
            )

    def expect_names(self, key, names, allowed):
        expected = f'one of {", ".join(allowed)}'
        for name in names:
            self.expect(name in allowed, key, expected, name)

    def set_forward_entry(self, forward):
        """Make this the gradient of an entry, whose signature has to match."""
        self.order, self.forward_entry = forward.order + 1, forward
        signature = forward.signature
        has_optional = any(tensor.optional for tensor in forward.tensors)
        if forward.is_backward and not (has_optional and has_function(forward)):
            # renames x_grad to grad_x
            signature = re.sub(r'(\w+)_grad\b', r'grad_\1', signature)
        expected = f'{forward.name} {signature}'
        matches = self.forward.replace(' ', '') == expected.replace(' ', '')
        self.expect(matches, 'forward', expected, self.forward)
        inputs, outputs = self.forward_inputs, self.forward_outputs
        allowed = [*inputs, *outputs, *(f'{name}_grad' for name in outputs)]
        allowed += [attr.name for attr in forward.attrs]
        names = [x.name for x in (*self.tensors, *self.attrs)]
        self.expect_names('args', names, allowed)
        allowed = [f'{name}_grad' for name in inputs]
        self.expect_names('output', self.outputs, allowed)


def has_function(entry):
    """Whether Paddle generates an eager function of the entry.

    In the entry's gradient, the function looks up its optional inputs by name.
    """
    return not entry.name.endswith(('double_grad', 'triple_grad', 'grad_grad'))


def parse_tensor_names(signature):
    """Return the names of the Tensors before and after ` -> `."""
    args, _, output = signature.partition(' -> ')
    return re.findall(r'Tensor (\w+)', args), re.findall(r'\((\w+)\)', output)


def load_file(path):
    """Return {name: entry} of an operator and its gradients, in this order."""
    entries = [Entry(**e) for e in yaml.safe_load(path.read_text('utf-8'))]
    others = {entry.name: entry for entry in entries}
    if len(others) < len(entries):
        raise ValueError('two entries have the same name')
    ops = [entry.name for entry in entries if not entry.is_backward]
    if ops != [path.stem]:
        raise ValueError(f'expected the op {path.stem}, received {ops}')
    entry = others.pop(path.stem)
    chain = {entry.name: entry}
    while backward := entry.backward:
        entry.expect_names('backward', [backward], others)
        forward, entry = entry, others.pop(backward)
        entry.set_forward_entry(forward)
        chain[backward] = entry
    if others:
        raise ValueError(f'{", ".join(others)}: not the backward of an entry')
    return chain


def load_dir(folder, reserved=()):
    """Return {name: entry} of a folder's files, sorted by name.

    A reserved name or a fault raises ValueError or TypeError.
    """
    all_entries = {}
    for path in sorted(Path(folder).glob('*.yaml')):
        try:
            entries = load_file(path)
            if used := entries.keys() & {*reserved, *all_entries}:
                raise ValueError(f'{", ".join(used)}: name already in use')
        except (yaml.YAMLError, TypeError, ValueError) as error:
            raise ValueError(f'{path.name}: {error}') from error
        all_entries |= entries
    return all_entries


def read_base_names(include):
    """Return the names of Paddle's operators, from its include/paddle."""
    texts = [Path(include, header).read_text('utf-8') for header in HEADERS]
    return set(OPERATOR.findall('\n'.join(texts)))
