"""masked_scatter and masked_fill of more elements than an int32 counts."""

import os

import numpy as np
import pytest

import paddle

SIZE = (1 << 31) + 11
ENDS = [0, 7, (1 << 31) - 1, 1 << 31, SIZE - 1]

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        not os.environ.get('PADDLE_SCATTER_LARGE_TESTS'),
        reason='needs 7 GiB and a minute: set PADDLE_SCATTER_LARGE_TESTS=1',
    ),
]


@pytest.fixture
def mask():
    where = np.zeros((SIZE, 1), bool)
    where[ENDS] = True
    return paddle.to_tensor(where)


def check(out, expected):
    out = out.numpy().reshape(-1)
    assert out[ENDS].tolist() == expected
    assert int(np.count_nonzero(out)) == len(ENDS)


def test_masked_scatter(mask):
    x, value = paddle.zeros([1], 'int8'), paddle.arange(1, 8).astype('int8')
    check(paddle.masked_scatter(x, mask, value), [1, 2, 3, 4, 5])
    x = paddle.zeros([SIZE, 1], 'int8')
    check(paddle.masked_scatter_(x, mask, value), [1, 2, 3, 4, 5])


def test_masked_fill(mask):
    check(paddle.masked_fill(paddle.zeros([1], 'int8'), mask, 3), [3] * 5)
    x = paddle.zeros([SIZE, 1], 'int8')
    value = paddle.ones([1], 'int8')
    check(paddle.masked_fill_(x, mask, value), [1] * 5)
