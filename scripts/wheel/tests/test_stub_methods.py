"""The type stub of Tensor knows the functions that the patches change."""

import ast
import inspect
from pathlib import Path

import pytest

from scripts.series.patch_series import SeriesError
from scripts.wheel import stub_methods

BEFORE = '''\
@overload
def fold(x: Tensor, how: str) -> Tensor: ...


@overload
def fold(x: Tensor, dim: int) -> Tensor: ...


def fold(*args: Any, **kwargs: Any) -> Tensor:
    """Folds x."""


def keep(x: Tensor, n: int = 1) -> Tensor:
    """Keeps x."""
'''
AFTER = '''\
def _fold_wrapper(x: Tensor, how: str = 'a', axis: int = 0) -> Tensor:
    pass


@overload
def fold(
    x: Tensor, how: Literal['a', 'int'] = 'a', axis: int = 0
) -> list[int]: ...


@overload
def fold(x: Tensor, dim: int) -> Tensor: ...


def fold(*args: Any, **kwargs: Any) -> Tensor:
    """
    Folds x.

        Twice.
    """


fold.__signature__ = inspect.signature(_fold_wrapper)


def keep(x: Tensor, n: int = 1) -> Tensor:
    """Keeps x."""
    return x


def fresh(x: Tensor) -> Tensor:
    """A function that is no method."""
'''
STUB = '''\
class AbstractTensor:
    @overload
    def fold(self, how: '_str') -> 'Tensor':
        ...

    @overload
    def fold(self, dim: '_int') -> 'Tensor':
        ...

    def fold(self, *args: 'Any', **kwargs: 'Any') -> 'Tensor':
        r"""
        Folds x.
        """
        ...

    def keep(self, n: '_int' = 1) -> 'Tensor':
        ...
'''
UPDATED = '''\
class AbstractTensor:
    @overload
    def fold(self, how: "Literal['a', 'int']" = 'a', axis: '_int' = 0) -> 'list[_int]':
        ...

    @overload
    def fold(self, dim: '_int') -> 'Tensor':
        ...

    def fold(self, how: '_str' = 'a', axis: '_int' = 0) -> 'Tensor':
        r"""
        Folds x.

            Twice.
        """
        ...

    def keep(self, n: '_int' = 1) -> 'Tensor':
        ...
'''


def test_methods_of_changed_functions_are_written_anew():
    assert stub_methods.update_stub(STUB, BEFORE, AFTER) == UPDATED


def test_unchanged_functions_leave_the_stub_alone():
    assert stub_methods.update_stub(STUB, BEFORE, BEFORE) == STUB


@pytest.mark.parametrize(
    'stub, after, message',
    [
        (STUB.replace('Abstract', 'Other'), AFTER, 'has no class'),
        (
            STUB,
            AFTER.replace('def fold(x: Tensor, dim', 'def other(x: Tensor, d'),
            'fold has 3 definitions, the function has 2',
        ),
        (STUB, AFTER.replace('fold.__signature__', 'other'), 'fold: not made'),
    ],
)
def test_fault_is_named(stub, after, message):
    with pytest.raises(SeriesError) as caught:
        stub_methods.update_stub(stub, BEFORE, after)
    assert message in str(caught.value)


BOTH_FORMS = ('masked_scatter', 'masked_fill', 'scatter')
NAMES = (*BOTH_FORMS, *(f'{name}_' for name in BOTH_FORMS),
         'select_scatter', 'diagonal_scatter')  # fmt: skip


def signature_of(node):
    """[(name, default)] of a method of the stub, without self."""
    given = node.args.args
    defaults = [None] * (len(given) - len(node.args.defaults))
    defaults += [ast.literal_eval(value) for value in node.args.defaults]
    return list(zip([argument.arg for argument in given], defaults))[1:]


def test_installed_stub_tells_the_signatures():
    import paddle

    folder = Path(paddle.__file__).parents[1]
    stub = (folder / stub_methods.STUB).read_text(encoding='utf-8')
    methods = stub_methods.stub_methods(stub)
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
