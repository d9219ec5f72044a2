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
"""The in-place forms of the mask and scatter functions, where they say so."""

import unittest

from scatter_test_utils import REFUSALS

import paddle


class TestErrorsNameTheInPlaceForm(unittest.TestCase):
    """Not the operator that serves the call."""

    def refused(self, function, *args, **options):
        with self.assertRaises(REFUSALS) as caught:
            getattr(paddle, function)(*args, **options)
        # Without the place in the sources, which lie in index_reduce/.
        text = str(caught.exception).split('(at ')[0]
        self.assertRegex(text, rf'\b{function}\b')
        self.assertNotRegex(text, r'\bindex_(scatter|reduce)_?\b')

    def test_scatter(self):
        x, wide = paddle.zeros([3, 3]), paddle.zeros([2, 4])
        index, updates = paddle.to_tensor([0, 2]), paddle.ones([2, 3])
        for function in ('scatter', 'scatter_'):
            for reduce in ('sum', 'mean', 'amax'):
                for options in (
                    {'overwrite': False, 'reduce': reduce},
                    {'overwrite': False, 'reduce': reduce, 'axis': -2},
                ):
                    for args in (
                        (x, paddle.to_tensor([0, 9]), updates),
                        (x, index.astype('float32'), updates),
                        (x, index, wide),
                        (x, index, updates.astype('float64')),
                        (x, index, updates[0]),
                    ):
                        with self.subTest(function=function, **options):
                            self.refused(function, *args, **options)
            for axis in (7, 2**40, -(2**70)):
                self.refused(function, x, index, updates, axis=axis)

    def test_leaf_that_needs_a_gradient(self):
        x = paddle.zeros([3, 3])
        x.stop_gradient = False
        index, updates = paddle.to_tensor([0, 2]), paddle.ones([2, 3])
        self.refused('scatter_', x, index, updates, False, 0, 'amax')
        self.refused('scatter_', x, index, updates, False, 0, 'mean')
        self.refused('masked_fill_', x, x > 0, 1.0)
        self.refused('masked_scatter_', x, x > 0, updates)

    def test_masks(self):
        x, mask = paddle.zeros([3]), paddle.ones([3], 'bool')
        self.refused('masked_scatter_', x, mask, paddle.ones([2]))
        self.refused('masked_scatter', x, mask[:2], paddle.ones([3]))
        self.refused('masked_fill_', x, mask, paddle.ones([], 'float64'))
        self.refused('masked_fill_', x, mask, paddle.ones([2]))
        self.refused('masked_fill', x, mask[:2], 1.0)
        self.refused('masked_fill', x, mask, paddle.ones([2]))


if __name__ == '__main__':
    unittest.main()
