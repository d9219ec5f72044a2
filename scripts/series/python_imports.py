"""Adds the imports that exported functions need to an upstream module."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from scripts.common.text_lines import join_lines, split_lines

PACKAGE = 'paddle.tensor'
LINE_LENGTH = 80


@dataclass(frozen=True)
class Alias:
    module: str  # absolute; '' for a plain `import name`
    name: str
    asname: str
    typing_only: bool

    @property
    def bound(self):
        return self.asname or (self.name if self.module else self.root)

    @property
    def root(self):
        return self.name.split('.')[0]

    @property
    def text(self):
        return f'{self.name} as {self.asname}' if self.asname else self.name


def absolute_module(node):
    """Module of an ImportFrom, as seen from a module of PACKAGE."""
    if not node.level:
        return node.module
    parts = PACKAGE.split('.')[: len(PACKAGE.split('.')) + 1 - node.level]
    return '.'.join([*parts, *([node.module] if node.module else [])])


def imported_aliases(tree):
    """Aliases that a module imports, those for type checking included."""
    found = []
    for node, typing_only in _import_nodes(tree):
        module = ''
        if isinstance(node, ast.ImportFrom):
            module = absolute_module(node)
        if module != '__future__':
            found += [
                Alias(module, a.name, a.asname or '', typing_only)
                for a in node.names
            ]
    return found


def _import_nodes(tree):
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, False
        elif isinstance(node, ast.If):
            for inner in node.body:
                if isinstance(inner, (ast.Import, ast.ImportFrom)):
                    yield inner, True


def bound_names(tree):
    """Names bound at the top level of a module."""
    names = [alias.bound for alias in imported_aliases(tree)]
    for node in tree.body:
        if hasattr(node, 'name'):  # a function or class: its inside is its own
            names.append(node.name)
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                names.append(inner.id)
    return names


def merge_imports(upstream, aliases, used):
    """The upstream text with the used aliases that it lacks."""
    for alias in aliases:
        known = bound_names(ast.parse(upstream))
        if alias.bound in used and alias.bound not in known:
            upstream = _add(upstream, alias)
    return upstream


def _add(text, alias):
    lines = split_lines(text)
    nodes = [
        node
        for node, typing_only in _import_nodes(ast.parse(text))
        if typing_only == alias.typing_only
    ]
    for node in nodes:
        same = isinstance(node, ast.ImportFrom) and alias.module
        if same and absolute_module(node) == alias.module:
            old = lines[node.lineno - 1 : node.end_lineno]
            if 'noqa' not in ''.join(old):
                lines[node.lineno - 1 : node.end_lineno] = _extended(
                    node, alias
                )
                return join_lines(lines)
    node = _neighbour(nodes, alias)
    indent = ' ' * node.col_offset
    source = f'from {alias.module} import ' if alias.module else 'import '
    lines.insert(node.end_lineno, f'{indent}{source}{alias.text}')
    return join_lines(lines)


def _neighbour(nodes, alias):
    """The import after which a new one stands in sorted order."""
    best = nodes[0]
    for node in nodes:
        if bool(alias.module) != isinstance(node, ast.ImportFrom):
            continue
        if alias.module:
            before = not node.level and node.module <= alias.module
        else:
            before = node.names[0].name <= alias.name
        best = node if before else best
    return best


def _extended(node, alias):
    """Lines of an import statement with one more name in sorted place."""
    texts = [
        f'{a.name} as {a.asname}' if a.asname else a.name for a in node.names
    ]
    place = sum(_sort_key(text) < _sort_key(alias.text) for text in texts)
    texts.insert(place, alias.text)
    indent = ' ' * node.col_offset
    head = f'{indent}from {"." * node.level}{node.module or ""} import '
    line = head + ', '.join(texts)
    if node.lineno == node.end_lineno and len(line) <= LINE_LENGTH:
        return [line]
    return [f'{head}(', *(f'{indent}    {t},' for t in texts), f'{indent})']


def _sort_key(text):
    """Constants, then classes, then the rest, as ruff sorts members."""
    name = text.split(' ')[0]
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name
