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
"""index_scatter_ and index_reduce_, and what their gradients keep in memory."""

import unittest

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    REDUCES,
    operands,
    reduce_by_index,
    reduce_by_index_,
)
from scatter_test_utils import assert_same_bits, to_paddle

import paddle


def run(x, index, updates, *attrs):
    return reduce_by_index(
        to_paddle(x), to_paddle(index), to_paddle(updates), *attrs
    ).numpy()


class TestIndexReduceInplace(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.x = operands(self.rng, (6, 5), 'mul')
        self.index = np.array([1, 1, 4, -6])
        self.updates = operands(self.rng, (4, 5), 'mul')

    def test_updates_that_overlap_x(self):
        array = operands(self.rng, (6, 5), 'mul')
        for reduce in REDUCES:
            x = to_paddle(array)
            index = to_paddle(np.array([5, 0, 0, 3, 2]))
            reduce_by_index_(x, index, x[1:], 0, reduce, True)
            expected = run(array, index.numpy(), array[1:], 0, reduce, True)
            with self.subTest(reduce=reduce):
                assert_same_bits(x, expected)

    def test_index_that_overlaps_x(self):
        array = np.array([3, 2, 2, 0], 'int64')
        x = to_paddle(array)
        reduce_by_index_(x, x, to_paddle(array), 0, 'sum', True)
        assert_same_bits(x, run(array, array, array, 0, 'sum', True))

    def test_updates_changed_before_backward_are_noticed(self):
        for reduce in ('mul', 'amax'):
            updates = to_paddle(self.updates, stop_gradient=False)
            scaled, index = updates * 1, to_paddle(self.index)
            x = to_paddle(self.x)
            out = reduce_by_index_(x, index, scaled, 0, reduce, True)
            scaled.scale_(2.0)
            with self.subTest(reduce=reduce):
                with self.assertRaisesRegex(
                    (RuntimeError, OSError), 'tensor_version'
                ):
                    out.sum().backward()


class TestIndexReduceKeptTensors(unittest.TestCase):
    """What a recorded call keeps until its gradient has been taken."""

    def recorded(self, reduce, axis=0, size=8):
        """(leaves, x and updates of the call, out); slots 1 and 3 are touched."""
        leaves = [paddle.ones([size, size]) * (i + 2) for i in range(2)]
        for leaf in leaves:
            leaf.stop_gradient = False
        inputs = [leaf * 1 for leaf in leaves]
        index = np.arange(size) % 2 * 2 + 1
        out = reduce_by_index(
            inputs[0], to_paddle(index), inputs[1], axis, reduce, True
        )
        return leaves, inputs, out

    def gradients(self, leaves, out):
        return [grad.numpy() for grad in paddle.grad([(out * 2).sum()], leaves)]

    def changes(self):
        """Yields (name, function that changes a Tensor in place)."""
        yield 'add_', lambda tensor: tensor.add_(paddle.ones_like(tensor))
        yield 'assign', lambda tensor: paddle.assign(tensor * 3, tensor)
        yield 'scale_', lambda tensor: tensor.scale_(float('inf'))
        yield 'setitem', lambda tensor: tensor.__setitem__(0, 7.0)

    def test_linear_gradients_do_not_mind_changed_inputs(self):
        for reduce in LINEAR_REDUCES:
            for axis in (0, 1):
                leaves, _, out = self.recorded(reduce, axis)
                wanted = self.gradients(leaves, out)
                for name, change in self.changes():
                    leaves, inputs, out = self.recorded(reduce, axis)
                    for tensor in inputs:
                        change(tensor)
                    with self.subTest(reduce=reduce, axis=axis, change=name):
                        found = self.gradients(leaves, out)
                        for grad, expected in zip(found, wanted):
                            assert_same_bits(grad, expected)

    def test_second_order_does_not_mind_changed_inputs(self):
        for reduce in LINEAR_REDUCES:
            totals = []
            for change in (
                lambda tensor: None,
                lambda tensor: tensor.add_(tensor),
            ):
                leaves, inputs, out = self.recorded(reduce)
                grads = paddle.grad([(out**3).sum()], leaves, create_graph=True)
                for tensor in inputs:
                    change(tensor)
                loss = sum((grad**2).sum() for grad in grads)
                totals.append([g.numpy() for g in paddle.grad([loss], leaves)])
            for found, wanted in zip(*totals):
                with self.subTest(reduce=reduce):
                    assert_same_bits(found, wanted)


if __name__ == '__main__':
    unittest.main()
