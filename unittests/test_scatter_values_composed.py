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
"""paddle.scatter where it has no kernels of its own, by its tables."""

import unittest
from dataclasses import replace

from index_reduce_cases import (
    LINEAR,
    LINEAR_REDUCES,
    OTHER,
    graph_cases,
    scatter_cases,
)
from op_table_graph import ComposedTests
from scatter_test_utils import OnCpu

LINEAR_CASES = graph_cases(LINEAR_REDUCES)


class TestScatterComposed(OnCpu, ComposedTests, unittest.TestCase):
    op = replace(LINEAR, orders=1)
    # Every third in float64 alone: together these have all reductions.
    cases = (
        LINEAR_CASES[10:13]
        + LINEAR_CASES[13::3]
        + scatter_cases(('amax', 'amin'))[::3]
    )
    kernels = 'index_scatter', 'index_reduce'


class TestScatterProductsComposed(ComposedTests, unittest.TestCase):
    op, cases = OTHER, scatter_cases(['mul'])
    kernels = ('index_reduce',)
    # A product needs an index of known length.
    test_program_with_unknown_dims = None


if __name__ == '__main__':
    unittest.main()
