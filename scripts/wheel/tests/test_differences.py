"""Test every row of the table in docs/differences.md.

Each call runs in this build and in the release. A cell in backticks is the
expected result or exception; "a crash" has to crash; other text is ignored.
"""

import re
from pathlib import Path

import numpy as np  # noqa: F401
import pytest
from processes import released_answers
from programs import run_program, static_mode

import paddle

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r'^\| (`.+?`) \| (.+?) \| (.+?) \|$', re.MULTILINE)
PAGE = (ROOT / 'docs/differences.md').read_text(encoding='utf-8')
TABLE = ROW.findall(PAGE)
# The names that the page defines; it also uses the functions below.
t, ones, zeros, T, F = paddle.to_tensor, paddle.ones, paddle.zeros, True, False


def grad(call, *tensors):
    """Return the gradient of the last Tensor for out_grad 0, 1, 2, ..."""
    for tensor in tensors:
        tensor.stop_gradient = False
    out = call(*tensors)
    seed = paddle.arange(out.numel(), dtype=out.dtype).reshape(out.shape)
    return paddle.grad([out], tensors, [seed], allow_unused=True)[-1]


def after(call, x):
    """Return x after the call, preceded by the exception, if any."""
    try:
        call(x)
    except Exception as error:
        return [type(error).__name__, x.tolist()]
    return x.tolist()


def static(call, *arrays):
    """Return the result of a static graph with unknown dims."""
    feed = {f'x{i}': array for i, array in enumerate(arrays)}
    with static_mode():
        (out,) = run_program(lambda x: [call(*x.values())], feed, (), False)
    return out.tolist()


def evaluate(call):
    """Return the result of a call in the form of the page."""
    try:
        value = eval(call.strip('`'), globals())
        is_tensor = isinstance(value, paddle.Tensor)
        return f'`{value.tolist() if is_tensor else value}`'
    except Exception as error:
        return f'`{type(error).__name__}`'


def answers(*calls):
    return [evaluate(call) for call in calls]


def test_build_matches_the_table():
    assert len(TABLE) == PAGE.count('\n| `') > 10
    assert answers(*[row[0] for row in TABLE]) == [row[2] for row in TABLE]


def test_release_matches_the_table():
    rows = [row for row in TABLE if row[1].startswith('`')]
    answers = released_answers(__file__, *[row[0] for row in rows])
    assert answers == [row[1] for row in rows]
    for call in [row[0] for row in TABLE if row[1] == 'a crash']:
        with pytest.raises(AssertionError, match='(?i)segmentation|SIGSEGV'):
            released_answers(__file__, call)
