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

import re
import tempfile
import unittest
from pathlib import Path

from distributed_launch import launch

PAGE = Path(__file__).resolve().parents[1] / 'docs/distributed.md'


class TestDistributedExample(unittest.TestCase):
    def test_the_page_shows_what_its_example_prints(self):
        blocks = re.findall(
            r'^```(?:python)?\n(.*?)^```$', PAGE.read_text('utf-8'), re.M | re.S
        )
        example, *outputs = blocks
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / 'example.py'
            script.write_text(example, encoding='utf-8')
            run = launch(script)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(len(outputs), len(run.logs))
        for output, log in zip(outputs, run.logs):
            self.assertIn(output, log)


if __name__ == '__main__':
    unittest.main()
