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

ARGUMENT = re.compile(r'(\w+) (\w+)(?: ?= ?(.+))?')
OUTPUT = re.compile(r'Tensor ?\((\w+)\)')


class TensorArg(NamedTuple):
    """A Tensor argument of an entry, or a result."""

    name: str
    optional: bool = False
    no_need_buffer: bool = False


class Attr(NamedTuple):
    """An attribute: `default` is the YAML text after `=`, or None."""

    name: str
    type: str
    default: str | None


class Entry:
    """One `op` or `backward_op` entry. What the YAML does not say is None, or
    empty."""

    def __init__(self, raw: dict[str, Any]):
        infer, kernel = raw['infer_meta'], raw['kernel']
        optional = split_items(raw.get('optional', ''))
        unread = split_items(raw.get('no_need_buffer', ''))
        items = split_items(raw['args'][1:-1])
        args = [ARGUMENT.fullmatch(item).groups() for item in items]
        self.raw = raw
        self.is_backward = 'backward_op' in raw
        self.name = raw['backward_op' if self.is_backward else 'op']
        self.tensors = [
            TensorArg(name, name in optional, name in unread)
            for kind, name, _ in args
            if kind == 'Tensor'
        ]
        self.attrs = [
            Attr(name, kind, default)
            for kind, name, default in args
            if kind != 'Tensor'
        ]
        self.outputs = list(map(TensorArg, OUTPUT.findall(raw['output'])))
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


def split_items(text: str) -> list[str]:
    """The parts between commas, as Paddle's generators cut them: quotes protect
    none."""
    return [item.strip() for item in text.split(',') if item.strip()]


def load_file(path: Path) -> OpFile:
    """Read one YAML file."""
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    return OpFile(path, [Entry(raw) for raw in data])


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    return [load_file(path) for path in sorted(Path(folder).glob('*.yaml'))]
