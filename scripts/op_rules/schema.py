"""Entries of ops_yaml/*.yaml as objects.

One file holds one operator: a list with one `op` entry and any number of
`backward_op` entries, each exactly as it stands in Paddle's ops.yaml and
backward.yaml. check_ops_yaml.py says which can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml


def declared(text: str) -> list[str]:
    """`type name` of each argument or result that a text has."""
    found = re.findall(r'(\w+) ?\(?(\w+)[^,]*', text)
    return [f'{kind} {name}' for kind, name in found]


class TensorArg(NamedTuple):
    """A Tensor argument of an entry, or a result."""

    name: str
    optional: bool = False
    no_need_buffer: bool = False


class Attr(NamedTuple):
    """An attribute of an entry."""

    name: str
    type: str


class Entry:
    """One `op` or `backward_op` entry. What the YAML does not say is None, or
    empty."""

    def __init__(self, raw: dict[str, Any]):
        infer, kernel = raw['infer_meta'], raw['kernel']
        optional = re.findall(r'\w+', raw.get('optional', ''))
        unread = re.findall(r'\w+', raw.get('no_need_buffer', ''))
        args = [item.split() for item in declared(raw['args'])]
        self.raw = raw
        self.is_backward = 'backward_op' in raw
        self.name = raw['backward_op' if self.is_backward else 'op']
        self.tensors = [
            TensorArg(name, name in optional, name in unread)
            for kind, name in args
            if kind == 'Tensor'
        ]
        self.attrs = [
            Attr(name, kind) for kind, name in args if kind != 'Tensor'
        ]
        self.outputs = [
            TensorArg(item.split()[1]) for item in declared(raw['output'])
        ]
        self.infer_meta = infer['func']
        self.infer_meta_param = infer.get('param')
        self.spmd_rule = infer.get('spmd_rule')
        self.kernel = kernel['func']
        self.kernel_param = kernel.get('param')
        self.data_type = kernel.get('data_type')
        self.inplace = re.findall(r'(\w+) -> (\w+)', raw.get('inplace', ''))
        self.backward = raw.get('backward')


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
    return OpFile(path, [Entry(raw) for raw in data])


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    return [load_file(path) for path in sorted(Path(folder).glob('*.yaml'))]
