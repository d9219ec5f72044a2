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

"""Outputs of some MiB in a loop get pages that are there already."""

import platform
import unittest

from scatter_graph_utils import assert_python_succeeds

KEEP_PAGES = 'FLAGS_scatter_ops_keep_pages'

# Page faults of a call, and MiB that stay in memory after the loop. Nothing but
# the operators allocates blocks of that size.
LOOP = '''
import resource
import paddle
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def resident():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() >> 20
x, values = paddle.ones([1024, 1024]), paddle.zeros([1024])
before = resident()
for turn in range(25):
    if turn == 5:
        start = faults()
    outputs = [paddle.select_scatter(x, values, 0, 3) for _ in range(3)]
    del outputs
print((faults() - start) // 20, resident() - before)
'''


@unittest.skipUnless(
    platform.libc_ver()[0] == 'glibc', 'other libraries have other habits'
)
class TestKeptPages(unittest.TestCase):
    def measure(self, **environment):
        shown = assert_python_succeeds(LOOP, **environment).split()
        return [int(number) for number in shown[-2:]]

    def test_a_loop_faults_no_pages_in(self):
        faults, kept = self.measure()
        # of some 3000 pages
        self.assertLess(faults, 100)
        # of 64 MiB at most
        self.assertLess(kept, 64)

    def test_a_threshold_of_the_user_stands(self):
        faults, _ = self.measure(MALLOC_TRIM_THRESHOLD_='131072')
        self.assertGreater(faults, 500)

    def test_the_flag_turns_it_off(self):
        faults, _ = self.measure(**{KEEP_PAGES: '0'})
        self.assertGreater(faults, 500)


if __name__ == '__main__':
    unittest.main()
