"""Outputs of 32 MiB, a long index, and axes of 2^31 and more elements.

The last are zeros, of which a few elements are written. Each call maps zeros to
zeros, so its result has the expected elements at `places` and zeros elsewhere.
Pages of zeros are not allocated until they are written.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from fuzz.run import share

import paddle

SIZES = 2**31 + 9, 2**32 + 16
VALUES = np.arange(1, 6, dtype='uint8')
VIEWS = 'select_scatter', 'diagonal_scatter'
CALLS = (
    *('masked_scatter', 'masked_scatter_', 'masked_fill', 'masked_fill_'),
    *(*VIEWS, 'scatter', 'scatter_', 'amax'),
)


def call(name, x, places, values):
    """Write `values` at `places`; a view operator writes the last one only."""
    size, last = x.shape[0], int(places[-1])
    if name.startswith('masked'):
        mask = np.zeros(size, bool)
        mask[places] = True
        value = values[0] if name.startswith('masked_fill') else values
        return getattr(paddle, name)(x, share(mask), value)
    if name == 'select_scatter':
        return paddle.select_scatter(x, values[-1], 0, last - size)
    if name == 'diagonal_scatter':
        x = x.reshape([size, 1])
        return paddle.diagonal_scatter(x, values[-1:], -last).reshape([size])
    # Enough entries for each thread to scan the index for its own slices.
    index = share(np.tile(places, 16))
    if name == 'amax':
        return paddle.scatter(x, index, values.tile([16]), False, 0, 'amax')
    zeros = paddle.zeros([15 * len(values)], 'uint8')
    updates = paddle.concat([values, zeros])
    function = getattr(paddle, name)
    return function(x, index, updates, False, include_self=True)


# At least 32 MiB, which are copied by a loop, and no multiple of a cache line.
SHAPE = 4099, 8191


@pytest.mark.parametrize('name', ['masked_scatter', 'masked_fill', *VIEWS])
def test_large_output(name):
    x = np.random.default_rng(0).integers(256, size=SHAPE, dtype='uint8')
    mask, expected, values = x[:, :1] < 128, x.copy(), x[::-1].copy()
    arguments = share(mask), share(values)
    if name == 'masked_scatter':
        expected[mask[:, 0]] = values[: mask.sum()]
    elif name == 'masked_fill':
        expected[mask[:, 0]], arguments = 5, (share(mask), 5)
    elif name == 'select_scatter':
        expected[7], arguments = values[0], (share(values[0]), 0, 7)
    else:
        np.fill_diagonal(expected, 5)
        arguments = (paddle.full([SHAPE[0]], 5, 'uint8'),)
    out = getattr(paddle, name)(share(x), *arguments)
    assert np.array_equal(np.from_dlpack(out), expected)


@pytest.mark.parametrize('count', [5, 4000])
def test_scatter_into_large_output(count):
    rng = np.random.default_rng(0)
    x = rng.integers(256, size=SHAPE, dtype='uint8')
    rows, expected = rng.permutation(SHAPE[0])[:count], x.copy()
    updates = x[::-1][:count].copy()
    expected[rows] += updates
    arguments = share(rows), share(updates), False
    out = paddle.scatter(share(x), *arguments, include_self=True)
    assert np.array_equal(np.from_dlpack(out), expected)


@pytest.mark.parametrize('overwrite', [True, False])
def test_long_index_is_checked(overwrite):
    paddle.base.core.set_num_threads(1)
    index = np.arange(2**21 + 5) % 1000 - 500
    x, updates = paddle.zeros([500]), paddle.ones([len(index)])
    out = paddle.scatter(x, share(index), updates, overwrite)
    counts = np.bincount(index % 500)
    assert out.tolist() == (counts > 0 if overwrite else counts).tolist()
    index[-1] = 500
    for function in (paddle.scatter, paddle.scatter_):
        with pytest.raises(IndexError, match=r'index\[2097156\] = 500'):
            function(x, share(index), updates, overwrite)
        assert not x.any()


def available_bytes():
    memory = Path('/proc/meminfo').read_text()
    return int(re.search(r'MemAvailable: *(\d+)', memory)[1]) << 10


@pytest.fixture(autouse=True)
def two_threads():
    paddle.base.core.set_num_threads(2)
    yield
    paddle.base.core.set_num_threads(1)


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('name', CALLS)
def test_large_axis(name, size):
    if available_bytes() < 4 * size:
        pytest.skip(f'requires {4 * size >> 30} GiB of free memory')
    places = np.array([0, 5, 2**31 - 1, size // 2 + 2**30, size - 2])
    x, values = share(np.zeros(size, 'uint8')), share(VALUES.copy())
    differentiable = not name.endswith('_') and name != 'amax'
    x.stop_gradient = values.stop_gradient = not differentiable
    out = call(name, x, places, values)
    written = places[-1:] if name in VIEWS else places
    expected = VALUES[-len(written) :]
    if 'fill' in name:
        expected = VALUES[:1].repeat(len(written))
    elements = np.from_dlpack(out.detach())
    assert elements[written].tolist() == expected.tolist()
    assert np.count_nonzero(elements) == len(written)
    if differentiable:
        out_grad = np.zeros(size, 'uint8')
        out_grad[written], out_grad[-1] = VALUES[-len(written) :], 9
        del elements
        grads = paddle.grad([out], [x, values], [share(out_grad)])
        x_grad, grad = (np.from_dlpack(g.detach()) for g in grads)
        kept = len(written) if name == 'scatter' else 0  # a sum with x
        assert x_grad[-1] == 9 and np.count_nonzero(x_grad) == kept + 1
        assert grad[0] == 15 if 'fill' in name else grad[-1] == 5
