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
"""The documentation of paddle.scatter: samples and completeness."""

import unittest

from scatter_docstring_utils import (
    run_samples,
    section,
    undocumented_parameters,
)
from scatter_test_utils import ALL_DTYPES

import paddle

REDUCES = (
    'sum', 'add', 'mul', 'multiply', 'prod', 'mean', 'amax', 'amin',
)  # fmt: skip


class TestScatterDocstring(unittest.TestCase):
    def test_samples_print_what_they_say(self):
        self.assertGreaterEqual(run_samples(paddle.scatter), 10)
        self.assertGreaterEqual(run_samples(paddle.scatter_), 5)

    def test_every_parameter_and_dtype_is_described(self):
        self.assertEqual(undocumented_parameters(paddle.scatter), [])
        described = section(paddle.scatter, 'Args')
        for dtype in ALL_DTYPES:
            self.assertIn(f'``{dtype}``', described)

    def test_every_reduce_is_described_and_works(self):
        described = section(paddle.scatter, 'Args')
        ones, index = paddle.ones([2]), paddle.to_tensor([0])
        for reduce in REDUCES:
            self.assertIn(f"``'{reduce}'``", described)
            out = paddle.scatter(ones, index, ones[:1], False, reduce=reduce)
            self.assertEqual(out.tolist(), [1.0, 1.0])

    def test_every_exception_is_described(self):
        raised = section(paddle.scatter, 'Raises')
        for exception in (IndexError, ValueError, TypeError):
            self.assertIn(exception.__name__ + ':', raised)


if __name__ == '__main__':
    unittest.main()
