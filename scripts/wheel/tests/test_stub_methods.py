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
BOTH_FORMS = ('masked_scatter', 'masked_fill', 'scatter')
NAMES = (*BOTH_FORMS, *(f'{name}_' for name in BOTH_FORMS),
         'select_scatter', 'diagonal_scatter')  # fmt: skip
INSTALLED = Path(paddle.__file__).parents[1] / stub_methods.STUB
BEFORE = 'def fold(x): ...\n'
AFTER = 'def fold(x: Tensor, how: str = "a=b") -> list[int]: ...\n'
STUB = (
    'class AbstractTensor:\n    def fold(self): ...\n    def keep(self): ...\n'
)


def test_methods_of_changed_functions_are_written_anew():
    assert stub_methods.update_stub(STUB, BEFORE, AFTER) == STUB.replace(
        "def fold(self): ...\n",
        "def fold(self, how: '_str' = 'a=b') -> 'list[_int]':\n        ...\n",
    )


@pytest.mark.parametrize(
    'stub, after, message',
    [
        (STUB.replace('Abstract', 'Other'), AFTER, 'has no class'),
        (STUB, f'@overload\n{AFTER}{AFTER}', 'fold has 1 definitions, the'),
        (STUB, 'def fold(x, *more: int) -> int: ...\n', 'fold: not made'),
    ],
)
def test_fault_is_named(stub, after, message):
    with pytest.raises(SeriesError, match=message):
        stub_methods.update_stub(stub, BEFORE, after)


def signature_of(node):
    """[(name, default)] of a method of the stub, without self."""
    given = node.args.args
    defaults = [None] * (len(given) - len(node.args.defaults))
    defaults += [ast.literal_eval(value) for value in node.args.defaults]
    return list(zip([argument.arg for argument in given], defaults))[1:]


def annotated(node):
    """The types that a method of the stub names."""
    texts = [a.annotation.value for a in node.args.args if a.annotation]
    trees = [ast.parse(text) for text in (*texts, node.returns.value)]
    names = (n for tree in trees for n in ast.walk(tree))
    return {n.id for n in names if isinstance(n, ast.Name)}


def test_installed_stub_tells_the_signatures():
    methods = stub_methods.stub_methods(INSTALLED.read_text(encoding='utf-8'))
    for name in NAMES:
        function = getattr(paddle, name)
        wanted = [
            (p.name, None if p.default is p.empty else p.default)
            for p in inspect.signature(function).parameters.values()
        ][1:]
        known = [signature_of(node) for node in methods[name]]
        assert known[0] == known[-1] == wanted, name
        text = ast.get_docstring(methods[name][-1])
        assert text == inspect.getdoc(function), name
        for node in methods[name]:
            assert not annotated(node) & set(stub_methods.RENAMED), name


def other_methods(stub):
    """What a stub says of the methods that are not changed."""
    methods = stub_methods.stub_methods(stub.read_text(encoding='utf-8'))
    return {
        name: [ast.dump(node) for node in nodes]
        for name, nodes in methods.items()
        if name not in NAMES
    }


def test_installed_stub_leaves_the_other_methods_alone():
    originals = (Path(p, stub_methods.STUB) for p in wheel_dirs(ROOT))
    original = next(path for path in originals if path.is_file())
    assert other_methods(original) == other_methods(INSTALLED)
