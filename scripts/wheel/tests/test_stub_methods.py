"""The type stub of Tensor has the changed methods from their functions."""

import ast
from importlib import metadata
from pathlib import Path

import paddle

STUB = 'paddle/tensor/tensor.pyi'
NAMES = {
    'masked_scatter', 'masked_scatter_', 'masked_fill', 'masked_fill_',
    'scatter', 'scatter_', 'select_scatter', 'diagonal_scatter',
}  # fmt: skip


def test_stub_assigns_the_changed_methods_and_leaves_the_rest_alone():
    stub = Path(paddle.__file__).parents[1].joinpath(STUB).read_text('utf-8')
    wheel = metadata.distribution('paddlepaddle')
    assert stub.startswith(wheel.locate_file(STUB).read_text('utf-8'))
    tensor = ast.parse(stub).body[-1]
    assert tensor.name == 'Tensor'
    found = {ast.unparse(node) for node in tensor.body[-len(NAMES) :]}
    assert found == {f'{x} = paddle.tensor.manipulation.{x}' for x in NAMES}
