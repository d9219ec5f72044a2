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

"""The documentation of paddle.masked_fill: samples and completeness."""

import inspect
import unittest

from scatter_docstring_utils import (
    run_samples,
    section,
    undocumented_parameters,
)
from scatter_test_utils import ALL_DTYPES

import paddle


class TestMaskedFillDocstring(unittest.TestCase):
    def test_samples_print_what_they_say(self):
        self.assertGreaterEqual(run_samples(paddle.masked_fill), 5)
        self.assertGreaterEqual(run_samples(paddle.masked_fill_), 5)

    def test_every_parameter_and_dtype_is_described(self):
        self.assertEqual(undocumented_parameters(paddle.masked_fill), [])
        described = section(paddle.masked_fill, 'Args')
        for dtype in ALL_DTYPES:
            self.assertIn(f'``{dtype}``', described)
        self.assertIn('Alias: ``input``', described)

    def test_every_exception_is_described(self):
        raised = section(paddle.masked_fill, 'Raises')
        for exception in (ValueError, TypeError):
            self.assertIn(exception.__name__ + ':', raised)

    def test_signatures(self):
        for function in (paddle.masked_fill, paddle.masked_fill_):
            self.assertEqual(
                list(inspect.signature(function).parameters),
                ['x', 'mask', 'value', 'name'],
            )


if __name__ == '__main__':
    unittest.main()
