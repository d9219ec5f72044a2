"""The stub of Paddle's op_test.py is as strict as the original.

Each case fails in Paddle's tree for the same reason. The tests of the operators
cover valid cases.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import paddle

HARNESS = Path(__file__).resolve().parents[2] / 'unittests/harness'
sys.path.insert(0, str(HARNESS))

from op_test import OpTest, convert_float_to_uint16  # noqa: E402

RNG = np.random.default_rng(7)
SHAPE = (10, 11)
X = RNG.standard_normal(SHAPE)
MASK = RNG.random(SHAPE) < 0.5
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
def test_stub_rejects_invalid_cases_like_the_original(check, error):
    faults = (AssertionError, AttributeError, TypeError, ValueError)
    with pytest.raises(faults, match=error):
        check()
