"""The unit tests run unchanged in Paddle's test/legacy_test.

There they import Paddle's op_test.py, here the stub in unittests/harness, which
has to reject what the original rejects. The tests of the operators cover valid
cases. CMakeLists.txt and ruff reject imports that Paddle's test machines lack.
"""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle

UNITTESTS = Path(__file__).resolve().parents[2] / 'unittests'
sys.path.insert(0, str(UNITTESTS / 'harness'))

from op_test import OpTest, convert_float_to_uint16  # noqa: E402

FILES = sorted(UNITTESTS.glob('*.py'))
assert FILES
# Names of modules in past or present versions of Paddle's test/legacy_test.
RESERVED_NAMES = {
    'test_masked_scatter', 'test_masked_fill', 'test_masked_fill_op',
    'test_select_scatter', 'test_select_scatter_op', 'test_scatter_op',
    'test_diagonal_scatter', 'test_put_along_axis_op', 'test_inplace',
    'test_index_add_op', 'test_index_fill', 'test_slice_scatter',
    'op_test', 'utils', 'testsuite', 'prim_op_test', 'auto_parallel_op_test',
}  # fmt: skip


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_new_module_runs_all_tests_with_unittest(path):
    assert path.stem not in RESERVED_NAMES
    body = ast.parse(path.read_text(encoding='utf-8')).body
    # unittest does not run functions outside a TestCase.
    names = {x.name for x in body if isinstance(x, ast.FunctionDef)}
    assert [name for name in names if name.startswith('test')] == []
    if path.stem.startswith('test_'):
        assert ast.unparse(body[-1]).endswith('unittest.main()')


X = np.random.default_rng(7).standard_normal((10, 11))
MASK = X < 0
TWO = np.asarray(2.0)


def make_case(function, out, op_type='sample', **inputs):
    """Create a test case for a function of Tensors with one output.

    No operator `sample` exists, so its argument names are not checked.
    """
    Case = type('Case', (OpTest,), {})
    Case.setUpClass()
    test = Case()
    test.op_type, test.python_api = op_type, function
    test.inputs, test.outputs = inputs, {'out': out}
    return test


def double(x, function=lambda x: 2 * x, factor=2):
    return make_case(function, factor * x, x=x)


def fill(function=paddle.masked_fill, mask=MASK, value=TWO, x='x'):
    inputs = {x: X, 'mask': mask, 'value': value}
    return make_case(function, np.where(mask, TWO, X), 'masked_fill', **inputs)


def detach_row(x):
    """Return x, but its gradient in row 0 is 0."""
    return paddle.select_scatter(x, x[0].detach(), 0, 0)


REJECTED_CALLS = (
    (lambda: double(X[:3, :3]).check_grad(['x'], 'out'), '100 elements'),
    (lambda: fill(value=np.float64(2)).check_output(), 'value'),
    # The first input of the operator is named x.
    (lambda: fill(x='X').check_output(), 'masked_fill'),
    (lambda: fill(x='X').check_grad(['X'], 'out'), 'masked_fill'),
    (lambda: fill(lambda mask, x, value: paddle.masked_fill(
        x, mask, value)).check_output(), 'masked_fill'),
    # The symbolic shape of masked_fill is x's, even if the mask is larger.
    (lambda: fill(mask=np.stack([MASK, ~MASK])).check_output(check_pir=True),
     'symbolic out'),
    (lambda: double(X, factor=2.1).check_output(), 'dygraph'),
    # Only a non-empty array can be converted to bfloat16.
    (lambda: convert_float_to_uint16([1.5]), 'no attribute'),
    (lambda: convert_float_to_uint16(X[:0]), 'no element'),
    (lambda: type(double(X)).tearDownClass(), 'checks nothing'),
    *((lambda x=x: double(x).check_grad(['x'], 'out'), f'data type {x.dtype}')
      for x in map(X.astype, ('int64', 'uint8'))),
    *((lambda x=x: double(x, detach_row).check_grad(['x'], 'out'),
       'gradient of x')
      for x in (convert_float_to_uint16(X), *map(X.astype, (
          'float16', 'float32', 'float64', 'complex64')))),
)  # fmt: skip


@pytest.mark.parametrize(('check', 'error'), REJECTED_CALLS)
def test_stub_rejects_what_the_original_rejects(check, error):
    faults = (AssertionError, AttributeError, TypeError, ValueError)
    with pytest.raises(faults, match=error):
        check()
