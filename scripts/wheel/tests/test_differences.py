"""The table in docs/differences.md is true.

Each call runs in this Paddle and, this file being a program too, in an untouched
one. A cell in backticks is what has to come out; `a crash` is one; other words are
not looked at.
"""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

warnings.filterwarnings('ignore')

import numpy as np  # noqa: E402, F401

import paddle  # noqa: E402

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
    with paddle.static.program_guard(paddle.static.Program()):
        inputs = [
            paddle.static.data(name, [-1] * array.ndim, str(array.dtype))
            for name, array in feed.items()
        ]
        out = [call(*inputs)]
        found = paddle.static.Executor().run(feed=feed, fetch_list=out)
    paddle.disable_static()
    return paddle.to_tensor(found[0])


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


def outcomes(python, calls):
    """What comes out of each call, or None if the process is killed."""
    env = dict(os.environ)
    env.pop('PYTHONPATH', None)  # which may name another Paddle
    done = subprocess.run(
        [python, __file__], input=json.dumps(calls), env=env, text=True,
        capture_output=True,
    )  # fmt: skip
    if done.returncode < 0:
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return [f'`{found}`' for found in json.loads(done.stdout.splitlines()[-1])]


def test_this_paddle_does_what_the_table_says():
    assert len(TABLE) == PAGE.count('\n| `') > 10
    found = outcomes(sys.executable, [call for call, _, _ in TABLE])
    assert found == [now for _, _, now in TABLE]


def test_the_release_does_what_the_table_says():
    from bench import release_env

    python = release_env.make()
    kept = [row for row in TABLE if row[1].startswith('`')]
    found = outcomes(python, [call for call, _, _ in kept])
    assert found == [release for _, release, _ in kept]
    for call, release, _ in TABLE:
        assert release != 'a crash' or outcomes(python, [call]) is None, call


if __name__ == '__main__':
    json.dump(
        [outcome(call.strip('`')) for call in json.load(sys.stdin)], sys.stdout
    )
