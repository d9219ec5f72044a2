"""Skip tests that require a GPU if there is none.

`pytest gpu_tests --emulate` runs the kernels in an emulation on the CPU.
"""

import os

import pytest

from gpu_tests import ops


def pytest_addoption(parser):
    parser.addoption(
        '--emulate', action='store_true', help='run the kernels on the CPU'
    )


def pytest_configure(config):
    if config.getoption('--emulate'):
        os.environ[ops.EMULATE] = '1'
    config.addinivalue_line('markers', 'no_gpu: runs without a GPU')


def pytest_collection_modifyitems(items):
    if ops.is_emulated() or ops.torch.cuda.is_available():
        return
    skip = pytest.mark.skip(reason='PyTorch finds no CUDA device')
    for item in items:
        if not item.get_closest_marker('no_gpu'):
            item.add_marker(skip)
