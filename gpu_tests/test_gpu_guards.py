"""What ends the process: a fault in the data, and a read behind an operand."""

import numpy as np
import pytest
from fuzz.guard import guarded_copy

from gpu_tests import device, ops
from gpu_tests.arrays import run
from gpu_tests.device import torch
from gpu_tests.paddle_standin import run_apart

ONES = np.ones((40, 50), 'float32')
# name -> (kernel, arguments, what the process has to say)
FAULTS = {
    'index too big': (
        'index_scatter',
        (ONES, np.array([0, 3, 40, 1]), ONES[:4], 0, 'sum', True),
        ('(index_scatter)', '[-40, 40)', '40'),
    ),
    'index too small': (
        'index_reduce',
        (ONES, np.array([0, -51, 3]), ONES[:, :3], 1, 'amax', True),
        ('(index_reduce)', '[-50, 50)', '-51'),
    ),
    'index of few bytes too big': (
        'index_scatter',
        (ONES, np.array([50], 'int32'), ONES[:, :1], 1, 'assign', True),
        ('(index_scatter)', '[-50, 50)', '50'),
    ),
    'index of a gradient too big': (
        'index_reduce_grad',
        (ONES, np.array([0, 40]), ONES[:2], ONES, 0, 'mul', True),
        ('(index_reduce)', '[-40, 40)', '40'),
    ),
}


def make_fault(name):
    """Makes one of the faults and waits for the device."""
    kernel, arguments, _ = FAULTS[name]
    run(kernel, *arguments)
    device.synchronize()


@pytest.mark.parametrize('name', FAULTS)
def test_fault_ends_the_process_and_names_the_operator(name):
    device.library()  # so that the process need not build it
    status, said = run_apart(make_fault, name)
    assert status != 0, said
    for words in FAULTS[name][2]:
        assert words in said, said


def at_the_end_of_memory(*arrays):
    """Tensors of the same elements, behind which nothing can be read."""
    return [torch.from_numpy(guarded_copy(a, 'end')) for a in arrays]


def scatter_with_a_mask(length):
    """As many values as there are Trues, the last element False."""
    mask = np.arange(length) % 3 == 0
    mask[-1] = False
    x = np.arange(length, dtype='float32')
    value = -np.arange(mask.sum(), dtype='float32')
    (out,) = ops.run('masked_scatter', *at_the_end_of_memory(x, mask, value))
    x[mask] = value
    np.testing.assert_array_equal(out.numpy(), x)


def scatter_by_an_index(length):
    """Rows of one element, so that the last update is the last element."""
    x = np.zeros((length, 1), 'float32')
    index = np.arange(length)[::-1]
    updates = np.arange(length, dtype='float32').reshape(-1, 1)
    tensors = at_the_end_of_memory(x, index, updates)
    (out,) = ops.run('index_scatter', *tensors, 0, 'sum', False)
    np.testing.assert_array_equal(out.numpy(), updates[::-1])


@pytest.mark.skipif(
    not device.emulated(), reason='a GPU has no such pages: use --emulate'
)
@pytest.mark.parametrize('call', [scatter_with_a_mask, scatter_by_an_index])
@pytest.mark.parametrize('length', [16, 1024, 1025, 4099])
def test_nothing_is_read_behind_the_operands(call, length):
    device.library()
    status, said = run_apart(call, length)
    assert status == 0, said[-2000:]
