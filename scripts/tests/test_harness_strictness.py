"""The stub of Paddle's op_test.py is as strict as the original.

Each case fails in Paddle's tree for the same reason. The tests of the operators
cover valid cases.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

paddle = pytest.importorskip('paddle')
HARNESS = Path(__file__).resolve().parents[2] / 'unittests/harness'
sys.path.insert(0, str(HARNESS))

from op_test import OpTest, convert_float_to_uint16  # noqa: E402

RNG = np.random.default_rng(7)
SHAPE = (10, 11)
NUMBERS = RNG.standard_normal(SHAPE)
MASK = RNG.random(SHAPE) < 0.5


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


def make_double_case(out=2 * NUMBERS, x=NUMBERS):
    return make_case(lambda x: 2 * x, out, x=x)


def make_fill_case(function=paddle.masked_fill, **changes):
    """Create a test case for an existing operator."""
    inputs = {'x': NUMBERS, 'mask': MASK, 'value': np.asarray(2.0), **changes}
    out = np.where(inputs['mask'], 2.0, inputs.get('x', NUMBERS))
    feed = {name: array for name, array in inputs.items() if array is not None}
    return make_case(function, out, 'masked_fill', **feed)


class WrongGradient(paddle.autograd.PyLayer):
    @staticmethod
    def forward(context, x):
        return 2 * x

    @staticmethod
    def backward(context, out_grad):
        return 3 * out_grad


REJECTED_CALLS = (
    (lambda: make_double_case(2 * NUMBERS[:3, :3], NUMBERS[:3, :3]).check_grad(
        ['x'], 'out'), 'at least 100 elements'),
    (lambda: make_fill_case(value=np.float64(2)).check_output(), 'value'),
    # The first input of the operator is named x.
    (lambda: make_fill_case(x=None, X=NUMBERS).check_output(), 'masked_fill'),
    (lambda: make_fill_case(x=None, X=NUMBERS).check_grad(['X'], 'out'),
     'masked_fill'),
    (lambda: make_fill_case(lambda mask, x, value: paddle.masked_fill(
        x, mask, value)).check_output(), 'masked_fill'),
    # The symbolic shape of masked_fill is x's, even if the mask is larger.
    (lambda: make_fill_case(mask=np.stack([MASK, ~MASK])).check_output(
        check_pir=True), 'symbolic out'),
    (lambda: make_double_case(2.1 * NUMBERS).check_output(), 'dygraph'),
    *((lambda x=x: make_double_case(2 * x, x).check_grad(['x'], 'out'),
       f'data type {x.dtype}')
      for x in (np.ones(SHAPE, 'int64'), np.ones(SHAPE, 'uint8'))),
    # Only a non-empty array can be converted to bfloat16.
    (lambda: convert_float_to_uint16([1.5]), 'no attribute'),
    (lambda: convert_float_to_uint16(np.zeros(0)), 'no element'),
    *((lambda x=x: make_case(WrongGradient.apply, x, x=x).check_grad(
          ['x'], 'out'), 'gradient of x')
      for x in (convert_float_to_uint16(NUMBERS), *map(
          NUMBERS.astype, ('float16', 'float32', 'float64', 'complex64')))),
    (lambda: type(make_double_case()).tearDownClass(), 'checks nothing'),
)  # fmt: skip


@pytest.mark.parametrize(('check', 'error'), REJECTED_CALLS)
def test_stub_rejects_invalid_cases_like_the_original(check, error):
    faults = (AssertionError, AttributeError, TypeError, ValueError)
    with pytest.raises(faults, match=error):
        check()
