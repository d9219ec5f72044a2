"""Brings the methods of tensor.pyi up to the functions that they are.

Paddle's own build makes this file from the functions' signatures and docstrings.
The wheel ships the result, so the wheel target has to write those methods anew
whose functions the patches change.
"""

import ast
import copy
import textwrap

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
    lines, module = split_lines(stub), ast.parse(after)
    old, new = definitions(ast.parse(before)), definitions(module)
    edits = []
    for name, methods in stub_methods(stub).items():
        ours = new.get(name, [])
        if not ours or _told(old.get(name, [])) == _told(ours):
            continue
        if len(methods) != len(ours):
            raise SeriesError(
                f'{STUB}: {name} has {len(methods)} definitions, the function '
                f'has {len(ours)}'
            )
        shown = [*ours[:-1], new[_shown(module, name)][-1]]
        for method, node, like in zip(methods, ours, shown):
            first = min(n.lineno for n in (method, *method.decorator_list))
            edits.append((first, method.end_lineno, _method(node, like)))
    for first, last, text in sorted(edits, reverse=True):
        lines[first - 1 : last] = split_lines(textwrap.indent(text, INDENT))
    return join_lines(lines)


def stub_methods(stub):
    """{name: definitions} of the class of Tensors."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef) and node.name == CLASS:
            return definitions(node)
    raise SeriesError(f'{STUB}: has no class {CLASS}')


def definitions(tree):
    """{name: definitions}; overloads come before the function."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def _told(nodes):
    """What a stub tells of a function, to compare."""
    return [(ast.dump(n.args), ast.get_docstring(n)) for n in nodes]


def _shown(module, name):
    """The function whose signature the public one shows, by assignment."""
    start = f'{name}.__signature__ = inspect.signature('
    for node in module.body:
        text = ast.unparse(node) if isinstance(node, ast.Assign) else ''
        if text.startswith(start):
            return text[len(start) : -1]
    return name


def _method(node, like):
    """The definition in the class, with the arguments of another function."""
    made = copy.deepcopy(node)
    made.args, made.returns = copy.deepcopy((like.args, like.returns))
    made.args.args[0] = ast.arg('self')
    for argument in (*made.args.args, ast.arg('', made.returns)):
        for part in ast.walk(argument):
            if isinstance(part, ast.Name) and part.id in RENAMED:
                part.id = f'_{part.id}'
    made.decorator_list = [
        d for d in node.decorator_list if ast.unparse(d) == 'overload'
    ]
    made.body = [ast.Expr(ast.Constant(...))]
    if docstring := ast.get_docstring(node):
        text = f'\n{textwrap.indent(docstring, INDENT)}\n{INDENT}'
        made.body.insert(0, ast.Expr(ast.Constant(text)))
    return ast.unparse(made)
