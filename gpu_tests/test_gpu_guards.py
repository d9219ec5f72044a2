"""Invalid arguments raise on the host or trap on the device.

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
ROWS = np.arange(40)
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
    **{
        f'{count} values for a mask of {shape}, {kernel}': (
            kernel,
            (ONES, np.ones(shape, bool), np.ones(count, 'float32'), *grads),
            ('(masked_scatter) The number of', f' 2000, but received {count}.'),
        )
        for count, shape in ((0, (40, 50)), (1, (50,)), (1999, (40, 1)))
        for kernel, *grads in (
            ('masked_scatter',),
            ('masked_scatter_grad', ONES),
            (
                'masked_scatter_double_grad',
                *(ONES, ONES, np.ones(count, 'float32')),
            ),
        )
    },
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


@pytest.mark.parametrize(
    'kernel, arguments, message',
    [
        ('select_scatter', (ONES, ONES[0], 0, 40), 'The value of index'),
        ('select_scatter', (ONES, ONES[0], 2, 0), 'The value of axis'),
        ('select_scatter', (ONES, ONES[:, 0], 0, 0), 'The shape of values'),
        ('index_scatter', (ONES, ROWS, ONES, 0, 'mul', True), ".* 'mul'"),
        ('index_reduce', (ONES, ROWS, ONES, 0, 'sum', True), ".* 'sum'"),
    ],
)
def test_invalid_arguments_raise(kernel, arguments, message):
    with pytest.raises(RuntimeError, match=rf'\({kernel}\) {message}'):
        run(kernel, *arguments)


if __name__ == '__main__':
    kernel, arguments, _ = FAULTS[sys.argv[1]]
    run(kernel, *arguments)
