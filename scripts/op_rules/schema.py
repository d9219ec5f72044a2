"""Parse ops_yaml/*.yaml into dataclasses.

One file holds one operator: a list with one `op` entry and any number of
`backward_op` entries, each exactly as it stands in Paddle's ops.yaml and
backward.yaml. Only syntax is judged here; what an entry may say beyond that
is for check_ops_yaml.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ENTRY_KEYS = ('op', 'backward_op')
_TYPED_NAME = re.compile(r'^(?P<type>\S.*?)\s+(?P<name>[A-Za-z_]\w*)$')
_OUTPUT = re.compile(r'^(?P<type>Tensor)\s*(\(\s*(?P<name>\w+)\s*\))?$')
_SIGNATURE = re.compile(
    r'^(?P<name>\w+)\s*(?P<args>\(.*\))\s*->\s*(?P<out>.+)$'
)
_INPLACE = re.compile(r'^\(\s*(\w+)\s*->\s*(\w+)\s*\)$')


class SchemaError(ValueError):
    """A fault in a YAML file; the text names the file and the entry."""


@dataclass(frozen=True)
class TensorArg:
    """A Tensor argument of an entry."""

    name: str
    type: str = 'Tensor'
    optional: bool = False
    no_need_buffer: bool = False


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


@dataclass(frozen=True)
class Signature:
    """The `forward :` line of a backward entry."""

    name: str
    tensors: tuple[TensorArg, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[Output, ...]


@dataclass
class Entry:
    """One `op` or `backward_op` entry."""

    name: str
    kind: str
    path: Path
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
    forward: Signature | None = None
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def is_backward(self) -> bool:
        return self.kind == 'backward_op'

    @property
    def stem(self) -> str:
        """The YAML file's stem, which every file of the operator shares."""
        return self.path.stem

    @property
    def where(self) -> str:
        """`file: entry`, the beginning of every error text."""
        return f'{self.path.name}: {self.name}'

    def tensor(self, name: str) -> TensorArg | None:
        return next((t for t in self.tensors if t.name == name), None)

    def attr(self, name: str) -> Attr | None:
        return next((a for a in self.attrs if a.name == name), None)


@dataclass
class OpFile:
    """One YAML file: the forward entry and the gradients, in file order."""

    path: Path
    entries: tuple[Entry, ...]

    @property
    def forward(self) -> Entry:
        found = [e for e in self.entries if not e.is_backward]
        if len(found) != 1:
            raise SchemaError(
                f'{self.path.name}: expected one `op` entry, got {len(found)}'
            )
        return found[0]

    def entry(self, name: str | None) -> Entry | None:
        return next((e for e in self.entries if e.name == name), None)


def split_top_level(text: str, sep: str = ',') -> list[str]:
    """Split at separators outside brackets and quotes; strip the parts."""
    parts, depth, quote, start = [], 0, '', 0
    for i, char in enumerate(text):
        if quote:
            quote = '' if char == quote else quote
        elif char in '"\'':
            quote = char
        elif char in '([{':
            depth += 1
        elif char in ')]}':
            depth -= 1
        elif char == sep and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]


def parse_args(text: str, where: str):
    """`(Tensor x, int axis=0)` -> (tensors, attrs), Tensors first."""
    text = text.strip()
    if not (text.startswith('(') and text.endswith(')')):
        raise SchemaError(f'{where}: expected a list in brackets, got `{text}`')
    tensors: list[TensorArg] = []
    attrs: list[Attr] = []
    for item in split_top_level(text[1:-1]):
        head, _, default = item.partition('=')
        match = _TYPED_NAME.match(head.strip())
        if match is None:
            raise SchemaError(
                f'{where}: expected `type name` or `type name = default`, got '
                f'`{item}`'
            )
        kind, name = match['type'], match['name']
        if kind.startswith('Tensor'):
            if attrs:
                raise SchemaError(
                    f'{where}: expected Tensors before attributes, got '
                    f'`{item}` after `{attrs[-1].type} {attrs[-1].name}`'
                )
            tensors.append(TensorArg(name, kind))
        else:
            attrs.append(Attr(name, kind, default.strip() or None))
    _reject_twins([a.name for a in (*tensors, *attrs)], where)
    return tuple(tensors), tuple(attrs)


def parse_outputs(text: str, where: str) -> tuple[Output, ...]:
    """`Tensor(a), Tensor(b)`; an output without a name is called `out`."""
    outputs = []
    for item in split_top_level(text):
        match = _OUTPUT.match(item)
        if match is None:
            raise SchemaError(f'{where}: expected `Tensor(name)`, got `{item}`')
        outputs.append(Output(match['name'] or 'out', match['type']))
    _reject_twins([o.name for o in outputs], where)
    return tuple(outputs)


def parse_signature(text: str, where: str) -> Signature:
    """`op (args) -> outputs`, the `forward` line of a backward entry."""
    match = _SIGNATURE.match(text.strip())
    if match is None:
        raise SchemaError(
            f'{where}: expected `name (Tensor x, int axis) -> Tensor(out)`, got '
            f'`{text}`'
        )
    tensors, attrs = parse_args(match['args'], where)
    return Signature(
        match['name'], tensors, attrs, parse_outputs(match['out'], where)
    )


def parse_inplace(text: str, where: str) -> tuple[tuple[str, str], ...]:
    """`(x -> out), (y -> out2)` -> ((x, out), (y, out2))."""
    pairs = []
    for item in split_top_level(text):
        match = _INPLACE.match(item)
        if match is None:
            raise SchemaError(
                f'{where}: expected `(input -> output)`, got `{item}`'
            )
        pairs.append((match[1], match[2]))
    return tuple(pairs)


def parse_entry(raw: Any, path: Path) -> Entry:
    """One list element of a YAML file -> Entry."""
    kind = next(
        (k for k in ENTRY_KEYS if isinstance(raw, dict) and k in raw), ''
    )
    if not kind:
        raise SchemaError(
            f'{path.name}: expected an entry with `op` or `backward_op`, got '
            f'{raw!r}'
        )
    where = f'{path.name}: {raw[kind]}'
    for key in ('args', 'output'):
        if key not in raw:
            raise SchemaError(f'{where}: {key}: expected this key, got none')
    tensors, attrs = parse_args(str(raw['args']), f'{where}: args')
    outputs = parse_outputs(str(raw['output']), f'{where}: output')
    marks = _marks(raw, tensors, where)
    infer, kernel = (
        _block(raw, 'infer_meta', where),
        _block(raw, 'kernel', where),
    )
    return Entry(
        name=str(raw[kind]),
        kind=kind,
        path=path,
        tensors=tuple(
            TensorArg(
                t.name,
                t.type,
                t.name in marks['optional'],
                t.name in marks['no_need_buffer'],
            )
            for t in tensors
        ),
        attrs=attrs,
        outputs=outputs,
        infer_meta=infer.get('func'),
        spmd_rule=infer.get('spmd_rule'),
        infer_meta_param=_params(infer, f'{where}: infer_meta.param'),
        kernel=kernel.get('func'),
        kernel_param=_params(kernel, f'{where}: kernel.param'),
        data_type=kernel.get('data_type'),
        inplace=parse_inplace(str(raw.get('inplace', '')), f'{where}: inplace'),
        backward=raw.get('backward'),
        forward=(
            parse_signature(str(raw['forward']), f'{where}: forward')
            if 'forward' in raw
            else None
        ),
        raw=raw,
    )


def load_file(path: Path) -> OpFile:
    """Read one YAML file."""
    try:
        data = yaml.safe_load(path.read_text(encoding='utf-8'))
    except yaml.YAMLError as error:
        raise SchemaError(f'{path.name}: not valid YAML: {error}') from error
    if not isinstance(data, list):
        raise SchemaError(f'{path.name}: expected a list of entries')
    entries = tuple(parse_entry(raw, path) for raw in data)
    _reject_twins([e.name for e in entries], path.name)
    return OpFile(path, entries)


def load_dir(folder: Path) -> list[OpFile]:
    """Read every YAML file of a folder, in name order."""
    paths = sorted(Path(folder).glob('*.yaml'))
    if not paths:
        raise SchemaError(f'{folder}: no .yaml file found')
    return [load_file(p) for p in paths]


def _block(raw: dict, key: str, where: str) -> dict:
    block = raw.get(key) or {}
    if not isinstance(block, dict):
        raise SchemaError(
            f'{where}: {key}: expected keys below it, got `{block}`'
        )
    return block


def _names(text: str | None) -> list[str]:
    return [n.strip() for n in str(text).split(',')] if text else []


def _params(block: dict, where: str) -> tuple[str, ...] | None:
    value = block.get('param')
    if not isinstance(value, (list, type(None))):
        raise SchemaError(f'{where}: expected a list [a, b], got {value!r}')
    return None if value is None else tuple(str(v) for v in value)


def _reject_twins(names: list[str], where: str) -> None:
    twins = sorted({n for n in names if names.count(n) > 1})
    if twins:
        raise SchemaError(
            f'{where}: expected each name once, got {", ".join(twins)} twice'
        )


def _marks(raw, tensors, where) -> dict[str, list[str]]:
    """Names of inputs that an entry marks."""
    marks = {k: _names(raw.get(k)) for k in ('optional', 'no_need_buffer')}
    known = [t.name for t in tensors]
    for key, names in marks.items():
        unknown = [n for n in names if n not in known]
        if unknown:
            raise SchemaError(
                f'{where}: {key}: expected names out of {", ".join(known)}'
                f', got {", ".join(unknown)}'
            )
    return marks
