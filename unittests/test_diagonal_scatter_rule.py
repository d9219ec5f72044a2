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

from spmd_rule_utils import backward, forward, spec

# axes 0 and 2: y has dim 1 of x, then the diagonal
X, Y = [4, 6, 8], [6, 4]


def ask(x, y, axes=(0, 2)):
    return forward('diagonal_scatter', [spec(X, x), spec(Y, y)], 0, *axes)


class TestDiagonalScatterRule(unittest.TestCase):
    def test_other_dims_stay_sharded(self):
        self.assertEqual(
            ask([-1, 1, -1], [1, -1]), [[[-1, 1, -1], [1, -1]], [[-1, 1, -1]]]
        )

    def test_both_axes_are_replicated(self):
        self.assertEqual(
            ask([0, -1, 1], [-1, -1]), [[[-1] * 3, [-1, -1]], [[-1] * 3]]
        )

    def test_negative_axes(self):
        self.assertEqual(
            ask([0, 1, -1], [-1, -1], axes=(-3, -1)),
            [[[-1, 1, -1], [1, -1]], [[-1, 1, -1]]],
        )

    def test_the_diagonal_is_replicated(self):
        self.assertEqual(
            ask([-1, -1, -1], [0, 1]), [[[-1, 0, -1], [0, -1]], [[-1, 0, -1]]]
        )

    def test_matrix(self):
        specs = [spec([4, 6], [0, 1]), spec([4], [0])]
        self.assertEqual(
            forward('diagonal_scatter', specs, 0, 0, 1),
            [[[-1, -1], [-1]], [[-1, -1]]],
        )

    def test_backward_from_the_result(self):
        specs = [spec(X, [-1] * 3), spec(Y, [-1, -1]), spec(X, [0, 1, -1])]
        self.assertEqual(
            backward('diagonal_scatter', specs, 0, 0, 2),
            [[[-1, 1, -1], [1, -1]], [[-1, 1, -1]]],
        )

    def test_gradient_follows_out_grad(self):
        specs = [spec(X, [-1, 0, -1]), spec(Y, [-1, 0]), spec(X, [0, 1, -1])]
        self.assertEqual(
            forward('diagonal_scatter_grad', specs, 0, 0, 2),
            [
                [[-1, 1, -1], [1, -1], [-1, 1, -1]],
                [[-1, 1, -1], [1, -1]],
            ],
        )


if __name__ == '__main__':
    unittest.main()
