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

"""What the SPMD rule of index_scatter and index_reduce answers."""

from spmd_rule_utils import backward, forward, spec

X, INDEX, UPDATES = [4, 6, 8], [3], [4, 3, 8]


class IndexRuleCases:
    """Mixin for a TestCase that names its `op` and a `reduce` of it."""

    def ask(self, x, index, updates, axis=1, shape=UPDATES, index_shape=INDEX):
        specs = [spec(X, x), spec(index_shape, index), spec(shape, updates)]
        return forward(self.op, specs, axis, self.reduce, True)

    def test_other_dims_stay_sharded(self):
        self.assertEqual(
            self.ask([0, -1, 1], [-1], [0, -1, 1]),
            [[[0, -1, 1], [-1], [0, -1, 1]], [[0, -1, 1]]],
        )

    def test_axis_and_index_are_replicated(self):
        self.assertEqual(
            self.ask([-1, 0, -1], [1], [-1, 1, -1]),
            [[[-1] * 3, [-1], [-1] * 3], [[-1] * 3]],
        )

    def test_negative_axis(self):
        self.assertEqual(
            self.ask([1, 0, -1], [-1], [-1, -1, -1], axis=-2),
            [[[1, -1, -1], [-1], [1, -1, -1]], [[1, -1, -1]]],
        )

    def test_updates_shard_a_replicated_x(self):
        self.assertEqual(
            self.ask([-1, -1, -1], [-1], [-1, 0, 1]),
            [[[-1, -1, 1], [-1], [-1, -1, 1]], [[-1, -1, 1]]],
        )

    def test_x_wins_a_conflict(self):
        self.assertEqual(
            self.ask([0, -1, -1], [-1], [1, -1, 0]),
            [[[0, -1, -1], [-1], [0, -1, -1]], [[0, -1, -1]]],
        )

    def test_one_number_for_an_index(self):
        self.assertEqual(
            self.ask([0, -1, 1], [], [-1, -1], shape=[4, 8], index_shape=[]),
            [[[0, -1, 1], [], [0, 1]], [[0, -1, 1]]],
        )

    def test_backward_from_the_result(self):
        specs = [
            spec(X, [-1] * 3),
            spec(INDEX, [0]),
            spec(UPDATES, [-1] * 3),
            spec(X, [0, 1, -1]),
        ]
        self.assertEqual(
            backward(self.op, specs, 1, self.reduce, True),
            [[[0, -1, -1], [-1], [0, -1, -1]], [[0, -1, -1]]],
        )

    def test_gradient_follows_out_grad(self):
        specs = [
            spec(X, [-1, 1, -1]),
            spec(INDEX, [-1]),
            spec(UPDATES, [-1, -1, -1]),
            spec(X, [0, 1, -1]),
        ]
        rows = [0, -1, -1]
        self.assertEqual(
            forward(f'{self.op}_grad', specs, 1, self.reduce, True),
            [[rows, [-1], rows, rows], [rows, rows]],
        )
