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
"""What index_scatter and index_reduce refuse, and what their errors say."""

import itertools
import unittest

import numpy as np
from index_reduce_cases import (
    OPERATORS,
    REDUCES,
    defined,
    operator_of,
    reduce_by_index,
    reduce_by_index_,
)
from op_table_graph import static_mode
from scatter_test_utils import ALL_DTYPES, to_paddle, to_storage

import paddle
from paddle import _C_ops

INDEX_DTYPES = ('int32', 'int64')


def run(
    x=(4, 3),
    index=(1, 2),
    updates=(2, 3),
    axis=0,
    reduce='sum',
    include_self=True,
):
    """Takes Tensors, or shapes of x and updates and values of the index."""
    if not isinstance(x, paddle.Tensor):
        x = paddle.ones(x)
    if not isinstance(updates, paddle.Tensor):
        updates = paddle.ones(updates)
    if not isinstance(index, paddle.Tensor):
        index = paddle.to_tensor(np.array(index, 'int64'))
    return reduce_by_index(x, index, updates, axis, reduce, include_self)


def setUpModule():
    # A GPU reports a bad index by a trap, which ends the process.
    paddle.set_device('cpu')


class TestIndexReduceErrors(unittest.TestCase):
    def test_the_plain_call_works(self):
        self.assertEqual(run().sum(), 18)
        self.assertEqual(run(reduce='mul').sum(), 12)

    def refused(
        self, words, error=ValueError, reduces=('sum', 'mul'), **arguments
    ):
        """By the operator of each reduction, under that operator's name."""
        for reduce in reduces:
            words_of_op = rf'\({operator_of(reduce)}\).*{words}'
            with self.assertRaisesRegex(error, words_of_op):
                run(reduce=reduce, **arguments)

    def test_index_out_of_range(self):
        for index, place, value in (
            ([1, 4], 1, 4),
            ([-5, 0], 0, -5),
            ([2**40, 0], 0, 2**40),
            ([0, -(2**63)], 1, -(2**63)),
            ([0, 2**63 - 1], 1, 2**63 - 1),
        ):
            with self.subTest(index=index):
                self.refused(
                    rf'in \[-4, 4\).*index\[{place}\] is {value}',
                    IndexError,
                    index=index,
                )

    def test_index_out_of_range_in_rows_of_each_length(self):
        for width, dtype in itertools.product((1, 2, 4, 8, 20), INDEX_DTYPES):
            x, updates = paddle.ones([4, width]), paddle.ones([3, width])
            for place, value in itertools.product((0, 2), (4, -5)):
                values = np.zeros(3, dtype)
                values[place] = value
                with self.subTest(width=width, values=values):
                    self.refused(
                        rf'index\[{place}\] is {value}',
                        IndexError,
                        reduces=('assign', 'sum', 'mul', 'amax'),
                        x=x,
                        index=paddle.to_tensor(values),
                        updates=updates,
                        include_self=False,
                    )
            self.assertTrue((x == 1).all())

    def test_last_of_a_long_index_out_of_range(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        x, updates = paddle.ones([1000]), paddle.ones([200000])
        for count, value in itertools.product((1, 2), (1000, -1001)):
            paddle.base.core.set_num_threads(count)
            index = np.arange(200000) % 1000
            index[-1] = value
            with self.subTest(threads=count, value=value):
                self.refused(
                    rf'index\[199999\] is {value}',
                    IndexError,
                    x=x,
                    index=paddle.to_tensor(index),
                    updates=updates,
                )

    def test_any_index_into_an_axis_without_elements(self):
        self.refused('index', IndexError, x=(0, 3), index=(0,), updates=(1, 3))

    def test_index_dtype(self):
        for dtype in ('float32', 'int16', 'bool', 'uint8'):
            self.refused(
                f'index must be int32 or int64, but it is {dtype}',
                index=paddle.ones([2]).astype(dtype),
            )

    def test_index_shape(self):
        for shape in ([1, 2], [2, 2], [2, 1, 1]):
            index = paddle.ones(shape, 'int64')
            with self.subTest(shape=shape):
                self.refused(r'\[\], \[n\] or \[n, 1\]', index=index)

    def test_updates_shape(self):
        for updates, index in (
            ((1, 3), (1, 2)),
            ((2, 2), (1, 2)),
            ((2, 4), (1, 2)),
            ((2, 1), (1, 2)),
            ((6,), (1, 2)),
            ((2, 3, 1), (1, 2)),
            ((1, 3), 1),
            ((2,), 1),
            ((), 1),
        ):
            with self.subTest(updates=updates, index=index):
                self.refused(
                    'updates must have the shape of x',
                    updates=updates,
                    index=index,
                )

    def test_updates_dtype(self):
        updates = paddle.ones([2, 3], 'float64')
        self.refused(
            'updates must be that of x, float32, but it is float64',
            updates=updates,
        )

    def test_axis(self):
        for axis in (2, -3, 100):
            with self.subTest(axis=axis):
                self.refused(rf'axis must be in \[-2, 2\).*{axis}', axis=axis)

    def test_reduce(self):
        for operator, own in OPERATORS.items():
            listed = f'{own[0]}, {own[1]} or {own[2]}'
            foreign = set(REDUCES) - set(own)
            for reduce in ('', 'SUM', 'prod', 'median', *sorted(foreign)):
                words = rf"\({operator}\).*{listed}.*'{reduce}'"
                with self.subTest(operator=operator, reduce=reduce):
                    with self.assertRaisesRegex(ValueError, words):
                        getattr(_C_ops, operator)(
                            paddle.ones([4, 3]),
                            paddle.to_tensor([1, 2]),
                            paddle.ones([2, 3]),
                            0,
                            reduce,
                            True,
                        )

    def test_x_without_dims(self):
        self.refused('x must have 1 dim or more', x=(), updates=(), index=0)

    def test_dtypes_without_the_reduction(self):
        refused = 0
        for dtype in ALL_DTYPES:
            for reduce in REDUCES:
                if defined(reduce, dtype):
                    continue
                refused += 1
                ones = to_paddle(to_storage(np.ones((4, 3)), dtype))
                with self.subTest(dtype=dtype, reduce=reduce):
                    self.refused(
                        f"'{reduce}' is not defined.*{dtype}",
                        x=ones,
                        updates=ones[:2],
                        reduces=[reduce],
                    )
        self.assertEqual(refused, 8)

    def test_x_is_untouched_after_an_error_in_place(self):
        array = np.arange(12, dtype='float32').reshape(4, 3)
        for axis, index, updates in (
            (0, [0, 1, 2, 4], (4, 3)),
            (1, [0, 1, 2, -4], (4, 4)),
            (0, [0, 1], (1, 3)),
        ):
            for reduce in REDUCES:
                x = to_paddle(array)
                with self.subTest(axis=axis, reduce=reduce):
                    with self.assertRaises((IndexError, ValueError)):
                        reduce_by_index_(
                            x,
                            paddle.to_tensor(index),
                            paddle.ones(updates),
                            axis,
                            reduce,
                            False,
                        )
                    self.assertEqual(x.tolist(), array.tolist())


class TestIndexReduceStaticErrors(unittest.TestCase):
    inputs = {
        'x': ([-1, 3], 'float32'),
        'index': ([-1], 'int64'),
        'updates': ([-1, 3], 'float32'),
    }

    def run_with(self, operator, reduce, positions=None, **inputs):
        """Builds a program, and runs it if there is an index to feed."""
        with (
            static_mode(),
            paddle.static.program_guard(paddle.static.Program()),
        ):
            variables = [
                paddle.static.data(name, *how)
                for name, how in {**self.inputs, **inputs}.items()
            ]
            out = getattr(_C_ops, operator)(*variables, 0, reduce, True)
            if positions is None:
                return None
            feed = {
                'x': np.ones((4, 3), 'float32'),
                'index': np.array(positions),
                'updates': np.ones((2, 3), 'float32'),
            }
            return paddle.static.Executor().run(feed=feed, fetch_list=[out])[0]

    def test_while_the_program_is_built(self):
        for words, inputs in (
            ('index must be int32', {'index': ([-1], 'float32')}),
            ('index must have shape', {'index': ([-1, 2], 'int64')}),
            ('updates must have', {'updates': ([-1, 4], 'float32')}),
            ('updates must have', {'updates': ([-1], 'float32')}),
            ('dtype of updates', {'updates': ([-1, 3], 'float64')}),
        ):
            for operator, reduces in OPERATORS.items():
                words_of_op = rf'\({operator}\).*{words}'
                with self.subTest(operator=operator, words=words):
                    with self.assertRaisesRegex(ValueError, words_of_op):
                        self.run_with(operator, reduces[0], **inputs)
        for operator in OPERATORS:
            with self.assertRaisesRegex(ValueError, 'reduce must be'):
                self.run_with(operator, 'max')

    def test_while_the_program_runs(self):
        for operator, reduce, total in (
            ('index_scatter', 'sum', 18),
            ('index_reduce', 'mul', 12),
        ):
            for known in ({}, {'index': ([2], 'int64')}):
                out = self.run_with(operator, reduce, [0, 3], **known)
                self.assertEqual(out.sum(), total)
            for error, words, index in (
                (IndexError, 'index must be in', [0, 4]),
                (ValueError, 'updates must have', [0] * 3),
            ):
                words_of_op = rf'\({operator}\).*{words}'
                with self.subTest(operator=operator, words=words):
                    with self.assertRaisesRegex(error, words_of_op):
                        self.run_with(operator, reduce, index)


if __name__ == '__main__':
    unittest.main()
