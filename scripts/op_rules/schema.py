"""Entries of ops_yaml/*.yaml as objects.

One file holds one operator: a list with one `op` entry and any number of
`backward_op` entries, each exactly as it stands in Paddle's ops.yaml and
backward.yaml. Paddle knows more keys and types than the wheel target can carry out;
those are a TypeError or a ValueError, and so are names that an entry does not have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import yaml

# type of an attribute -> its defaults, as Paddle's generators and Python read them;
# these cut at every comma
ATTR_TYPES = {
    'bool': 'true|false',
    'int': r'-?\d+',
    'int64_t': r'-?\d+',
    'float': r'-?\d+(\.\d*)?(e-?\d+)?',
    'str': '"[^",]*"',
}
ATTRS = [rf'{kind} \w+( ?= ?({text}))?' for kind, text in ATTR_TYPES.items()]
ARGS = rf'\(Tensor \w+(, Tensor \w+)*(, ({"|".join(ATTRS)}))*\)'
OUTPUT = r'Tensor ?\(\w+\)(, Tensor ?\(\w+\))*'


def named(text):
    return re.findall(r'\w+', text)


class TensorArg(NamedTuple):
    """A Tensor argument of an entry, or a result."""

    name: str
    optional: bool = False
    no_need_buffer: bool = False


class Attr(NamedTuple):
    """An attribute of an entry."""

    name: str
    type: str


class Function(NamedTuple):
    """What infer_meta or kernel says."""

    func: str
    param: list | None = None
    spmd_rule: str | None = None
    data_type: str | None = None


class Entry:
    """One `op` or `backward_op` entry, made of its keys. What the YAML does not say
    is None, or empty."""

    def __init__(
        self, args, output, infer_meta, kernel, op=None, backward_op=None,
        forward='', optional='', inplace='', backward=None, no_need_buffer='',
        interfaces='', traits='', recorded='nullptr',
    ):  # fmt: skip
        self.is_backward, self.name = not op, op or backward_op
        self.args, self.output, self.forward = args, output, forward
        # the entry that it is the gradient of
        self.called_by = forward.partition(' ')[0]
        self.backward, self.recorded = backward, recorded
        infer, kernel = Function(**infer_meta), Function(**kernel)
        self.infer_meta, self.infer_meta_param = infer.func, infer.param
        self.kernel, self.kernel_param = kernel.func, kernel.param
        self.spmd_rule, self.data_type = infer.spmd_rule, kernel.data_type
        for key, text, form in ('args', args, ARGS), ('output', output, OUTPUT):
            fits = re.fullmatch(form, text)
            self.expect(fits, key, f'a text like {form}', text)
        pairs = re.findall(r'(\w+) (\w+)[^,]*', args)
        self.attrs = [
            Attr(name, kind) for kind, name in pairs if kind != 'Tensor'
        ]
        optional, unread = named(optional), named(no_need_buffer)
        self.tensors = [
            TensorArg(name, name in optional, name in unread)
            for kind, name in pairs
            if kind == 'Tensor'
        ]
        self.outputs = [TensorArg(name) for name in named(output)[1::2]]
        self.inplace = re.findall(r'(\w+) -> (\w+)', inplace)
        tensors = [x.name for x in (*self.tensors, *self.outputs)]
        everything = [*tensors, *(x.name for x in self.attrs)]
        for key, names, known in (
            ('infer_meta.param', infer.param or (), everything),
            ('kernel.param', kernel.param or (), everything),
            ('kernel.data_type', named(kernel.data_type or ''), tensors),
            ('optional', optional, tensors),
            ('inplace', named(inplace), tensors),
            ('no_need_buffer', unread, tensors),
        ):
            self.expect_names(key, names, known)

    def expect(self, fits, key, wanted, found):
        """Refuses an entry of which something does not fit."""
        if not fits:
            raise ValueError(
                f'{self.name}: {key}: expected {wanted}, got `{found}`'
            )

    def expect_names(self, key, names, known):
        for name in names:
            wanted = f'a name out of {", ".join(known)}'
            self.expect(name in known, key, wanted, name)


@dataclass
class OpFile:
    """One YAML file: the forward entry and the gradients, in file order."""

    path: Path
    entries: list[Entry]

    @property
    def forward(self) -> Entry:
        return next(e for e in self.entries if not e.is_backward)

    def entry(self, name: str | None) -> Entry | None:
        return next((e for e in self.entries if e.name == name), None)


def load_file(path: Path) -> OpFile:
    """Read one YAML file."""
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    return OpFile(path, [Entry(**raw) for raw in data])


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    return [load_file(path) for path in sorted(Path(folder).glob('*.yaml'))]
