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
import warnings

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

    def test_no_arguments(self):
        for function in (paddle.scatter, paddle.scatter_):
            with self.assertRaises(TypeError) as caught:
                function()
            for word in (function.__name__, 'axis=0', 'include_self', 'dim'):
                self.assertIn(word, str(caught.exception))

    def test_a_missing_argument_names_the_function(self):
        x, index = paddle.zeros([2]), paddle.to_tensor([0])
        for function in (paddle.scatter, paddle.scatter_):
            name = function.__name__
            with self.assertRaisesRegex(
                TypeError, rf"^{name}\(\) missing .*'updates'$"
            ):
                function(x, index)

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


class TestScatterWarnings(unittest.TestCase):
    """What has no effect with overwrite=True is a warning, and no error."""

    def check(self, words, **options):
        x = paddle.zeros([2, 3])
        index, updates = paddle.to_tensor([1, 1]), paddle.ones([2, 3])
        updates[1] = 5.0
        for function in (paddle.scatter, paddle.scatter_):
            with self.subTest(function=function.__name__, **options):
                with self.assertWarnsRegex(UserWarning, words):
                    out = function(x.clone(), index, updates, **options)
                self.assertEqual(out.tolist(), [[0.0] * 3, [5.0] * 3])

    def test_reduce(self):
        for reduce in ('mean', 'amax', 'amin', 'mul', 'prod', 'add'):
            self.check(f"reduce='{reduce}' has no effect", reduce=reduce)

    def test_include_self(self):
        self.check('include_self=True has no effect', include_self=True)

    def test_other_calls_do_not_warn(self):
        x, index = paddle.zeros([2]), paddle.to_tensor([0])
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            for options in (
                {},
                {'reduce': 'sum', 'include_self': False},
                {'overwrite': False, 'reduce': 'mean', 'include_self': True},
            ):
                paddle.scatter(x, index, paddle.ones([1]), **options)


if __name__ == '__main__':
    unittest.main()
