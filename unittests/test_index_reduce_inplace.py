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
"""index_reduce_: memory, views, overlap, autograd."""

import unittest

import numpy as np
from index_reduce_cases import REDUCES, cases, operands
from scatter_test_utils import assert_same_bits, layouts, to_paddle

import paddle
from paddle import _C_ops


def run(x, index, updates, *attrs):
    return _C_ops.index_reduce(
        to_paddle(x), to_paddle(index), to_paddle(updates), *attrs
    ).numpy()


class TestIndexReduceInplace(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.x = operands(self.rng, (6, 5), 'mul')
        self.index = np.array([1, 1, 4, -6])
        self.updates = operands(self.rng, (4, 5), 'mul')

    def test_every_case(self):
        for name, x_shape, axis, index, updates_shape in cases():
            for reduce in REDUCES:
                x = operands(self.rng, x_shape, reduce)
                updates = operands(self.rng, updates_shape, reduce)
                attrs = axis, reduce, len(name) % 2 == 0
                tensor = to_paddle(x)
                result = _C_ops.index_reduce_(
                    tensor, to_paddle(index), to_paddle(updates), *attrs
                )
                with self.subTest(case=name, attrs=attrs):
                    self.assertIs(result, tensor)
                    expected = run(x, index, updates, *attrs)
                    assert_same_bits(tensor, expected)

    def test_memory_is_kept_and_the_version_rises(self):
        x = to_paddle(self.x)
        address, version = x.data_ptr(), x.inplace_version
        self.in_place(x)
        self.assertEqual(x.data_ptr(), address)
        self.assertGreater(x.inplace_version, version)

    def in_place(self, x, reduce='mul', updates=None):
        return _C_ops.index_reduce_(
            x,
            to_paddle(self.index),
            to_paddle(self.updates) if updates is None else updates,
            0,
            reduce,
            True,
        )

    def test_every_layout(self):
        x = operands(self.rng, (6, 4, 5), 'mul')
        updates = operands(self.rng, (4, 4, 5), 'mul')
        expected = run(x, self.index, updates, 0, 'mul', True)
        for name, view in layouts(x):
            with self.subTest(layout=name):
                self.in_place(view, updates=to_paddle(updates))
                assert_same_bits(view, expected)

    def test_base_of_a_view_changes(self):
        base = to_paddle(np.concatenate([self.x] * 2, 1))
        self.in_place(base[:, :5])
        out = run(self.x, self.index, self.updates, 0, 'mul', True)
        assert_same_bits(base, np.concatenate([out, self.x], 1))

    def test_updates_that_overlap_x(self):
        array = operands(self.rng, (6, 5), 'mul')
        for reduce in REDUCES:
            x = to_paddle(array)
            index = to_paddle(np.array([5, 0, 0, 3, 2]))
            _C_ops.index_reduce_(x, index, x[1:], 0, reduce, True)
            expected = run(array, index.numpy(), array[1:], 0, reduce, True)
            with self.subTest(reduce=reduce):
                assert_same_bits(x, expected)

    def test_index_that_overlaps_x(self):
        array = np.array([3, 2, 2, 0], 'int64')
        x = to_paddle(array)
        _C_ops.index_reduce_(x, x, to_paddle(array), 0, 'sum', True)
        assert_same_bits(x, run(array, array, array, 0, 'sum', True))

    def gradients(self, reduce, in_place):
        x = to_paddle(self.x, stop_gradient=False)
        updates = to_paddle(self.updates, stop_gradient=False)
        y = x * 2
        if in_place:
            out = self.in_place(y, reduce, updates)
            self.assertIs(out, y)
        else:
            out = _C_ops.index_reduce(
                y, to_paddle(self.index), updates, 0, reduce, True
            )
        (out**2).sum().backward()
        return x.grad, updates.grad

    def test_gradients_are_those_of_the_plain_form(self):
        for reduce in REDUCES:
            found = self.gradients(reduce, True)
            wanted = self.gradients(reduce, False)
            for grad, expected in zip(found, wanted):
                with self.subTest(reduce=reduce):
                    assert_same_bits(grad, expected.numpy())

    def test_a_leaf_that_needs_a_gradient_is_refused(self):
        x = to_paddle(self.x, stop_gradient=False)
        with self.assertRaisesRegex(ValueError, 'inplace'):
            self.in_place(x)
        assert_same_bits(x, self.x)

    def test_without_gradients_a_leaf_may_change(self):
        x = to_paddle(self.x, stop_gradient=False)
        with paddle.no_grad():
            self.in_place(x)
        expected = run(self.x, self.index, self.updates, 0, 'mul', True)
        assert_same_bits(x, expected)

    def test_updates_changed_before_backward_are_noticed(self):
        for reduce in ('mul', 'amax'):
            updates = to_paddle(self.updates, stop_gradient=False)
            scaled = updates * 1
            out = self.in_place(to_paddle(self.x), reduce, scaled)
            scaled.scale_(2.0)
            with self.subTest(reduce=reduce):
                with self.assertRaisesRegex(
                    (RuntimeError, OSError), 'tensor_version'
                ):
                    out.sum().backward()


if __name__ == '__main__':
    unittest.main()
