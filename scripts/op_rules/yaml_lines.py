"""The entries of a YAML file, each with its line; a key stands in one once."""

from __future__ import annotations

from typing import Any

import yaml


class _EachKeyOnce(yaml.SafeLoader):
    """YAML takes the last of two equal keys in silence."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                problem = f'the key {key.value} twice'
                raise yaml.constructor.ConstructorError(
                    None, None, problem, key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_entries(text: str) -> list[tuple[dict[str, Any], int]] | None:
    """[(entry, line)] of a file's text, or None if it is no list of entries.

    Raises yaml.YAMLError for a text that is not YAML.
    """
    data = yaml.load(text, _EachKeyOnce)
    if not isinstance(data, list) or not all(isinstance(r, dict) for r in data):
        return None
    nodes = yaml.compose(text, yaml.SafeLoader).value
    return [(raw, n.start_mark.line + 1) for raw, n in zip(data, nodes)]
