"""The stub of Paddle's op_test.py rejects what the real one rejects.

Each bad case here fails in Paddle's tree too, and for the same reason. That good
ones pass is what the operators' own tests show.
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


def case(function, out, op_type='sample', **inputs):
    """A test case for a function of Tensors with one output. Paddle knows no
    operator `sample`, and can't tell what its arguments are called."""
    Case = type('Case', (OpTest,), {})
    Case.setUpClass()
    test = Case()
    test.op_type, test.python_api = op_type, function
    test.inputs, test.outputs = inputs, {'out': out}
    return test


def doubled_case(out=2 * NUMBERS, x=NUMBERS):
    return case(lambda x: 2 * x, out, x=x)


def fill_case(function=paddle.masked_fill, **changed):
    """A test case for an operator that Paddle knows."""
    inputs = {'x': NUMBERS, 'mask': MASK, 'value': np.asarray(2.0), **changed}
    out = np.where(inputs['mask'], 2.0, inputs.get('x', NUMBERS))
    feed = {name: array for name, array in inputs.items() if array is not None}
    return case(function, out, 'masked_fill', **feed)


class WrongGradient(paddle.autograd.PyLayer):
    @staticmethod
    def forward(context, x):
        return 2 * x

    @staticmethod
    def backward(context, out_grad):
        return 3 * out_grad


REFUSED = (
    (lambda: doubled_case(2 * NUMBERS[:3, :3], NUMBERS[:3, :3]).check_grad(
        ['x'], 'out'), 'at least 100 elements'),
    (lambda: fill_case(value=np.float64(2)).check_output(), 'value'),
    # the operator calls its first input x
    (lambda: fill_case(x=None, X=NUMBERS).check_output(), 'masked_fill'),
    (lambda: fill_case(x=None, X=NUMBERS).check_grad(['X'], 'out'),
     'masked_fill'),
    (lambda: fill_case(lambda mask, x, value: paddle.masked_fill(
        x, mask, value)).check_output(), 'masked_fill'),
    # Paddle's symbolic shape of masked_fill is x's; a larger mask has it wrong.
    (lambda: fill_case(mask=np.stack([MASK, ~MASK])).check_output(
        check_pir=True), 'symbolic out'),
    (lambda: doubled_case(2.1 * NUMBERS).check_output(), 'dygraph'),
    *((lambda x=x: doubled_case(2 * x, x).check_grad(['x'], 'out'),
       f'data type {x.dtype}')
      for x in (np.ones(SHAPE, 'int64'), np.ones(SHAPE, 'uint8'))),
    # bits of bfloat16 are made of an array with elements
    (lambda: convert_float_to_uint16([1.5]), 'no attribute'),
    (lambda: convert_float_to_uint16(np.zeros(0)), 'no element'),
    *((lambda x=x: case(WrongGradient.apply, x, x=x).check_grad(['x'], 'out'),
       'gradient of x')
      for x in (convert_float_to_uint16(NUMBERS), *map(
          NUMBERS.astype, ('float16', 'float32', 'float64', 'complex64')))),
    (lambda: type(doubled_case()).tearDownClass(), 'checks nothing'),
)  # fmt: skip


@pytest.mark.parametrize(('check', 'error'), REFUSED)
def test_call_that_the_real_one_rejects(check, error):
    faults = (AssertionError, AttributeError, TypeError, ValueError)
    with pytest.raises(faults, match=error):
        check()
