"""Skips what needs a GPU where there is none, and says why.

`pytest gpu_tests --emulate` runs the kernels in an emulation on the CPU.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from gpu_tests import device, paddle_standin

paddle_standin.install()
# The tests of the kernels; those of the tools, in folders below, need no GPU.
KERNEL_TESTS = Path(__file__).resolve().parent


def pytest_addoption(parser):
    parser.addoption(
        '--emulate', action='store_true', help='run the kernels on the CPU'
    )


def pytest_configure(config):
    if config.getoption('--emulate'):
        os.environ[device.EMULATE] = '1'
    add = config.addinivalue_line
    add('markers', 'no_gpu: runs without a GPU')
    add('markers', 'real_gpu: makes no sense in the emulation')


def pytest_collection_modifyitems(items):
    reason = device.missing()
    for item in items:
        of_kernels = item.path.parent == KERNEL_TESTS
        if not of_kernels or item.get_closest_marker('no_gpu'):
            continue
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
        elif device.emulated() and item.get_closest_marker('real_gpu'):
            item.add_marker(pytest.mark.skip(reason='needs a real GPU'))


@pytest.fixture
def rng():
    """The same numbers in every run."""
    return np.random.default_rng(21)
