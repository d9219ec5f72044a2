"""Invalid arguments trap on the device.

`python -m gpu_tests.test_gpu_guards FAULT` makes a call that traps."""

import sys

import numpy as np
import pytest

from gpu_tests.arrays import run
from gpu_tests.build import ROOT
from scripts.common import programs

ONES = np.ones((40, 50), 'float32')
TRUE = np.ones((40, 50), bool)
# {name: (kernel, arguments, parts of the message)}
FAULTS = {
    'int32 index too big': (
        'index_scatter',
        (ONES, np.array([0, 3, 40, 1], 'int32'), ONES[:4], 0, 'sum', True),
        ('(scatter)', '[-40, 40)', 'index[2] = 40'),
    ),
    'index of a gradient too small': (
        'index_reduce_grad',
        (ONES, np.array([0, -51]), ONES[:, :2], ONES, ONES, 1, 'mul', True),
        ('(scatter)', '[-50, 50)', 'index[1] = -51'),
    ),
    'too few values': (
        'masked_scatter',
        (ONES, TRUE, np.ones(1999, 'float32')),
        ('(masked_scatter) The number of', ' 2000, but received 1999.'),
    ),
    'gradient of no values': (
        'masked_scatter_grad',
        (ONES, TRUE[0], np.ones(0, 'float32'), ONES),
        ('(masked_scatter) The number of', ' 2000, but received 0.'),
    ),
}


@pytest.mark.parametrize('name', FAULTS)
def test_device_fault_ends_the_process_and_names_the_operator(name):
    module = 'gpu_tests.test_gpu_guards'
    done = programs.run(sys.executable, '-m', module, name, cwd=ROOT)
    assert done.returncode != 0
    for words in FAULTS[name][2]:
        assert words in done.stdout + done.stderr


if __name__ == '__main__':
    kernel, arguments, _ = FAULTS[sys.argv[1]]
    run(kernel, *arguments)
