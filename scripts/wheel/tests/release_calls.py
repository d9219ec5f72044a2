"""Runs the calls of docs/differences.md in the Paddle of this Python.

Reads a JSON list of Python expressions, prints a JSON list of what came out:
a value, or the name of an error.
"""

import json
import sys
import warnings

warnings.filterwarnings('ignore')

import numpy as np  # noqa: E402

import paddle  # noqa: E402

# The short names of the page; the others that it uses are those of this module.
t, ones, zeros, T, F = paddle.to_tensor, paddle.ones, paddle.zeros, True, False


def grad(call, *tensors):
    """The gradient of the last Tensor for out_grad 0, 1, 2, ..."""
    for tensor in tensors:
        tensor.stop_gradient = False
    out = call(*tensors)
    seed = paddle.arange(out.numel(), dtype=out.dtype).reshape(out.shape)
    return paddle.grad([out], tensors, [seed], allow_unused=True)[-1]


def after(call, x):
    """x after a call that may fail, which is told as well."""
    try:
        call(x)
    except Exception as error:
        return [type(error).__name__, plain(x)]
    return plain(x)


def static(call, *arrays):
    """The result in a program that knows no dim before it runs."""
    feed = {f'x{i}': array for i, array in enumerate(arrays)}
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        inputs = [
            paddle.static.data(name, [-1] * array.ndim, str(array.dtype))
            for name, array in feed.items()
        ]
        out = call(*inputs)
    found = paddle.static.Executor().run(program, feed, fetch_list=[out])[0]
    paddle.disable_static()
    return paddle.to_tensor(found)


def plain(value):
    if not isinstance(value, paddle.Tensor):
        return value
    half = value.dtype in (paddle.float16, paddle.bfloat16)
    return (value.astype('float32') if half else value).tolist()


def outcome(expression):
    try:
        return plain(eval(expression, {**globals(), 'np': np}))
    except Exception as error:
        paddle.disable_static()
        return type(error).__name__


def main():
    calls = json.load(sys.stdin)
    json.dump([outcome(call) for call in calls], sys.stdout)


if __name__ == '__main__':
    main()
