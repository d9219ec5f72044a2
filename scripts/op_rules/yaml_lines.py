"""Which line of a YAML file an entry and each of its keys stand on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml


@dataclass
class EntryText:
    """An entry as it was read, and where: `kernel.param` is a key in a key."""

    raw: dict[str, Any]
    line: int
    lines: dict[str, int] = field(default_factory=dict)
    twins: list[str] = field(default_factory=list)

    def line_of(self, key: str) -> int:
        """The key's line; without one, its outer key's or the entry's."""
        outer = key.partition('.')[0]
        return self.lines.get(key, self.lines.get(outer, self.line))


def read_entries(text: str) -> list[EntryText] | None:
    """The entries of a file's text, or None if it is not a list of them.

    Raises yaml.YAMLError for a text that is not YAML.
    """
    data = yaml.safe_load(text)
    if not isinstance(data, list) or not all(isinstance(r, dict) for r in data):
        return None
    nodes = yaml.compose(text, yaml.SafeLoader).value
    return [_entry(raw, node) for raw, node in zip(data, nodes)]


def _entry(raw, node):
    entry = EntryText(raw, node.start_mark.line + 1)
    for name, line in _keys(node, ''):
        if name in entry.lines:
            entry.twins.append(name)
        entry.lines[name] = line
    return entry


def _keys(node, outer):
    for key, value in node.value:
        name = f'{outer}{key.value}'
        yield name, key.start_mark.line + 1
        if isinstance(value, yaml.MappingNode):
            yield from _keys(value, f'{name}.')
