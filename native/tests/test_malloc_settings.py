"""FLAGS_scatter_ops_reuse_freed_blocks: outputs in a loop get the memory of the
one before."""

import os
import subprocess
import sys

import pytest

FLAG = 'FLAGS_scatter_ops_reuse_freed_blocks'
# 2 MiB, which is 512 pages, each time.
PROGRAM = """
import resource
import paddle
paddle.set_device('cpu')
x, row = paddle.zeros([512, 1024]), paddle.zeros([1024])
for _ in range(5):
    paddle.select_scatter(x, row, 0, 0)
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = faults()
for _ in range(20):
    paddle.select_scatter(x, row, 0, 0)
print((faults() - before) // 20)
"""


def faults_of_a_call(value):
    # what the user of the tests has set would decide instead
    env = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(('MALLOC_', 'GLIBC_TUNABLES', FLAG))
    }
    if value is not None:
        env[FLAG] = value
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', PROGRAM],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1])


@pytest.mark.skipif(
    not sys.platform.startswith('linux'), reason='glibc is meant'
)
def test_freed_outputs_are_used_again_if_the_flag_says_so():
    assert faults_of_a_call('1') < 100
    assert faults_of_a_call(None) >= faults_of_a_call('1')
