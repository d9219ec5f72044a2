"""The functions of paddle._native_lib with arguments that make no sense.

They are private, but a mistake in a call must end as a Python exception.
"""

import subprocess
import sys

import pytest

import paddle
from paddle import _native_lib

# Prints what is about to be called, so that the last line names a crash.
EVERY_FUNCTION = """
import itertools
import paddle
from paddle import _native_lib

empty, tensor = paddle.base.core.eager.Tensor(), paddle.ones([3])
some = [None, 1, 2**70, 'nope', '\\udcff', b'x', [], [[3]] * 3, object()]
some += [empty, tensor]
calls = [(one,) * count for one in some for count in range(9)]
calls += itertools.permutations(some, 2)
shapes = [[[3]] * 3, [[3, 3], [3]], [[-7]] * 3, [[1] * 20] * 3, [['a']], [None]]
dtypes = [[10] * 3, [10] * 2, [999] * 3, [-1] * 3, ['b'] * 3]
attrs = [(), (0, 0), (0, 0, 1), (9, 9), (0, 'sum', True), (0, 'nope', False)]
attrs += [('x', 'y', 'z'), (0, 0, ''), (0, 'sum', True, ''), ('',)]
calls += [(s, d, *a) for s in shapes for d in dtypes for a in attrs]
calls += [(t,) * n + a for t in (empty, tensor) for n in (2, 3) for a in attrs]
calls += [(tensor, tensor, tensor, 0, 'sum', True, True), *attrs]
for name, function in vars(_native_lib).items():
    if not callable(function):
        continue
    for call in calls:
        print(name, [type(one).__name__ for one in call], flush=True)
        try:
            function(*call)
        except Exception:
            pass
print('all of them')
"""


def test_no_arguments_end_the_process():
    run = subprocess.run(
        [sys.executable, '-c', EVERY_FUNCTION], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.splitlines()[-1] == 'all of them'


T = paddle.ones([3])


@pytest.mark.parametrize(
    ('name', 'args', 'error', 'message'),
    [
        ('infer_masked_scatter', (), TypeError, 'incompatible'),
        ('infer_masked_scatter', ([[3]], [1]), ValueError, '3 shapes'),
        ('infer_masked_scatter', ([[3]] * 3, [1]), ValueError, '1 dtypes'),
        ('infer_masked_scatter', ([[3]] * 3, [99] * 3), ValueError, '99'),
        ('infer_select_scatter', ([[3]] * 2, [1] * 2), TypeError, '2 arg'),
        ('encode_select_scatter', (0,), TypeError, '2 arguments expected'),
        ('record_masked_scatter', (T, T, T), TypeError, '4 arguments'),
        ('masked_scatter_', (T, T), TypeError, '3 arguments expected'),
        ('record_callback', (1, 2), TypeError, 'incompatible'),
        ('record_callback', (1, T, T, T), TypeError, 'incompatible'),
        ('record_callback', ('', 1, T, 2), TypeError, 'received 2 of type'),
        ('to_distributed', (T,), TypeError, 'incompatible'),
        ('to_distributed', (T, T), ValueError, 'must be distributed'),
        ('kernel_misfit', (1, 2), TypeError, 'incompatible'),
        ('kernel_misfit', ('scatter',), TypeError, 'incompatible'),
        ('take_history', (T,), TypeError, '2 arguments'),
        ('take_history', (T, None), TypeError, 'received None'),
        ('bump_version', (7,), TypeError, 'received 7 of type int'),
    ],
)
def test_wrong_arguments_are_named(name, args, error, message):
    with pytest.raises(error, match=message):
        getattr(_native_lib, name)(*args)


def test_history_comes_from_a_recorded_call():
    with pytest.raises(ValueError, match='gradient is recorded'):
        _native_lib.take_history(paddle.ones([3]), paddle.ones([3]) + 1)


def test_an_entry_without_an_in_place_form_records_none():
    y = paddle.ones([3, 3])
    record = _native_lib.record_select_scatter
    assert record(y, y[0], 0, 0, True) is NotImplemented


def sparse_tensor():
    return paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])


def selected_rows():
    table = paddle.nn.Embedding(3, 1, sparse=True)
    table(paddle.to_tensor([1])).sum().backward()
    return table.weight.grad.detach()


@pytest.mark.parametrize(
    ('make', 'kind'),
    [(sparse_tensor, 'sparse'), (selected_rows, 'selected rows')],
)
def test_error_says_which_tensor_is_not_dense(make, kind):
    mask = paddle.ones([3], 'bool')
    expected = f'x dense on .*, value {kind} on Place'
    with pytest.raises(NotImplementedError, match=expected):
        paddle.masked_scatter(T, mask, make())
    with pytest.raises(NotImplementedError, match=expected):
        paddle.masked_scatter_(T.clone(), mask, make())
