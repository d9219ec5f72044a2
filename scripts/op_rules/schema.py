"""Entries of ops_yaml/*.yaml as dataclasses.

One file holds one operator: a list with one `op` entry and any number of
`backward_op` entries, each exactly as it stands in Paddle's ops.yaml and
backward.yaml. check_ops_yaml.py says which can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ENTRY_KEYS = ('op', 'backward_op')
ARGUMENT = re.compile(r'(\w+) (\w+)(?: ?= ?(.+))?')


class SchemaError(ValueError):
    """A folder that is not one of operators."""


@dataclass(frozen=True)
class TensorArg:
    """A Tensor argument of an entry."""

    name: str
    optional: bool
    no_need_buffer: bool


@dataclass(frozen=True)
class Attr:
    """An attribute: `default` is the YAML text after `=`, or None."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True)
class Output:
    """A result of an entry."""

    name: str


@dataclass
class Entry:
    """One `op` or `backward_op` entry; `forward` is what it differentiates."""

    name: str
    kind: str
    tensors: tuple[TensorArg, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[Output, ...]
    infer_meta: str
    infer_meta_param: tuple[str, ...] | None
    spmd_rule: str | None
    kernel: str
    kernel_param: tuple[str, ...] | None
    data_type: str | None
    inplace: tuple[tuple[str, str], ...]
    backward: str | None
    forward: str | None
    raw: dict[str, Any] = field(repr=False)

    @property
    def is_backward(self) -> bool:
        return self.kind == 'backward_op'


@dataclass
class OpFile:
    """One YAML file: the forward entry and the gradients, in file order."""

    path: Path
    entries: tuple[Entry, ...]

    @property
    def forward(self) -> Entry:
        return next(e for e in self.entries if not e.is_backward)

    def entry(self, name: str | None) -> Entry | None:
        return next((e for e in self.entries if e.name == name), None)


def split_items(text: str) -> list[str]:
    """The parts between commas, as Paddle's generators cut them: quotes protect
    none."""
    return [item.strip() for item in text.split(',') if item.strip()]


def parse_args(text: str) -> tuple[list[str], tuple[Attr, ...]]:
    """`Tensor x, int axis=0` -> (names of Tensors, attributes)"""
    found = [ARGUMENT.fullmatch(item).groups() for item in split_items(text)]
    tensors = [name for kind, name, _ in found if kind == 'Tensor']
    others = [words for words in found if words[0] != 'Tensor']
    return tensors, tuple(Attr(name, kind, text) for kind, name, text in others)


def parse_outputs(text: str) -> list[str]:
    """`Tensor(a), Tensor (b)` -> their names"""
    return re.findall(r'\((\w+)\)', text)


def parse_entry(raw: dict[str, Any]) -> Entry:
    """One list element of a YAML file -> Entry."""
    kind = next(key for key in ENTRY_KEYS if key in raw)
    tensors, attrs = parse_args(raw['args'][1:-1])
    infer, kernel = raw['infer_meta'], raw['kernel']
    optional = split_items(raw.get('optional', ''))
    unread = split_items(raw.get('no_need_buffer', ''))
    return Entry(
        name=raw[kind],
        kind=kind,
        tensors=tuple(
            TensorArg(name, name in optional, name in unread)
            for name in tensors
        ),
        attrs=attrs,
        outputs=tuple(map(Output, parse_outputs(raw['output']))),
        infer_meta=infer['func'],
        infer_meta_param=_params(infer),
        spmd_rule=infer.get('spmd_rule'),
        kernel=kernel['func'],
        kernel_param=_params(kernel),
        data_type=kernel.get('data_type'),
        inplace=tuple(re.findall(r'(\w+) -> (\w+)', raw.get('inplace', ''))),
        backward=raw.get('backward'),
        forward=raw['forward'].split(' ')[0] if 'forward' in raw else None,
        raw=raw,
    )


def _params(block: dict) -> tuple[str, ...] | None:
    return tuple(block['param']) if 'param' in block else None


def load_file(path: Path) -> OpFile:
    """Read one YAML file."""
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    return OpFile(path, tuple(parse_entry(raw) for raw in data))


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        raise SchemaError(f'{folder}: no .yaml file found')
    return [load_file(p) for p in paths]
