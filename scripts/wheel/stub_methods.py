"""Brings the methods of tensor.pyi up to the functions that they are.

Paddle's own build makes this file from the functions' signatures and docstrings.
The wheel ships the result, so the wheel target has to write those methods anew
whose functions the patches change.
"""

import ast
import copy
import re

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
    old, new = _grouped(ast.parse(before)), _grouped(ast.parse(after))
    edits = []
    for name, methods in stub_methods(stub).items():
        ours = new.get(name)
        if not ours or _dumped(old.get(name, [])) == _dumped(ours):
            continue
        if len(methods) != len(ours):
            raise SeriesError(
                f'{STUB}: {name} has {len(methods)} definitions, the function '
                f'has {len(ours)}'
            )
        shown = [*ours[:-1], _shown(ast.parse(after), new, name)]
        for method, node, told in zip(methods, ours, shown):
            lines = _method(name, told, ast.get_docstring(node))
            first = min(n.lineno for n in (method, *method.decorator_list))
            edits.append((first, method.end_lineno, lines))
    lines = split_lines(stub)
    for first, last, block in sorted(edits, reverse=True):
        lines[first - 1 : last] = block
    return join_lines(lines)


def stub_methods(stub):
    """{name: definitions} of the class of Tensors."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef) and node.name == CLASS:
            return _grouped(node)
    raise SeriesError(f'{STUB}: has no class {CLASS}')


def _grouped(tree):
    """{name: definitions}; overloads come before the function."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def _dumped(nodes):
    """What a stub tells of a function, to compare."""
    return [
        (ast.dump(n.args), ast.get_docstring(n), bool(_overload(n)))
        for n in nodes
    ]


def _overload(node):
    """Its decorators, as far as a stub shows them."""
    return [d for d in node.decorator_list if ast.unparse(d) == 'overload']


def _shown(tree, known, name):
    """The function whose signature the public one shows, by assignment."""
    for node in tree.body:
        text = ast.unparse(node) if isinstance(node, ast.Assign) else ''
        start = f'{name}.__signature__ = inspect.signature('
        if text.startswith(start):
            return known[text[len(start) : -1]][-1]
    return known[name][-1]


def _method(name, node, docstring):
    """The lines of a definition in the class."""
    arguments = copy.deepcopy(node.args)
    if arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        raise SeriesError(f'{name}: not made for the stub: * or **')
    arguments.args[0] = ast.arg('self')
    for argument in arguments.args[1:]:
        argument.annotation = _quoted(argument.annotation)
    # unparse leaves no blanks about the = behind an annotation
    given = re.sub(r'''(['"])=''', r'\1 = ', ast.unparse(arguments))
    body = ['r"""', *docstring.split('\n'), '"""'] if docstring else []
    lines = [
        *(f'@{ast.unparse(d)}' for d in _overload(node)),
        f'def {name}({given}) -> {ast.unparse(_quoted(node.returns))}:',
        *(INDENT + line if line else '' for line in [*body, '...']),
    ]
    return [INDENT + line if line else '' for line in lines]


def _quoted(annotation):
    tree = copy.deepcopy(annotation)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in RENAMED:
            node.id = f'_{node.id}'
    return ast.Constant(ast.unparse(tree))
