"""The functions are public, and their docstrings have examples and are complete."""

import doctest
import inspect
import io
import re
from pathlib import Path

import pytest
from fuzz.arrays import ALL_DTYPES

import paddle

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
REDUCES = ['sum', 'add', 'mul', 'multiply', 'prod', 'mean', 'amax', 'amin']
# {name: (words in Args besides parameters and dtypes, exceptions in Raises)}
FUNCTIONS = {
    'masked_scatter': (
        ['input', 'source'],
        ['AssertionError', 'ValueError', 'TypeError'],
    ),
    'masked_fill': (['input'], ['ValueError', 'TypeError']),
    'select_scatter': (
        ['input', 'src', 'value', 'dim'],
        ['IndexError', 'RuntimeError', 'TypeError'],
    ),
    'diagonal_scatter': (
        ['input', 'src', 'dim1', 'dim2'],
        ['AssertionError', 'ValueError', 'TypeError'],
    ),
    'scatter': (
        [f"'{reduce}'" for reduce in REDUCES],
        ['IndexError', 'ValueError', 'TypeError'],
    ),
}
INPLACE_FUNCTIONS = 'masked_scatter_', 'masked_fill_', 'scatter_'
PYTHON_API = Path(__file__).resolve().parents[3] / 'python_api'


def section(function, title):
    """Return the text of a section, such as Args."""
    lines = inspect.getdoc(function).splitlines()
    text = []
    for line in lines[lines.index(title + ':') + 1 :]:
        if line and not line.startswith(' '):
            break
        text.append(line)
    return '\n'.join(text)


def test_functions_are_attributes_of_paddle_and_of_tensors():
    texts = [path.read_text('utf-8') for path in PYTHON_API.glob('*.py')]
    names = re.findall(r'(?m)^def ([a-z]\w*)', '\n'.join(texts))
    assert {*names} >= {*FUNCTIONS, *INPLACE_FUNCTIONS}
    for name in names:
        assert hasattr(paddle, name) and hasattr(paddle.Tensor, name), name


@pytest.mark.parametrize('name', [*FUNCTIONS, *INPLACE_FUNCTIONS])
def test_examples_print_documented_output(name):
    text = inspect.getdoc(getattr(paddle, name))
    samples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed, attempted = runner.run(samples, out=report.write)
    assert not failed, report.getvalue()
    assert attempted >= 5


@pytest.mark.parametrize('name', FUNCTIONS)
def test_arguments_and_exceptions_are_described(name):
    function = getattr(paddle, name)
    described, raised = section(function, 'Args'), section(function, 'Raises')
    named, exceptions = FUNCTIONS[name]
    for parameter in inspect.signature(function).parameters:
        assert f'    {parameter} (' in described
    for word in (*ALL_DTYPES, *named):
        assert f'``{word}``' in described
    for exception in exceptions:
        assert exception + ':' in raised
