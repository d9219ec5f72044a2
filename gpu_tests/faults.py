"""Calls whose fault only the device can see; each has to end the process."""

import numpy as np

from gpu_tests import device
from gpu_tests.arrays import run

ONES = np.ones((40, 50), 'float32')
MASK = np.ones((40, 50), bool)


def too_few_values():
    run('masked_scatter', ONES, MASK, ONES.reshape(-1)[:1999])


def no_value():
    run('masked_scatter', ONES, MASK, ONES[:0])


def too_few_values_for_a_broadcast_mask():
    run('masked_scatter', ONES, MASK[:1], ONES.reshape(-1)[:1999])


def index_too_big():
    index = np.array([0, 3, 40, 1])
    run('index_scatter', ONES, index, ONES[:4], 0, 'sum', True)


def index_too_small():
    index = np.array([0, -51, 3])
    run('index_reduce', ONES, index, ONES[:, :3], 1, 'amax', True)


def index_of_few_bytes_too_big():
    index = np.array([50], 'int32')
    run('index_scatter', ONES, index, ONES[:, :1], 1, 'assign', True)


def index_of_a_gradient_too_big():
    index = np.array([0, 40])
    run('index_reduce_grad', ONES, index, ONES[:2], ONES, 0, 'mul', True)


def index_of_scatter_too_big():
    index = np.array([-40, 40])
    run('scatter', ONES, index, ONES[:2], True)


def index_of_the_gradient_of_scatter_too_small():
    index = np.array([-41, 3])
    run('scatter_grad', index, ONES[:2], ONES, False)


# name -> (call, what the process has to say)
FAULTS = {
    function.__name__: (function, words)
    for function, words in (
        (too_few_values, ('(masked_scatter)', '2000', '1999')),
        (no_value, ('(masked_scatter)', '2000', 'has 0')),
        (
            too_few_values_for_a_broadcast_mask,
            ('(masked_scatter)', '2000', '1999'),
        ),
        (index_too_big, ('(index_scatter)', '[-40, 40)', '40')),
        (index_too_small, ('(index_reduce)', '[-50, 50)', '-51')),
        (index_of_few_bytes_too_big, ('(index_scatter)', '[-50, 50)', '50')),
        (index_of_a_gradient_too_big, ('(index_reduce)', '[-40, 40)', '40')),
        (index_of_scatter_too_big, ('(scatter)', '[-40, 40)', '40')),
        (
            index_of_the_gradient_of_scatter_too_small,
            ('(scatter)', '[-40, 40)', '-41'),
        ),
    )
}


def make(name):
    """Makes one of the faults and waits for the device."""
    FAULTS[name][0]()
    device.synchronize()
