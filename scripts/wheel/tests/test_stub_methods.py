"""The type stub of Tensor has the changed methods from their functions."""

import ast
from pathlib import Path

import paddle
from scripts.series.upstream_tree import wheel_dirs
from scripts.wheel.stub_methods import IMPORT, STUB, tensor_class

ROOT = Path(__file__).resolve().parents[3]
NAMES = {
    'masked_scatter', 'masked_scatter_', 'masked_fill', 'masked_fill_',
    'scatter', 'scatter_', 'select_scatter', 'diagonal_scatter',
}  # fmt: skip


def stub_in(folders):
    """The first stub that one of the folders has."""
    paths = [Path(folder, STUB) for folder in folders]
    return next(p for p in paths if p.is_file()).read_text(encoding='utf-8')


def test_stub_assigns_the_changed_methods_and_leaves_the_others_alone():
    after = stub_in([Path(paddle.__file__).parents[1]])
    assert f'\n{IMPORT}\nclass ' in after
    wanted = [
        ast.dump(node)
        for node in tensor_class(stub_in(wheel_dirs(ROOT))).body
        if getattr(node, 'name', '') not in NAMES
    ]
    assigned = {f'{name} = _manipulation.{name}' for name in NAMES}
    left = []
    for node in tensor_class(after).body:
        if ast.unparse(node) in assigned:
            assigned.remove(ast.unparse(node))
        else:
            left.append(ast.dump(node))
    assert left == wanted
    assert not assigned
