"""The table in docs/differences.md is true.

Each call runs in this Paddle and in an untouched one. A cell in backticks is what has
to come out; `a crash` is one; other words are not looked at.
"""

import re
from pathlib import Path

import numpy as np  # noqa: F401
import pytest
from processes import released_answers

import paddle

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r'^\| (`.+?`) \| (.+?) \| (.+?) \|$', re.MULTILINE)
PAGE = (ROOT / 'docs/differences.md').read_text(encoding='utf-8')
TABLE = ROW.findall(PAGE)
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
    """x after a call that may fail, which is reported as well."""
    try:
        call(x)
    except Exception as error:
        return [type(error).__name__, plain(x)]
    return plain(x)


def static(call, *arrays):
    """The result in a program that knows no dim before it runs."""
    feed = {f'x{i}': array for i, array in enumerate(arrays)}
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()):
        inputs = [
            paddle.static.data(name, [-1] * array.ndim, str(array.dtype))
            for name, array in feed.items()
        ]
        out = [call(*inputs)]
        results = paddle.static.Executor().run(feed=feed, fetch_list=out)
    paddle.disable_static()
    return paddle.to_tensor(results[0])


def plain(value):
    if not isinstance(value, paddle.Tensor):
        return value
    half = value.dtype in (paddle.float16, paddle.bfloat16)
    return (value.astype('float32') if half else value).tolist()


def outcome(expression):
    try:
        return plain(eval(expression, globals()))
    except Exception as error:
        paddle.disable_static()
        return type(error).__name__


def answers(*calls):
    """What comes out of each call, as the page writes it."""
    return [f'`{outcome(call.strip("`"))}`' for call in calls]


def test_this_paddle_does_what_the_table_says():
    assert len(TABLE) == PAGE.count('\n| `') > 10
    assert answers(*[row[0] for row in TABLE]) == [row[2] for row in TABLE]


def test_the_release_does_what_the_table_says():
    rows = [row for row in TABLE if row[1].startswith('`')]
    answers = released_answers(__file__, *[row[0] for row in rows])
    assert answers == [row[1] for row in rows]
    for call in [row[0] for row in TABLE if row[1] == 'a crash']:
        with pytest.raises(AssertionError, match='(?i)segmentation|SIGSEGV'):
            released_answers(__file__, call)
