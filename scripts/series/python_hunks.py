"""Merges the functions of a python_api file into an upstream Python module.

A definition is everything that belongs to one name at the top level: overload
stubs, the function with its decorators and the comment above it, and assignments
such as `f.__signature__ = ...` right after it. It replaces the definition of that
name; a new one goes before the next of its file that the module has. Imports that
the module lacks are hunks in edits/.
"""

from __future__ import annotations

import ast
from itertools import groupby


def merge_functions(upstream, ours, before):
    """The upstream text with the definitions of `ours` in it, the new ones at the
    end before that of the name `before`."""
    blocks = {name: lines for name, lines in split_module(ours) if name}
    chunks, names = split_module(upstream), [*blocks, before]
    for position, (name, block) in enumerate(blocks.items()):
        places = {known: i for i, (known, _) in enumerate(chunks)}
        if name in places:
            chunks[places[name]] = (name, block)
        else:
            following = names[position + 1 :]
            place = next(places[n] for n in following if n in places)
            chunks[place:place] = [(name, block), (None, ['', ''])]
    return '\n'.join(line for _, lines in chunks for line in lines)


def split_module(text):
    """[(name, lines)] of the definitions; what is between two has no name."""
    # not splitlines: ast does not count a form feed as the end of a line
    lines, chunks, end = text.split('\n'), [], 0
    for name, group in groupby(ast.parse(text).body, defined_name):
        if name:
            nodes = list(group)
            start = first_line(nodes[0], lines)
            chunks.append((None, lines[end:start]))
            end = nodes[-1].end_lineno
            chunks.append((name, lines[start:end]))
    return [*chunks, (None, lines[end:])]


def defined_name(node):
    """The top-level name that a statement defines or assigns to, or None."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return node.name
    target = (
        getattr(node, 'target', None) or getattr(node, 'targets', [None])[0]
    )
    while isinstance(target, ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def first_line(node, lines):
    """The index of the first line of a node, its decorators and its comment."""
    decorators = getattr(node, 'decorator_list', [])
    first = min(n.lineno for n in (node, *decorators)) - 1
    while first and lines[first - 1].startswith('#'):
        first -= 1
    return first
