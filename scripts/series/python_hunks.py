"""Merges the functions of a python_api file into an upstream Python module.

A definition is everything that belongs to one name at the top level: overload
stubs, the function with its decorators and the comment above it, and attribute
assignments such as `f.__signature__ = ...` right after it. A definition of a
known name replaces the old one; a new one goes before the next of its file that the
module knows. Imports that the module lacks are edits in series.yaml.
"""

from __future__ import annotations

import ast
import re
import sysconfig
from pathlib import Path

from scripts.common.programs import run
from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError


def merge_functions(upstream, ours, source, before=''):
    """The upstream text with the definitions of `ours` in it.

    `before` names the definition that new ones go before if none of `ours` that is
    known follows them; without it they go to the end.
    """
    tree = ast.parse(ours)
    faults = _foreign_statements(tree, source)
    if faults:
        raise SeriesError(faults)
    blocks = {name: lines for name, lines in _chunks(ours) if name}
    if not blocks:
        raise SeriesError(f'{source}: defines nothing')
    chunks = _chunks(upstream)
    names = list(blocks)
    for position, name in enumerate(names):
        _put(chunks, name, blocks[name], [*names[position + 1 :], before])
    merged = join_lines([line for _, lines in chunks for line in lines])
    missing = missing_names(merged) - missing_names(upstream)
    if missing:
        raise SeriesError(
            f'{source}: not defined in the merged module: '
            f'{", ".join(sorted(missing))}; add an import that it lacks with an '
            'edit in scripts/series/series.yaml'
        )
    return merged


def _chunks(text):
    """[(name, lines)]; what lies between two definitions has no name."""
    lines, chunks, end = split_lines(text), [], 0
    for name, first, last in _spans(text):
        chunks.append((None, lines[end : first - 1]))
        chunks.append((name, lines[first - 1 : last]))
        end = last
    return [*chunks, (None, lines[end:])]


def _spans(text):
    """[(name, first line, last line)], one for each run of a name's nodes."""
    lines = split_lines(text)
    spans = []
    for node in ast.parse(text).body:
        name = defined_name(node)
        if name is None:
            spans.append((None, 0, 0))
            continue
        if spans and spans[-1][0] == name:
            spans[-1] = (name, spans[-1][1], node.end_lineno)
        else:
            spans.append((name, _first_line(node, lines), node.end_lineno))
    return [span for span in spans if span[0]]


def defined_name(node):
    """The top-level name that a statement defines or decorates, or None."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        return None
    while isinstance(target, ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _first_line(node, lines):
    decorators = getattr(node, 'decorator_list', [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    while first > 1 and lines[first - 2].startswith('#'):
        first -= 1
    return first


def _foreign_statements(tree, source):
    """Statements that the merge would drop without a word."""
    faults = []
    for node in tree.body:
        known = isinstance(node, (ast.Import, ast.ImportFrom))
        known |= isinstance(node, ast.Expr) and isinstance(
            node.value, ast.Constant
        )
        known |= ast.unparse(node).startswith('if TYPE_CHECKING:\n')
        name = defined_name(node)
        if not known and (name is None or name == '__all__'):
            faults.append(
                f'{source}:{node.lineno}: only imports and definitions can be '
                'exported from a python_api file'
            )
    names = [name for name, _, _ in _spans(ast.unparse(tree))]
    for name in sorted({n for n in names if names.count(n) > 1}):
        faults.append(f'{source}: the definitions of {name} are not together')
    return faults


def _put(chunks, name, block, later):
    """Replaces a definition, or adds it before the first of `later` that is there."""
    places = [i for i, (known, _) in enumerate(chunks) if known == name]
    if len(places) > 1:
        raise SeriesError(f'{name}: defined at several places of the module')
    if places:
        chunks[places[0]] = (name, block)
        return
    known = {chunk[0]: i for i, chunk in enumerate(chunks)}
    new, space = (name, block), (None, ['', ''])
    below = next((known[n] for n in later if n in known), None)
    if below is None:
        chunks += [space, new]
    else:
        chunks[below:below] = [new, space]


def missing_names(text):
    """Names that a module reads and that nothing defines; ruff is the judge."""
    ruff = Path(sysconfig.get_paths()['scripts'], 'ruff')
    command = [ruff, 'check', '--isolated', '--no-cache', '--select', 'F821']
    done = run(*command, '--output-format', 'concise', '-', input=text)
    return set(re.findall(r'F821 Undefined name `(\w+)`', done.stdout))
