"""Invalid arguments trap on the device.

`python -m gpu_tests.test_gpu_guards FAULT` makes a call that traps."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gpu_tests import ops
from gpu_tests.arrays import run
from gpu_tests.build import ROOT

ONES = np.ones((40, 50), 'float32')
TRUE = np.ones((40, 50), bool)
VALUES = np.ones(1999, 'float32')
# {name: (kernel, arguments, parts of the message)}
FAULTS = {
    'index too big': (
        'index_scatter',
        (ONES, np.array([0, 3, 40, 1]), ONES[:4], 0, 'sum', True),
        ('(scatter)', '[-40, 40)', '40'),
    ),
    'index too small': (
        'index_reduce',
        (ONES, np.array([0, -51, 3]), ONES[:, :3], 1, 'amax', True),
        ('(scatter)', '[-50, 50)', '-51'),
    ),
    'int32 index too big': (
        'index_scatter',
        (ONES, np.array([50], 'int32'), ONES[:, :1], 1, 'assign', True),
        ('(scatter)', '[-50, 50)', '50'),
    ),
    'index of a gradient too big': (
        'index_reduce_grad',
        (ONES, np.array([0, 40]), ONES[:2], ONES, ONES, 0, 'mul', True),
        ('(scatter)', '[-40, 40)', '40'),
    ),
    'no values': (
        'masked_scatter',
        (ONES, TRUE, VALUES[:0]),
        ('(masked_scatter) The number of', ' 2000, but received 0.'),
    ),
    'gradient of one value': (
        'masked_scatter_grad',
        (ONES, TRUE[0], VALUES[:1], ONES),
        ('(masked_scatter) The number of', ' 2000, but received 1.'),
    ),
    'double gradient of too few values': (
        'masked_scatter_double_grad',
        (ONES, TRUE[:, :1], VALUES, ONES, ONES, VALUES),
        ('(masked_scatter) The number of', ' 2000, but received 1999.'),
    ),
}


def run_fault(name):
    program = sys.executable, '-m', 'gpu_tests.test_gpu_guards', name
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope='module')
def processes():
    ops.library()  # built once, not by each process
    with ThreadPoolExecutor() as pool:
        return dict(zip(FAULTS, pool.map(run_fault, FAULTS)))


@pytest.mark.parametrize('name', FAULTS)
def test_device_fault_ends_the_process_and_names_the_operator(name, processes):
    done = processes[name]
    assert done.returncode != 0
    for words in FAULTS[name][2]:
        assert words in done.stdout + done.stderr


if __name__ == '__main__':
    kernel, arguments, _ = FAULTS[sys.argv[1]]
    run(kernel, *arguments)
