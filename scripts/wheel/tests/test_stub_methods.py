"""The type stub of Tensor knows the functions that the patches change."""

import ast
import inspect
from pathlib import Path

import pytest

import paddle
from scripts.series.patch_series import SeriesError
from scripts.series.upstream_tree import wheel_dirs
from scripts.wheel import stub_methods

ROOT = Path(__file__).resolve().parents[3]
NAMES = (
    'masked_scatter', 'masked_scatter_', 'masked_fill', 'masked_fill_',
    'scatter', 'scatter_', 'select_scatter', 'diagonal_scatter',
)  # fmt: skip


def methods_in(folder):
    """{name: definitions} of the stub in a site-packages folder."""
    text = Path(folder, stub_methods.STUB).read_text(encoding='utf-8')
    return stub_methods.stub_methods(text)


def test_installed_stub_tells_the_signatures():
    methods = methods_in(Path(paddle.__file__).parents[1])
    for name in NAMES:
        function = getattr(paddle, name)
        wanted = [
            (p.name, None if p.default is p.empty else repr(p.default))
            for p in inspect.signature(function).parameters.values()
        ]
        for node in (methods[name][0], methods[name][-1]):
            given = [a.arg for a in node.args.args]
            defaults = [ast.unparse(value) for value in node.args.defaults]
            defaults = [None] * (len(given) - len(defaults)) + defaults
            assert list(zip(given, defaults))[1:] == wanted[1:], name
        assert ast.get_docstring(node) == inspect.getdoc(function), name
        for node in methods[name]:
            types = [a.annotation for a in node.args.args if a.annotation]
            names = {n.id for t in [*types, node.returns] for n in ast.walk(t)
                     if isinstance(n, ast.Name)}  # fmt: skip
            assert not names & set(stub_methods.RENAMED), name


def test_installed_stub_leaves_the_other_methods_alone():
    kept = next(
        p for p in wheel_dirs(ROOT) if (p / stub_methods.STUB).is_file()
    )
    before = methods_in(kept)
    for name, nodes in methods_in(Path(paddle.__file__).parents[1]).items():
        changed = [*map(ast.dump, nodes)] != [*map(ast.dump, before.pop(name))]
        assert changed == (name in NAMES), name
    assert not before


def test_other_number_of_overloads_is_a_fault():
    stub = 'class AbstractTensor:\n    def fold(self): ...\n'
    after = '@overload\ndef fold(x: int): ...\ndef fold(x): ...\n'
    with pytest.raises(SeriesError, match='fold has 1 definitions, the'):
        stub_methods.update_stub(stub, 'def fold(x): ...\n', after)
