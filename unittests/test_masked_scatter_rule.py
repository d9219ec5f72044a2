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

import itertools
import unittest

from spmd_rule_utils import backward, forward, spec

X, VALUE = [4, 6], [30]
MASKS = ([4, 6], [6], [4, 1], [1, 6], [2, 4, 6])
WHOLE = [-1, -1]


def layouts(rank):
    """All ways in which the two dims of the mesh can split a Tensor."""
    return [
        list(mapping)
        for mapping in itertools.product((-1, 0, 1), repeat=rank)
        if mapping.count(0) < 2 and mapping.count(1) < 2
    ]


class TestMaskedScatterRule(unittest.TestCase):
    """Whatever is cut, each part would start with the first element of value:
    nothing may stay cut, also where the mask is broadcast."""

    def test_everything_is_replicated(self):
        for mask in MASKS:
            rank = max(2, len(mask))
            for x_layout in layouts(2):
                for mask_layout in layouts(len(mask)):
                    with self.subTest(x=x_layout, mask=mask_layout):
                        specs = [
                            spec(X, x_layout, partial=[]),
                            spec(mask, mask_layout),
                            spec(VALUE, [0]),
                        ]
                        self.assertEqual(
                            forward('masked_scatter', specs),
                            [[WHOLE, [-1] * len(mask), [-1]], [[-1] * rank]],
                        )

    def test_backward_from_the_result(self):
        specs = [
            spec(X, WHOLE),
            spec(X, WHOLE),
            spec(VALUE, [-1]),
            spec(X, [0, 1]),
        ]
        self.assertEqual(
            backward('masked_scatter', specs), [[WHOLE, WHOLE, [-1]], [WHOLE]]
        )

    def test_gradient(self):
        specs = [
            spec(X, [0, -1]),
            spec(X, [0, -1]),
            spec(VALUE, [1]),
            spec(X, [0, -1], partial=[1]),
        ]
        self.assertEqual(
            forward('masked_scatter_grad', specs),
            [[WHOLE, WHOLE, [-1], WHOLE], [WHOLE, [-1]]],
        )


if __name__ == '__main__':
    unittest.main()
