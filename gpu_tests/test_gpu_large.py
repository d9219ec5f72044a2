"""Tensors of more than 2^31 and 2^32 elements: windows of the results."""

import pytest

from gpu_tests import device, ops

torch = pytest.importorskip('torch')
pytestmark = [pytest.mark.real_gpu, pytest.mark.large]

SIZES = ((1 << 31) + 4321, (1 << 32) + 4321)
WINDOW = 5000


@pytest.fixture(params=SIZES, ids=('over 2^31', 'over 2^32'))
def size(request):
    if torch.cuda.mem_get_info()[0] < 7 * request.param:
        pytest.skip(f'needs {7 * request.param >> 30} GiB of device memory')
    yield request.param
    torch.cuda.empty_cache()


@pytest.fixture(autouse=True)
def on_device():
    with torch.device(device.name()):
        yield


def random_bytes(size):
    return torch.randint(0, 256, (size,), dtype=torch.uint8)


def windows(size):
    """Where narrower numbers would wrap around, and the ends."""
    edges = (0, 1 << 31, 1 << 32, size - WINDOW)
    for edge in edges:
        begin = max(0, edge - WINDOW // 2)
        if begin + WINDOW <= size:
            yield slice(begin, begin + WINDOW)


def assert_windows(out, expected_at):
    for window in windows(out.numel()):
        assert torch.equal(out.view(-1)[window], expected_at(window)), window


def counted(mask, window):
    """The place in value of each True of a window."""
    begin = sum(int(part.sum()) for part in mask[: window.start].split(1 << 30))
    return begin + mask[window].long().cumsum(0) - 1


def test_masked_scatter_and_its_gradient(size):
    x, value = random_bytes(size), random_bytes(size)
    mask = random_bytes(size) < 200
    (out,) = ops.run('masked_scatter', x, mask, value)

    def taken(window):
        places = counted(mask, window).clamp(min=0)
        return torch.where(mask[window], value[places], x[window])

    assert_windows(out, taken)
    del out
    x_grad, value_grad = ops.run('masked_scatter_grad', x, mask, value, x)
    assert_windows(x_grad, lambda w: x[w].masked_fill(mask[w], 0))
    for window in windows(size):
        places = counted(mask, window)[mask[window]]
        assert torch.equal(value_grad[places], x[window][mask[window]])
    total = int(counted(mask, slice(size - 1, size))) + 1
    assert not value_grad[total:].any()


def test_select_scatter(size):
    rows = size // 3
    x = random_bytes(rows * 3).view(rows, 3)
    values = random_bytes(rows)
    (out,) = ops.run('select_scatter', x, values, 1, 2)
    assert torch.equal(out[-WINDOW:, 2], values[-WINDOW:])
    assert torch.equal(out[:, :2][-WINDOW:], x[:, :2][-WINDOW:])
    (out,) = ops.run('select_scatter', x.view(3, rows), values, 0, -1)
    assert torch.equal(out[2], values)
    assert torch.equal(out[1], x.view(3, rows)[1])


def test_diagonal_scatter(size):
    side = int(size**0.5) + 1
    x = random_bytes(side * side).view(side, side)
    y = random_bytes(side)
    (out,) = ops.run('diagonal_scatter', x, y, 0, 0, 1)
    assert torch.equal(out.diagonal(), y)
    assert torch.equal(out[-1, :-1], x[-1, :-1])


def test_index_scatter(size):
    rows = size // 64
    x = random_bytes(rows * 64).view(rows, 64)
    index = torch.randint(0, rows, (1 << 20,))
    index[:100] = rows - 1 - torch.arange(100)
    updates = random_bytes(64 << 20).view(-1, 64)
    (out,) = ops.run('index_scatter', x, index, updates, 0, 'sum', True)
    for row in range(rows - 50, rows):
        own = updates[index == row].sum(0, dtype=x.dtype)
        assert torch.equal(out[row], own + x[row])
    untouched = torch.ones(rows, dtype=torch.bool)
    untouched[index] = False
    some = untouched.nonzero()[-1000:, 0]
    assert torch.equal(out[some], x[some])
