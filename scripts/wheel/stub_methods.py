"""Brings the methods of tensor.pyi up to the functions that they are.

Paddle's own build makes this file from the functions' signatures and docstrings.
The wheel ships the result, so the wheel target has to write those methods anew
whose functions the patches change.
"""

from __future__ import annotations

import ast

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError

STUB = 'paddle/tensor/tensor.pyi'
MODULE = 'paddle/tensor/manipulation.py'
CLASS = 'AbstractTensor'
INDENT = ' ' * 4
# Tensor has methods of these names, so the stub calls the types otherwise.
RENAMED = ('bool', 'bytes', 'complex', 'float', 'int', 'str')


def update_stub(stub, before, after):
    """The stub with those methods anew whose functions differ.

    `before` and `after` are the module's text without and with the patches.
    """
    old, new = functions(before), functions(after)
    methods = stub_methods(stub)
    lines = split_lines(stub)
    edits = []
    for name in methods.keys() & new.keys():
        if _dumped(old.get(name, [])) != _dumped(new[name]):
            shown = _shown(after, new, name)
            edits += _edits(name, methods[name], new[name], shown)
    for first, last, block in sorted(edits, reverse=True):
        lines[first - 1 : last] = block
    return join_lines(lines)


def functions(text):
    """{name: definitions} of a module; overloads come before the function."""
    return _grouped(ast.parse(text).body)


def stub_methods(stub):
    """{name: definitions} of the class of Tensors."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef) and node.name == CLASS:
            return _grouped(node.body)
    raise SeriesError(f'{STUB}: has no class {CLASS}')


def _grouped(nodes):
    found = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def _dumped(nodes):
    """What a stub tells of a function, to compare."""
    return [
        (ast.dump(n.args), ast.get_docstring(n), is_overload(n)) for n in nodes
    ]


def is_overload(node):
    return any(
        isinstance(d, ast.Name) and d.id == 'overload'
        for d in node.decorator_list
    )


def _shown(text, known, name):
    """The function whose signature the public one shows, by assignment."""
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = ast.unparse(node.targets[0]), ast.unparse(node.value)
        is_signature = target == f'{name}.__signature__'
        if is_signature and value.startswith('inspect.signature('):
            return known[value.removeprefix('inspect.signature(')[:-1]][-1]
    return known[name][-1]


def _edits(name, methods, ours, shown):
    """[(first line, last line, new lines)] for the definitions of a method."""
    olds = [node for node in methods if is_overload(node)]
    news = [node for node in ours if is_overload(node)]
    if len(olds) != len(news) or len(methods) != len(olds) + 1:
        raise SeriesError(
            f'{STUB}: {name} has {len(olds)} overloads in '
            f'{len(methods)} definitions, the function has {len(news)}'
        )
    edits = [
        (
            _first_line(old),
            old.end_lineno,
            _method(name, new, ['...'], ['@overload']),
        )
        for old, new in zip(olds, news)
    ]
    method = next(node for node in methods if not is_overload(node))
    text = ast.get_docstring(ours[-1]) or ''
    body = ['r"""', *text.split('\n'), '"""', '...']
    block = _method(name, shown, body)
    return [*edits, (_first_line(method), method.end_lineno, block)]


def _first_line(node):
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _method(name, node, body, decorators=()):
    head = f'def {name}({_parameters(node)}) -> {_quoted(node.returns)}:'
    body = [INDENT + line if line else '' for line in body]
    lines = [*decorators, head, *body]
    return [INDENT + line if line else '' for line in lines]


def _parameters(node):
    """`self, index: 'Tensor', name: '_str | None' = None`."""
    arguments = node.args
    if arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        raise SeriesError(f'{node.name}: not made for the stub: * or **')
    missing = len(arguments.args) - len(arguments.defaults)
    defaults = [None] * missing + arguments.defaults
    parts = ['self']
    for argument, default in list(zip(arguments.args, defaults))[1:]:
        value = f' = {ast.unparse(default)}' if default else ''
        annotation = _quoted(argument.annotation)
        parts.append(f'{argument.arg}: {annotation}{value}')
    return ', '.join(parts)


def _quoted(annotation):
    tree = ast.parse(ast.unparse(annotation), mode='eval')
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in RENAMED:
            node.id = f'_{node.id}'
    return repr(ast.unparse(tree))
