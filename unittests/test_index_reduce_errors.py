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
    reference_index_reduce,
)
from op_table import Operator
from op_table_graph import LateErrorTests, static_mode
from scatter_test_utils import ALL_DTYPES, to_paddle, to_storage

import paddle
from paddle import _C_ops

# What nobody can make anything of.
HINT = r'\[Hint: Expected'  # PADDLE_ENFORCE_EQ and others append it
NO_INDEX = 'dtype of index should be int32 or int64, but received {}'
INDEX_RANK = 'rank of index should be 1'
UPDATES_SHAPE = r'shape of updates should be \[.*, 3\]'
# (exception, words, those arguments of run() that are wrong)
REFUSED = (
    (IndexError, r'in \[-4, 4\).*index\[1\] is 4', {'index': [1, 4]}),
    (IndexError, r'in \[-4, 4\).*index\[0\] is -5', {'index': [-5, 0]}),
    (IndexError, rf'index\[0\] is {2**40}', {'index': [2**40, 0]}),
    (IndexError, rf'index\[1\] is {-(2**63)}', {'index': [0, -(2**63)]}),
    (IndexError, rf'index\[1\] is {2**63 - 1}', {'index': [0, 2**63 - 1]}),
    (ValueError, NO_INDEX.format('float32'), {'index': np.float32([1, 2])}),
    (ValueError, NO_INDEX.format('int16'), {'index': np.int16([1, 2])}),
    (ValueError, NO_INDEX.format('uint8'), {'index': np.uint8([1, 2])}),
    (ValueError, NO_INDEX.format('bool'), {'index': [True, False]}),
    (ValueError, INDEX_RANK, {'index': 1}),
    (ValueError, INDEX_RANK, {'index': [[1], [2]]}),
    (ValueError, INDEX_RANK, {'index': [[1, 2]]}),
    (ValueError, INDEX_RANK, {'index': [[[1]], [[2]]]}),
    (ValueError, UPDATES_SHAPE, {'updates': (1, 3)}),
    (ValueError, UPDATES_SHAPE, {'updates': (2, 2)}),
    (ValueError, UPDATES_SHAPE, {'updates': (2, 4)}),
    (ValueError, UPDATES_SHAPE, {'updates': (2, 1)}),
    (ValueError, UPDATES_SHAPE, {'updates': (6,)}),
    (ValueError, UPDATES_SHAPE, {'updates': (2, 3, 1)}),
    (ValueError, UPDATES_SHAPE, {'updates': (3, 3)}),
    (ValueError, UPDATES_SHAPE, {'updates': ()}),
    (ValueError, 'float32, but received float64', {'updates': np.eye(2, 3)}),
    (IndexError, r'axis should be in \[-2, 2\).* 2\.', {'axis': 2}),
    (IndexError, r'axis should be in \[-2, 2\).* -3\.', {'axis': -3}),
    (IndexError, r'axis should be in \[-2, 2\).* 100\.', {'axis': 100}),
    (ValueError, 'rank of x should be', {'x': (), 'updates': (), 'index': [0]}),
)


def run(
    x=(4, 3),
    index=(1, 2),
    updates=(2, 3),
    axis=0,
    reduce='sum',
    include_self=True,
):
    """Takes arrays, and shapes of x and updates."""
    x, updates = (
        np.ones(a, 'float32') if isinstance(a, tuple) else a
        for a in (x, updates)
    )
    tensors = map(to_paddle, (x, index, updates))
    return reduce_by_index(*tensors, axis, reduce, include_self)


def setUpModule():
    # A GPU reports a bad index by a trap, which ends the process.
    paddle.set_device('cpu')


class TestIndexReduceErrors(unittest.TestCase):
    def test_the_plain_call_works(self):
        self.assertEqual(run().sum(), 18)
        self.assertEqual(run(reduce='mul').sum(), 12)

    def refused(self, error, words, arguments, reduces=('sum', 'mul')):
        """By the operator of each reduction, under that operator's name."""
        for reduce in reduces:
            words_of_op = rf'\({operator_of(reduce)}\).*{words}'
            with self.assertRaisesRegex(error, words_of_op) as caught:
                run(reduce=reduce, **arguments)
            self.assertNotRegex(str(caught.exception), HINT)

    def test_what_both_operators_refuse(self):
        for row in REFUSED:
            with self.subTest(row=row):
                self.refused(*row)

    def test_index_out_of_range_in_rows_of_each_length(self):
        reduces = 'assign', 'sum', 'mul', 'amax'
        for width, dtype, place, value in itertools.product(
            (1, 2, 4, 8, 20), ('int32', 'int64'), (0, 2), (4, -5)
        ):
            index = np.zeros(3, dtype)
            index[place] = value
            arguments = {
                'x': (4, width),
                'index': index,
                'updates': (3, width),
                'include_self': False,
            }
            with self.subTest(width=width, index=index):
                words = rf'index\[{place}\] is {value}'
                self.refused(IndexError, words, arguments, reduces)

    def test_first_of_a_long_index_out_of_range(self):
        self.addCleanup(paddle.base.core.set_num_threads, 1)
        for count, dtype, place, value in itertools.product(
            (1, 2), ('int32', 'int64'), (4096, 199999), (1000, -1001)
        ):
            paddle.base.core.set_num_threads(count)
            index = np.arange(200000, dtype=dtype) % 1000
            index[[place, -1]] = value
            arguments = {'x': (1000,), 'index': index, 'updates': (200000,)}
            with self.subTest(threads=count, dtype=dtype, place=place):
                words = rf'index\[{place}\] is {value}'
                self.refused(IndexError, words, arguments)

    def test_reduce(self):
        tensors = paddle.ones([4, 3]), to_paddle([1, 2]), paddle.ones([2, 3])
        for operator, own in OPERATORS.items():
            listed = f'{own[0]}, {own[1]} or {own[2]}'
            foreign = set(REDUCES) - set(own)
            for reduce in ('', 'SUM', 'prod', 'median', *sorted(foreign)):
                words = rf"\({operator}\).*{listed}.*'{reduce}'"
                with self.subTest(operator=operator, reduce=reduce):
                    with self.assertRaisesRegex(ValueError, words):
                        getattr(_C_ops, operator)(*tensors, 0, reduce, True)

    def test_dtypes_without_the_reduction(self):
        pairs = [
            pair
            for pair in itertools.product(REDUCES, ALL_DTYPES)
            if not defined(*pair)
        ]
        self.assertEqual(len(pairs), 8)
        for reduce, dtype in pairs:
            ones = to_storage(np.ones((4, 3)), dtype)
            with self.subTest(dtype=dtype, reduce=reduce):
                words = f"'{reduce}', but received {dtype}"
                arguments = {'x': ones, 'updates': ones[:2]}
                self.refused(ValueError, words, arguments, [reduce])

    def test_x_is_untouched_after_an_error_in_place(self):
        array = np.arange(12, dtype='float32').reshape(4, 3)
        for axis, index, updates in (
            (0, [0, 1, 2, 4], (4, 3)),
            (1, [0, 1, 2, -4], (4, 4)),
            (0, [0, 1], (1, 3)),
        ):
            for reduce in REDUCES:
                x = to_paddle(array)
                tensors = x, paddle.to_tensor(index), paddle.ones(updates)
                with self.subTest(axis=axis, reduce=reduce):
                    with self.assertRaises((IndexError, ValueError)):
                        reduce_by_index_(*tensors, axis, reduce, False)
                    self.assertEqual(x.tolist(), array.tolist())


class TestIndexReduceStaticErrors(LateErrorTests, unittest.TestCase):
    op = Operator(
        'index_reduce',
        inputs=('x', 'index', 'updates'),
        differentiable=(),
        reference=reference_index_reduce,
        function=reduce_by_index,
    )
    known_dims_of_late_errors = True, False
    late_errors = [
        (
            error,
            rf'\({operator_of(reduce)}\).*{words}',
            {'x': (4, 3), 'index': np.array(index), 'updates': (2, 3)},
            {'axis': 0, 'reduce': reduce, 'include_self': True},
        )
        for reduce in ('sum', 'mul')
        for error, words, index in (
            (IndexError, 'values of index should be in', [0, 4]),
            (ValueError, UPDATES_SHAPE, [0] * 3),
        )
    ]
    # (words, shape and dtype of an input while a program is built)
    early_errors = (
        (NO_INDEX.format('float32'), {'index': ([-1], 'float32')}),
        (INDEX_RANK, {'index': ([-1, 1], 'int64')}),
        (UPDATES_SHAPE, {'updates': ([-1, 4], 'float32')}),
        (UPDATES_SHAPE, {'updates': ([-1], 'float32')}),
        ('dtype of updates', {'updates': ([-1, 3], 'float64')}),
        ("reduce should be .*'max'", {'reduce': 'max'}),
    )

    def test_while_the_program_is_built(self):
        for (operator, reduces), (words, wrong) in itertools.product(
            OPERATORS.items(), self.early_errors
        ):
            given = {
                'x': ([-1, 3], 'float32'),
                'index': ([-1], 'int64'),
                'updates': ([-1, 3], 'float32'),
                'reduce': reduces[0],
                **wrong,
            }
            reduce = given.pop('reduce')
            with (
                self.subTest(operator=operator, wrong=wrong),
                static_mode(),
                paddle.static.program_guard(paddle.static.Program()),
                self.assertRaisesRegex(ValueError, rf'\({operator}\).*{words}'),
            ):
                tensors = [
                    paddle.static.data(name, *how)
                    for name, how in given.items()
                ]
                getattr(_C_ops, operator)(*tensors, 0, reduce, True)

    def test_unknown_number_of_updates_is_not_refused(self):
        data = paddle.static.data
        with (
            static_mode(),
            paddle.static.program_guard(paddle.static.Program()),
        ):
            x, updates = data('x', [4, 3]), data('updates', [-1, 3])
            index = data('index', [2], 'int64')
            for operator, reduces in OPERATORS.items():
                call = getattr(_C_ops, operator)
                out = call(x, index, updates, 0, reduces[0], True)
                self.assertEqual(out.shape, [4, 3], operator)


if __name__ == '__main__':
    unittest.main()
