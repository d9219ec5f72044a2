"""Entries of ops_yaml/*.yaml as dataclasses.

One file holds one operator: a list with one `op` entry and any number of
`backward_op` entries, each exactly as it stands in Paddle's ops.yaml and
backward.yaml. check_ops_yaml.py says what is wrong with those that can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ENTRY_KEYS = ('op', 'backward_op')
ARGUMENT = re.compile(r'([\w()\[\]]+) ([A-Za-z]\w*)(\s*=\s*([^\s=][^=]*))?')
INPLACE = re.compile(r'(\w+)\s*->\s*(\w+)')
OUTPUT = re.compile(r'Tensor\s*(\((\w+)\))?')


class SchemaError(ValueError):
    """A folder or a file that is not one of operators, or an entry that can't be
    read."""


@dataclass(frozen=True)
class TensorArg:
    """A Tensor argument of an entry."""

    name: str
    type: str
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
    type: str = 'Tensor'


@dataclass
class Entry:
    """One `op` or `backward_op` entry; `forward` is what it differentiates."""

    name: str
    kind: str
    tensors: tuple[TensorArg, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[Output, ...]
    infer_meta: str | None = None
    infer_meta_param: tuple[str, ...] | None = None
    spmd_rule: str | None = None
    kernel: str | None = None
    kernel_param: tuple[str, ...] | None = None
    data_type: str | None = None
    inplace: tuple[tuple[str, str], ...] = ()
    backward: str | None = None
    forward: str | None = None
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def is_backward(self) -> bool:
        return self.kind == 'backward_op'

    def tensor(self, name: str) -> TensorArg | None:
        return next((t for t in self.tensors if t.name == name), None)


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
    return [item.strip() for item in text.strip().split(',')]


def parse_args(text: str):
    """`(Tensor x, int axis=0)` -> (names and types of Tensors, attrs)."""
    if not (text.startswith('(') and text.endswith(')')):
        raise SchemaError(f'expected a list in brackets, got `{text}`')
    tensors: list[tuple[str, str]] = []
    attrs: list[Attr] = []
    for item in split_items(text[1:-1]):
        match = ARGUMENT.fullmatch(item)
        if not match:
            raise SchemaError(
                'expected `type name` or `type name = default` with one blank '
                f'after the type, got `{item}`'
            )
        kind, name, _, default = match.groups()
        if kind.startswith('Tensor'):
            tensors.append((name, kind))
        else:
            attrs.append(Attr(name, kind, default))
    return tuple(tensors), tuple(attrs)


def parse_outputs(text: str) -> tuple[Output, ...]:
    """`Tensor(a), Tensor (b)`; an output without a name is called `out`."""
    found = []
    for item in split_items(text):
        match = OUTPUT.fullmatch(item)
        if not match:
            raise SchemaError(f'expected `Tensor(name)`, got `{item}`')
        found.append(Output(match[2] or 'out'))
    return tuple(found)


def parse_entry(raw: dict[str, Any]) -> Entry:
    """One list element of a YAML file -> Entry."""
    kind = next((key for key in ENTRY_KEYS if key in raw), 'op')
    tensors, attrs = _text(raw, 'args', parse_args)
    infer, kernel = _block(raw, 'infer_meta'), _block(raw, 'kernel')
    optional, unread = marked(raw, 'optional'), marked(raw, 'no_need_buffer')
    return Entry(
        name=_text(raw, kind),
        kind=kind,
        tensors=tuple(
            TensorArg(name, type_, name in optional, name in unread)
            for name, type_ in tensors
        ),
        attrs=attrs,
        outputs=_text(raw, 'output', parse_outputs),
        infer_meta=infer.get('func'),
        spmd_rule=infer.get('spmd_rule'),
        infer_meta_param=_params(infer),
        kernel=kernel.get('func'),
        kernel_param=_params(kernel),
        data_type=kernel.get('data_type'),
        inplace=tuple(INPLACE.findall(str(raw.get('inplace', '')))),
        backward=raw.get('backward'),
        forward=_text(raw, 'forward').split(' ')[0]
        if 'forward' in raw
        else None,
        raw=raw,
    )


def marked(raw: dict[str, Any], key: str) -> list[str]:
    """The Tensors that `optional` or `no_need_buffer` names."""
    return split_items(str(raw[key])) if key in raw else []


def _text(raw: dict[str, Any], key: str, parse=str):
    """A value that is a line of text; a fault begins with its key."""
    if key not in raw:
        raise SchemaError(f'{key}: expected this key, got none')
    if not isinstance(raw[key], str):
        raise SchemaError(f'{key}: expected one line of text, got {raw[key]!r}')
    try:
        return parse(raw[key])
    except SchemaError as error:
        raise SchemaError(f'{key}: {error}') from None


def _block(raw: dict[str, Any], key: str) -> dict[str, Any]:
    block = raw.get(key, {})
    if not isinstance(block, dict):
        raise SchemaError(f'{key}: expected keys below it, got {block!r}')
    if not isinstance(block.get('param', []), list):
        raise SchemaError(
            f'{key}.param: expected a list [a, b], got {block["param"]!r}'
        )
    return block


def _params(block: dict) -> tuple[str, ...] | None:
    value = block.get('param')
    return None if value is None else tuple(map(str, value))


def load_file(path: Path) -> OpFile:
    """Read one YAML file."""
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    if not isinstance(data, list):
        raise SchemaError(f'{path.name}: expected a list of entries')
    return OpFile(path, tuple(parse_entry(raw) for raw in data))


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        raise SchemaError(f'{folder}: no .yaml file found')
    return [load_file(p) for p in paths]
