"""Invalid arguments trap on the device."""

import multiprocessing

import numpy as np
import pytest

from gpu_tests.arrays import run

ONES = np.ones((40, 50), 'float32')
TRUE = np.ones((40, 50), bool)
TOO_FEW = '(masked_scatter) The number of'


@pytest.mark.parametrize(
    ('kernel', 'arguments', 'parts_of_message'),
    [
        (
            'index_scatter',
            (ONES, np.array([0, 3, 40, 1], 'int32'), ONES[:4], 0, 'sum', True),
            ('(scatter)', '[-40, 40)', 'index[2] = 40'),
        ),
        (
            'index_reduce_grad',
            (ONES, np.array([0, -51]), ONES[:, :2], ONES, ONES, 1, 'mul', True),
            ('(scatter)', '[-50, 50)', 'index[1] = -51'),
        ),
        (
            'masked_scatter',
            (ONES, TRUE, np.ones(1999, 'float32')),
            (TOO_FEW, ' 2000, but received 1999.'),
        ),
        (
            'masked_scatter_grad',
            (ONES, TRUE[0], np.ones(0, 'float32'), ONES),
            (TOO_FEW, ' 2000, but received 0.'),
        ),
    ],
)
def test_device_fault_ends_the_process_and_names_the_operator(
    kernel, arguments, parts_of_message, capfd
):
    context = multiprocessing.get_context('spawn')
    process = context.Process(target=run, args=(kernel, *arguments))
    process.start()
    process.join()
    assert process.exitcode != 0
    output = ''.join(capfd.readouterr())
    for part in parts_of_message:
        assert part in output
