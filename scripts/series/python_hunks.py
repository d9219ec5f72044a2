"""Merges the functions of a python_api file into an upstream Python module.

A definition is everything that belongs to one name at the top level: overload
stubs, the function with its decorators and the comment above it, and attribute
assignments such as `f.__signature__ = ...` right after it. A definition of a
known name replaces the old one; a new one goes before the next of its file that the
module knows. Imports that the module lacks are hunks in edits/.
"""

from __future__ import annotations

import ast
import re
import sysconfig
from itertools import groupby
from pathlib import Path

from scripts.common.programs import run
from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError, refuse


def merge_functions(upstream, ours, source, before):
    """The upstream text with the definitions of `ours` in it.

    `before` names the definition that new ones go before if none of `ours` that is
    known follows them.
    """
    refuse(_foreign_statements(ours, source))
    blocks = {name: lines for name, lines in _chunks(ours) if name}
    chunks = _chunks(upstream)
    names = list(blocks)
    for position, name in enumerate(names):
        _put(chunks, name, blocks[name], [*names[position + 1 :], before])
    merged = join_lines([line for _, lines in chunks for line in lines])
    missing = missing_names(merged) - missing_names(upstream)
    if missing:
        raise SeriesError(
            f'{source}: not defined in the merged module: '
            f'{", ".join(sorted(missing))}; add an import that it lacks with a '
            'hunk in scripts/series/edits/'
        )
    return merged


def _chunks(text):
    """[(name, lines)], one for each run of a name's nodes; what lies between two
    of them has no name."""
    lines, chunks, end = split_lines(text), [], 0
    for name, run_of_name in groupby(ast.parse(text).body, defined_name):
        if name:
            nodes = list(run_of_name)
            start, last = _lines_above(nodes[0], lines), nodes[-1].end_lineno
            chunks += [(None, lines[end:start]), (name, lines[start:last])]
            end = last
    return [*chunks, (None, lines[end:])]


def defined_name(node):
    """The top-level name that a statement defines or decorates, or None."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return node.name
    target = (
        getattr(node, 'target', None) or getattr(node, 'targets', [None])[0]
    )
    while isinstance(target, ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _lines_above(node, lines):
    """How many lines stand above a node, its decorators and its comment."""
    decorators = getattr(node, 'decorator_list', [])
    count = min(n.lineno for n in (node, *decorators)) - 1
    while count and lines[count - 1].startswith('#'):
        count -= 1
    return count


def _foreign_statements(ours, source):
    """Statements that the merge would drop without a word."""
    for node in ast.parse(ours).body:
        text = ast.unparse(node)
        if not defined_name(node) and not re.match(
            'import |from |if TYPE_CHECKING:|[\'"]', text
        ):
            yield (
                f'{source}:{node.lineno}: only imports and definitions can be '
                f'exported from a python_api file, got {text}'
            )


def _put(chunks, name, block, later):
    """Replaces a definition, or adds it before the first of `later` that is there."""
    places = {known: i for i, (known, _) in enumerate(chunks)}
    if name in places:
        chunks[places[name]] = (name, block)
    else:
        below = next(places[n] for n in later if n in places)
        chunks[below:below] = [(name, block), (None, ['', ''])]


def missing_names(text):
    """Names that a module reads and that nothing defines; ruff is the judge."""
    ruff = Path(sysconfig.get_paths()['scripts'], 'ruff')
    command = [ruff, 'check', '--isolated', '--no-cache', '--select', 'F821']
    done = run(*command, '--output-format', 'concise', '-', input=text)
    return set(re.findall(r'F821 Undefined name `(\w+)`', done.stdout))
