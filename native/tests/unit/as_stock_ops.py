"""An operator as a scenario calls it, and what scenarios share."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

import paddle

SHAPE = [3, 3]


@dataclass
class Op:
    """call(x, part, kept): writes of `part` into `x`, both of SHAPE.

    kept: makes the argument that the gradient reads, or None.
    """

    name: str
    call: Callable
    kept: Callable = lambda: None
    changes_x: bool = False

    def run(self, x, part, kept=None):
        return self.call(x, part, self.kept() if kept is None else kept)


def outcome(function):
    """What a call returns, or the kind of its error; 'a value' for Tensors."""
    try:
        found = function()
        plain = isinstance(found, (bool, int, float, str, tuple))
        return found if plain else 'a value'
    except Exception as error:
        return type(error).__name__


def leaf(stop_gradient=False, dtype='float32', value=2.0):
    values = np.arange(1, 10).reshape(SHAPE) * value
    x = paddle.to_tensor(values, 'float32').astype(dtype)
    x.stop_gradient = stop_gradient
    return x


def operands(op, *stops, dtype='float32'):
    """x, part and the x to call with: an in-place call can't take a leaf."""
    x, part = (leaf(stop, dtype) for stop in stops or (False, False))
    return x, part, (x * 1 if op.changes_x and not x.stop_gradient else x)


def gradients(op, prepare=lambda y: None):
    x, part, base = operands(op)
    y = op.run(base, part)
    prepare(y)
    y.sum().backward()
    return [None if t.grad is None else t.grad.numpy() for t in (x, part)]


def agree(found, wanted):
    return all(np.array_equal(a, b) for a, b in zip(found, wanted))
