"""CPU kernels that run out of memory, in threads too.

Each call is made in a process of its own, whose address space is limited once
the operands are there: to what the outputs need, but not what the kernel needs
besides.
"""

import pytest
from memory_processes import limited, run

import paddle


def attempt(room, call):
    """Makes a call with too few MiB of addresses left, then with enough."""
    paddle.device.empty_cache()
    try:
        limited(room, call)
    except MemoryError as error:
        print(str(error).partition(' There')[0].split()[-1])
    return call()


def reduce_ones(x, updates, dtype, reduce):
    index = paddle.zeros([updates], 'int64')
    arrays = [paddle.ones([n], dtype) for n in (x, updates)]
    for array in arrays:
        array.stop_gradient = False
    return arrays, lambda: paddle.scatter(
        arrays[0], index, arrays[1], overwrite=False, axis=0, reduce=reduce
    )


# Starts the threads, which take addresses of their own.
THREADS = """
paddle.scatter(paddle.ones([1 << 20]), paddle.to_tensor([0]), paddle.ones([1]))
"""

# The index in groups takes 8 bytes a position, 32 MB.
GROUPS = """
_, call = reduce_ones(2, 4_000_000, 'int64', 'mean')
with paddle.no_grad():
    print(attempt(20, call).sum().item() == 2)
"""

# As much before the gradient of updates, which is 32 MB.
GRADIENT_GROUPS = """
operands, call = reduce_ones(2, 4_000_000, 'float64', 'mul')
out = call()
x_grad, _ = attempt(24, lambda: paddle.grad(out, operands, retain_graph=True))
print(x_grad.sum().item() == 1)
"""

# Sums in float64 take 32 MB a thread; the gradient is 32 MB, and Paddle's copy
# of the one that it is given 64 MB.
MASKED_SUMS = """
x = paddle.ones([2, 1, 4_000_000])
x.stop_gradient = False
mask = paddle.zeros([2, 2, 4_000_000], 'bool')
out = paddle.masked_fill(x, mask, 0.0)
ones = paddle.ones_like(out)
(grad,) = attempt(
    110, lambda: paddle.grad([out], [x], [ones], retain_graph=True)
)
print(grad.min().item() == 2)
"""

# The same with 128 MB of idle memory, which makes room.
GROUPS_AND_IDLE_MEMORY = """
freed = paddle.ones([32 << 20])
_, call = reduce_ones(2, 4_000_000, 'int64', 'mean')
del freed
with paddle.no_grad():
    print(limited(20, call).sum().item() == 2)
"""

# Single elements are reduced where the index lies: no groups.
NO_GROUPS = """
_, call = reduce_ones(2, 4_000_000, 'float64', 'mul')
with paddle.no_grad():
    print(limited(20, call).sum().item() == 2)
"""


def printed(code, threads):
    environment = {'OMP_NUM_THREADS': str(threads)}
    return run('test_memory_limit', THREADS + code, **environment)


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize(
    ('op', 'code'),
    [
        ('index_scatter', GROUPS),
        ('index_reduce', GRADIENT_GROUPS),
        ('masked_fill', MASKED_SUMS),
    ],
)
def test_missing_memory_is_an_error_of_the_call(op, code, threads):
    assert printed(code, threads) == [f'({op})', 'True']


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize('code', [NO_GROUPS, GROUPS_AND_IDLE_MEMORY])
def test_memory_that_is_enough(code, threads):
    assert printed(code, threads) == ['True']
