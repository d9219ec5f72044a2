"""The type stub of Tensor, with methods that are the functions of python_api.

Paddle's own build writes this file from the functions' signatures and docstrings,
and the wheel ships the result. A method that is assigned has both from its function.
"""

import ast

from scripts.common.command_line import Refused
from scripts.common.text_lines import join_lines, split_lines

STUB = 'paddle/tensor/tensor.pyi'
CLASS = 'AbstractTensor'
IMPORT = 'from paddle.tensor import manipulation as _manipulation'


def tensor_class(stub):
    """The definition of the class of Tensors."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ClassDef) and node.name == CLASS:
            return node
    raise Refused(f'{STUB}: has no class {CLASS}')


def assign_methods(stub, names):
    """The stub with an assignment instead of each method of these names."""
    lines, tensor = split_lines(stub), tensor_class(stub)
    methods = [n for n in tensor.body if getattr(n, 'name', '') in names]
    last = {node.name: node for node in methods}  # overloads stand before it
    for node in reversed(methods):
        first = min(n.lineno for n in (node, *node.decorator_list))
        text = f'    {node.name} = _manipulation.{node.name}'
        is_last = last[node.name] is node
        lines[first - 1 : node.end_lineno] = [text] if is_last else []
    lines.insert(tensor.lineno - 1, IMPORT)
    return join_lines(lines)


def defined_functions(paths):
    """The names of the functions in Python files."""
    nodes = [n for p in paths for n in ast.parse(p.read_text('utf-8')).body]
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
