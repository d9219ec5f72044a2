"""Parser of ops_yaml/*.yaml.

A file contains an operator: an `op` entry and its `backward_op` entries, as in
Paddle's ops.yaml and backward.yaml. Keys, types and names that the wheel target
does not support raise TypeError or ValueError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


class TensorArg(NamedTuple):
    """A Tensor argument or output."""

    name: str
    optional: bool = False
    no_need_buffer: bool = False


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
    """An `op` or `backward_op` entry; missing keys are None or empty."""

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
        self.forward_name = forward.partition(' ')[0]
        self.forward_inputs, self.forward_outputs = parse_tensor_names(forward)
        self.backward = backward
        infer, kernel = Function(**infer_meta), Function(**kernel)
        self.infer_meta, self.infer_meta_param = infer.func, infer.param
        self.kernel, self.kernel_param = kernel.func, kernel.param
        self.spmd_rule, self.data_type = infer.spmd_rule, kernel.data_type
        names, outputs = parse_tensor_names(self.signature)
        lists = {
            'optional': re.findall(r'\w+', optional),
            'no_need_buffer': re.findall(r'\w+', no_need_buffer),
            'inplace': re.findall(r'\w+', inplace),
            'kernel.data_type': [kernel.data_type] * bool(kernel.data_type),
        }
        for key, names_of_key in lists.items():
            self.expect_names(key, names_of_key, [*names, *outputs])
        self.tensors = [
            TensorArg(n, n in lists['optional'], n in lists['no_need_buffer'])
            for n in names
        ]
        self.outputs = [TensorArg(name) for name in outputs]
        self.attrs = [
            Attr(name, kind)
            for kind, name in re.findall(r'(\w+) (\w+)[^,]*', args)
            if kind != 'Tensor'
        ]
        self.inplace = re.findall(r'(\w+) -> (\w+)', inplace)
        allowed = [*names, *outputs, *(attr.name for attr in self.attrs)]
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


def parse_tensor_names(signature):
    """Return the names of the Tensors before and after ` -> `."""
    args, _, output = signature.partition(' -> ')
    return re.findall(r'Tensor (\w+)', args), re.findall(r'\((\w+)\)', output)


@dataclass
class OpFile:
    """The entries of a file in its order."""

    path: Path
    entries: list[Entry]

    @property
    def chain(self) -> list[Entry]:
        """The `op` entry, followed by its gradients in increasing order."""
        chain = [next(e for e in self.entries if not e.is_backward)]
        while chain[-1].backward:
            chain.append(self.find_entry(chain[-1].backward))
        return chain

    def find_entry(self, name: str) -> Entry:
        return next(e for e in self.entries if e.name == name)


def load_file(path: Path) -> OpFile:
    entries = yaml.safe_load(path.read_text(encoding='utf-8'))
    return OpFile(path, [Entry(**entry) for entry in entries])


def load_dir(folder: Path) -> list[OpFile]:
    """Load the files of a folder, sorted by name."""
    return [load_file(path) for path in sorted(Path(folder).glob('*.yaml'))]
