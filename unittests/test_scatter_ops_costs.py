# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Large outputs in a loop get pages that are there already."""

import platform
import unittest

from scatter_graph_utils import assert_python_succeeds

KEEP_PAGES = 'FLAGS_scatter_ops_keep_pages'
# Without the allocator of the wheel target, which serves all operators.
PLAIN = {'FLAGS_cpu_idle_memory_limit_in_mb': '0'}

START = '''
import os
import resource
import paddle
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def resident():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() >> 20
def rows_of_4_kib(count):
    return paddle.ones([count, 1024]), paddle.zeros([1024])
paddle.set_flags({'FLAGS_scatter_ops_use_huge_pages': False})
'''

# Page faults of a turn, and MiB that stay in memory after the loop. Nothing but
# the operators allocates blocks of that size.
LOOP = (
    START
    + '''
x, values = rows_of_4_kib(int(os.environ['ROWS']))
before = resident()
for turn in range(25):
    if turn == 5:
        start = faults()
    outputs = [paddle.select_scatter(x, values, 0, 3) for _ in range(3)]
    del outputs
print((faults() - start) // 20, resident() - before)
'''
)

# MiB that stay in memory after outputs of 40 to 280 MiB, and after the next
# output with the flag off; what a process sees that was forked in between.
SIZES = (
    START
    + '''
x, values = rows_of_4_kib(70 * 1024)
before = resident()
for mib in (40, 80, 140, 70, 280, 110, 60, 90):
    paddle.select_scatter(x[: mib * 256], values, 0, 3)
kept = resident() - before
if os.fork() == 0:
    out = paddle.select_scatter(x[: 90 * 256], values, 0, -1)
    assert float(out.sum()) == (90 * 256 - 1) * 1024
    os._exit(0)
assert os.wait()[1] == 0
paddle.set_flags({'FLAGS_scatter_ops_keep_pages': False})
paddle.select_scatter(x[:256], values, 0, 3)
print(kept, resident() - before)
'''
)


def numbers_of(program, **environment):
    shown = assert_python_succeeds(program, **PLAIN, **environment).split()
    return [int(number) for number in shown[-2:]]


class TestKeptPages(unittest.TestCase):
    """Outputs of 4 MiB, which malloc keeps."""

    rows = '1024'
    pages = 3 * 1024

    def setUp(self):
        if platform.libc_ver()[0] != 'glibc':
            self.skipTest('other libraries have other habits')

    def measure(self, **environment):
        return numbers_of(LOOP, ROWS=self.rows, **environment)

    def test_a_loop_faults_no_pages_in(self):
        faults, kept = self.measure()
        self.assertLess(faults, self.pages // 30)
        # of 64 MiB at most
        self.assertLess(kept, 64)

    def test_a_threshold_of_the_user_stands(self):
        faults, _ = self.measure(MALLOC_TRIM_THRESHOLD_='131072')
        self.assertGreater(faults, self.pages // 2)

    def test_the_flag_turns_it_off(self):
        faults, _ = self.measure(**{KEEP_PAGES: '0'})
        self.assertGreater(faults, self.pages // 2)


class TestKeptBlocks(unittest.TestCase):
    """Outputs of 40 MiB, which malloc does not keep."""

    rows = '10240'
    pages = 3 * 10240

    def measure(self, **environment):
        return numbers_of(LOOP, ROWS=self.rows, **environment)

    def test_a_loop_faults_no_pages_in(self):
        faults, kept = self.measure()
        self.assertLess(faults, self.pages // 100)
        # the three outputs
        self.assertTrue(120 <= kept < 140, kept)

    def test_the_flag_turns_it_off(self):
        faults, kept = self.measure(**{KEEP_PAGES: '0'})
        self.assertGreater(faults, self.pages // 2)
        self.assertLess(kept, 40)

    def test_at_most_256_mib_are_kept_until_the_flag_is_off(self):
        kept, left = numbers_of(SIZES)
        # the last ones: 90 and 60
        self.assertTrue(150 <= kept < 276, kept)
        self.assertLess(left, 20)


if __name__ == '__main__':
    unittest.main()
