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

import unittest

from distributed_launch import launch


class TestDistributedFailure(unittest.TestCase):
    def test_one_rank_fails(self):
        run = launch('distributed_failure.py')
        self.assertNotEqual(run.code, 0, run)
        self.assertLess(run.seconds, 40, run)
        self.assertIn('x and mask must broadcast together', run.logs[1])


if __name__ == '__main__':
    unittest.main()
