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

from view_scatter_cases import SELECT
from view_scatter_graph import ScatterGraphs


class TestSelectScatterGraphs(ScatterGraphs, unittest.TestCase):
    op = SELECT
    graph_case = 12
    # (attributes, shapes of x that one program runs with)
    growing_cases = (
        ((0, -1), ((3, 4), (5, 2), (1, 1))),
        ((1, -2), ((3, 4), (2, 2), (4, 9))),
        ((0, 2), ((3, 4), (9, 1))),
        ((-1, -3), ((2, 3, 4), (1, 2, 3))),
        ((0, -2), ((3,), (2,), (8,))),
    )
    # (attributes, x shape, values shape, error, text)
    late_errors = (
        ((0, 3), (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is 3'),
        ((0, -4), (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is -4'),
        ((1, 0), (3, 0), (3,), IndexError, r'index .*size 0'),
        ((0, 0), (3, 4), (3,), ValueError, r'shape of values .*\[4\].*\[3\]'),
        ((1, 0), (2, 3, 4), (4, 2), ValueError, r'values .*\[2, 4\].*\[4, 2\]'),
    )


if __name__ == '__main__':
    unittest.main()
