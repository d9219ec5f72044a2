"""Merge the functions of a python_api file into an upstream Python module.

A definition is a sequence of top-level statements for one name: overload stubs,
the function with its decorators and preceding comment, and assignments such as
`f.__signature__ = ...`. It replaces the upstream definition of that name. A new
definition is inserted before the next one of its file that the module contains.
Imports that the module lacks are hunks in edits/.
"""

from __future__ import annotations

import ast
import re
from itertools import groupby

# The first line of a statement that defines or assigns to a name.
DEFINED_NAME = re.compile(r'(?:def|class) (\w+)|(\w+)[\w.]*(?: =|: )')


def merge_functions(upstream, ours, before):
    """Merge the definitions of `ours`; trailing new ones precede `before`."""
    blocks = {name: lines for name, lines in split_module(ours) if name}
    chunks, names = split_module(upstream), [*blocks, before]
    for position, (name, block) in enumerate(blocks.items()):
        places = {key: i for i, (key, _) in enumerate(chunks)}
        if name in places:
            chunks[places[name]] = (name, block)
        else:
            following = names[position + 1 :]
            place = next(places[n] for n in following if n in places)
            chunks[place:place] = [(name, block), (None, ['', ''])]
    return '\n'.join(line for _, lines in chunks for line in lines)


def split_module(text):
    """Split a module into [(name of the definition or None, lines)]."""
    # Unlike splitlines, ast does not treat a form feed as the end of a line.
    lines, chunks, end = text.split('\n'), [], 0

    def get_defined_name(node):
        match = DEFINED_NAME.match(lines[node.lineno - 1])
        return match and (match[1] or match[2])

    for name, group in groupby(ast.parse(text).body, get_defined_name):
        if name:
            nodes = list(group)
            decorators = getattr(nodes[0], 'decorator_list', [])
            start = min(n.lineno for n in (nodes[0], *decorators)) - 1
            while start and lines[start - 1].startswith('#'):
                start -= 1
            chunks.append((None, lines[end:start]))
            end = nodes[-1].end_lineno
            chunks.append((name, lines[start:end]))
    return [*chunks, (None, lines[end:])]
