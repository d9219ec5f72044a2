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
"""Wrong calls of paddle.scatter: which exception, and what it says."""

import unittest

import paddle


class TestScatterErrors(unittest.TestCase):
    def refused(self, error, words, *args, **options):
        x = paddle.zeros([3, 4])
        index = paddle.to_tensor([0, 1])
        updates = paddle.ones([2, 4])
        for function in (paddle.scatter, paddle.scatter_):
            with self.assertRaisesRegex(error, words):
                function(x, index, updates, *args, **options)
        self.assertEqual(float(x.abs().sum()), 0)

    def test_reduce_needs_overwrite_false(self):
        for reduce in ('mean', 'amax', 'amin', 'mul', 'prod', 'add'):
            with self.subTest(reduce=reduce):
                self.refused(
                    ValueError,
                    f"reduce='{reduce}' needs overwrite=False",
                    reduce=reduce,
                )
        self.refused(
            ValueError,
            'include_self=True needs overwrite=False',
            include_self=True,
        )

    def test_unknown_reduce(self):
        for reduce in ('max', 'assign', '', 'SUM', 0, None):
            with self.subTest(reduce=reduce):
                self.refused(
                    ValueError,
                    'reduce must be one of sum, add, mul',
                    overwrite=False,
                    reduce=reduce,
                )

    def test_types(self):
        self.refused(TypeError, 'axis must be an int', axis=1.0)
        self.refused(TypeError, 'axis must be an int', axis=True)
        self.refused(
            TypeError, 'include_self must be a bool', False, include_self=1
        )
        self.refused(TypeError, 'overwrite must be a bool', 0, axis=1)
        self.refused(TypeError, 'unexpected keyword', alpha=1)
        self.refused(
            TypeError,
            "multiple values for argument 'name'",
            True,
            'n',
            name='m',
        )

    def test_axis_out_of_range(self):
        for axis in (2, -3):
            with self.subTest(axis=axis):
                self.refused(
                    ValueError, r'axis must be in \[-2, 2\)', axis=axis
                )

    def test_shapes_along_another_axis(self):
        self.refused(ValueError, 'updates must have the shape of x', axis=1)

    def test_reduce_as_fifth_argument_warns(self):
        x, index = paddle.zeros([2]), paddle.to_tensor([0, 0])
        updates = paddle.to_tensor([2.0, 4.0])
        for function in (paddle.scatter, paddle.scatter_):
            with self.assertWarnsRegex(UserWarning, "pass reduce='mean'"):
                out = function(x.clone(), index, updates, False, 'mean')
            self.assertEqual(out.tolist(), [6.0, 0.0])


if __name__ == '__main__':
    unittest.main()
