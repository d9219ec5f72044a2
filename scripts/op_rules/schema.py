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

ATTR_TYPES = 'bool', 'int', 'int64_t', 'str'
ATTR = rf'({"|".join(ATTR_TYPES)}) \w+( ?= ?[^,]+)?'
ARGS = rf'\(Tensor \w+(, Tensor \w+)*(, {ATTR})*\)'
OUTPUT = r'Tensor ?\(\w+\)(, Tensor ?\(\w+\))*'


class TensorArg(NamedTuple):
    """A Tensor argument."""

    name: str
    optional: bool
    no_need_buffer: bool


class Attr(NamedTuple):
    name: str
    type: str


class InferMeta(NamedTuple):
    """The value of infer_meta."""

    func: str
    param: list | None = None
    spmd_rule: str | None = None


class Kernel(NamedTuple):
    """The value of kernel."""

    func: str
    data_type: str


class Entry:
    """An `op` or `backward_op` entry; missing keys are None or empty.

    For a gradient, load_file sets
    sources: {Tensor argument: (kind, index)}, its place in the forward call;
    forward_inputs: {gradient: index of its input in the forward call}.
    """

    def __init__(
        self, args, output, infer_meta, kernel, op=None, backward_op=None,
        forward='', optional='', inplace='', backward=None, no_need_buffer='',
        interfaces='',
    ):  # fmt: skip
        self.is_backward, self.name = not op, op or backward_op
        self.expect(re.fullmatch(ARGS, args), 'args', f'like {ARGS}', args)
        match = re.fullmatch(OUTPUT, output)
        self.expect(match, 'output', f'like {OUTPUT}', output)
        self.forward, self.signature = forward, f'{args} -> {output}'
        self.backward = backward
        self.sources, self.forward_inputs = {}, {}
        self.infer_meta = InferMeta(**infer_meta)
        self.kernel, self.data_type = Kernel(**kernel)
        names, self.outputs = parse_tensor_names(self.signature)
        lists = {
            'optional': re.findall(r'\w+', optional),
            'no_need_buffer': re.findall(r'\w+', no_need_buffer),
            'inplace': re.findall(r'\w+', inplace),
            'kernel.data_type': [self.data_type],
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
        param = self.infer_meta.param or ()
        self.expect_names('infer_meta.param', param, allowed)

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
        signature = forward.signature
        has_optional = any(tensor.optional for tensor in forward.tensors)
        if forward.is_backward and not (has_optional and has_function(forward)):
            # as in Paddle's YAML, x_grad is renamed to grad_x
            signature = re.sub(r'(\w+)_grad\b', r'grad_\1', signature)
        expected = f'{forward.name} {signature}'
        matches = self.forward.replace(' ', '') == expected.replace(' ', '')
        self.expect(matches, 'forward', expected, self.forward)
        inputs, outputs = parse_tensor_names(signature)
        gradients = [f'{name}_grad' for name in outputs]
        kinds = {'Input': inputs, 'Result': outputs, 'Gradient': gradients}
        self.sources = {
            name: (kind, index)
            for kind, names in kinds.items()
            for index, name in enumerate(names)
        }
        self.forward_inputs = {f'{x}_grad': i for i, x in enumerate(inputs)}
        names = [tensor.name for tensor in self.tensors]
        self.expect_names('args', names, self.sources)
        self.expect_names('output', self.outputs, self.forward_inputs)
        has_equal_attrs = self.attrs == forward.attrs
        self.expect(has_equal_attrs, 'attributes', forward.attrs, self.attrs)


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


def load_dir(folder):
    """Return {name: entry} of a folder's files, sorted by name.

    A fault raises ValueError.
    """
    all_entries = {}
    for path in sorted(Path(folder).glob('*.yaml')):
        try:
            all_entries |= load_file(path)
        except (yaml.YAMLError, TypeError, ValueError) as error:
            raise ValueError(f'{path.name}: {error}') from error
    return all_entries
