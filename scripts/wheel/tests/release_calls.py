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
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        inputs = [
            paddle.static.data(f'x{i}', [-1] * array.ndim, str(array.dtype))
            for i, array in enumerate(arrays)
        ]
        out = call(*inputs)
    feed = {f'x{i}': array for i, array in enumerate(arrays)}
    found = paddle.static.Executor().run(program, feed, fetch_list=[out])[0]
    paddle.disable_static()
    return paddle.to_tensor(found)


def plain(value):
    if isinstance(value, paddle.Tensor):
        if value.dtype in (paddle.float16, paddle.bfloat16):
            value = value.astype('float32')
        return value.tolist()
    return value


def outcome(expression):
    names = {
        'np': np,
        'paddle': paddle,
        'grad': grad,
        'after': after,
        'static': static,
        't': paddle.to_tensor,
        'ones': paddle.ones,
        'zeros': paddle.zeros,
        'T': True,
        'F': False,
    }
    try:
        return plain(eval(expression, names))
    except Exception as error:
        paddle.disable_static()
        return type(error).__name__


def main():
    calls = json.load(sys.stdin)
    json.dump([outcome(call) for call in calls], sys.stdout)


if __name__ == '__main__':
    main()
