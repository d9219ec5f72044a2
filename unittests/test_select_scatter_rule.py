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

X, VALUES = [4, 6, 8], [4, 8]


def ask(x, values, axis=1, partial=()):
    specs = [spec(X, x, partial), spec(VALUES, values)]
    return forward('select_scatter', specs, axis, 2)


class TestSelectScatterRule(unittest.TestCase):
    def test_other_dims_stay_sharded(self):
        self.assertEqual(
            ask([0, -1, 1], [0, 1]), [[[0, -1, 1], [0, 1]], [[0, -1, 1]]]
        )

    def test_axis_is_replicated(self):
        self.assertEqual(
            ask([-1, 0, -1], [-1, -1]), [[[-1, -1, -1], [-1, -1]], [[-1] * 3]]
        )

    def test_negative_axis(self):
        self.assertEqual(
            ask([1, 0, -1], [-1, -1], axis=-2),
            [[[1, -1, -1], [1, -1]], [[1, -1, -1]]],
        )

    def test_values_shard_a_replicated_x(self):
        self.assertEqual(
            ask([-1, -1, -1], [-1, 1]), [[[-1, -1, 1], [-1, 1]], [[-1, -1, 1]]]
        )

    def test_x_wins_a_conflict(self):
        # the mesh dim 0 splits dim 0 of x, so it can't split dim 2 as well
        self.assertEqual(
            ask([0, -1, -1], [1, 0]), [[[0, -1, -1], [0, -1]], [[0, -1, -1]]]
        )

    def test_pending_sums_are_done_first(self):
        self.assertEqual(
            ask([-1, -1, 1], [-1, -1], partial=[0]),
            [[[-1, -1, 1], [-1, 1]], [[-1, -1, 1]]],
        )

    def test_axis_out_of_range_is_left_to_infer_meta(self):
        inputs, outputs = ask([0, 1, -1], [-1, -1], axis=7)
        self.assertEqual([len(m) for m in inputs + outputs], [3, 2, 3])

    def test_backward_from_the_result(self):
        specs = [
            spec(X, [-1, -1, -1]),
            spec(VALUES, [1, -1]),
            spec(X, [0, 1, -1]),
        ]
        self.assertEqual(
            backward('select_scatter', specs, 1, 2),
            [[[0, -1, -1], [0, -1]], [[0, -1, -1]]],
        )

    def test_gradient_follows_out_grad(self):
        specs = [
            spec(X, [-1, 1, -1]),
            spec(VALUES, [-1, -1]),
            spec(X, [0, 1, -1]),
        ]
        self.assertEqual(
            forward('select_scatter_grad', specs, 1, 2),
            [
                [[0, -1, -1], [0, -1], [0, -1, -1]],
                [[0, -1, -1], [0, -1]],
            ],
        )


if __name__ == '__main__':
    unittest.main()
