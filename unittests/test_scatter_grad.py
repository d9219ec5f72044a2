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

"""The gradient of the gradient of scatter without options."""

import unittest

import numpy as np
from scatter_grad_utils import SecondOrderCases
from scatter_test_utils import OnCpu

import paddle

ROWS, COLUMNS = 5, 3
INDEXES = {
    'distinct': [3, 0, 1],
    'negative': [-1, 2, -5],
    'duplicates': [1, 4, 1, -4],
}


def draw(*shapes, seed=11):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def scattered(x, index, updates, overwrite):
    out = x.copy()
    if not overwrite:
        out[index] = 0
    for slot, row in zip(index, updates):
        out[slot] = row if overwrite else out[slot] + row
    return out


def case(index, overwrite):
    x, updates = draw((ROWS, COLUMNS), (len(index), COLUMNS))
    arrays = {'x': x, 'index': np.array(index), 'updates': updates}

    def function(x, index, updates):
        return paddle.scatter(x, index, updates, overwrite)

    return function, arrays, 'x updates'


class TestScatterSecondOrder(OnCpu, SecondOrderCases, unittest.TestCase):
    cases = {
        'overwrite': case(INDEXES['duplicates'], True),
        'add': case(INDEXES['duplicates'], False),
        'updates alone': (*case(INDEXES['negative'], True)[:2], 'updates'),
        'x alone': (*case(INDEXES['negative'], False)[:2], 'x'),
    }


class TestScatterDoubleGrad(OnCpu, unittest.TestCase):
    def grads(self, index, wrt, overwrite, scatter=paddle.scatter):
        """The gradient of the result, and those of `wrt`, which hang on it."""
        names = ('x', 'updates')
        shapes = (ROWS, COLUMNS), (len(index), COLUMNS)
        tensors = [
            paddle.to_tensor(array, stop_gradient=name not in wrt)
            for name, array in zip(names, draw(*shapes))
        ]
        out = scatter(
            tensors[0] * 1, paddle.to_tensor(index), tensors[1], overwrite
        )
        seed = paddle.ones_like(out)
        seed.stop_gradient = False
        leaves = [t for t in tensors if not t.stop_gradient]
        return seed, paddle.grad([out], leaves, [seed], create_graph=True)

    def test_it_is_scatter_of_the_gradients_and_zeros(self):
        for name, index in INDEXES.items():
            for overwrite in (True, False):
                for wrt in (('x', 'updates'), ('x',), ('updates',)):
                    directions = dict(
                        zip(
                            ('x', 'updates'),
                            draw((ROWS, COLUMNS), (len(index), COLUMNS)),
                        )
                    )
                    seed, grads = self.grads(index, wrt, overwrite)
                    (found,) = paddle.grad(
                        grads,
                        [seed],
                        [paddle.to_tensor(directions[n]) for n in wrt],
                    )
                    given = [
                        array if n in wrt else np.zeros_like(array)
                        for n, array in directions.items()
                    ]
                    expected = scattered(given[0], index, given[1], overwrite)
                    with self.subTest(index=name, overwrite=overwrite, wrt=wrt):
                        np.testing.assert_allclose(
                            found.numpy(), expected, rtol=1e-15
                        )

    def check_scatter_of_ones(self, **options):
        seed, grads = self.grads([1, 1], ('x', 'updates'), False, **options)
        (found,) = paddle.grad(grads, [seed])
        np.testing.assert_array_equal(found.numpy()[:3, 0], [1, 2, 1])

    def test_in_place(self):
        self.check_scatter_of_ones(scatter=paddle.scatter_)

    def test_under_auto_cast(self):
        with paddle.amp.auto_cast(dtype='bfloat16'):
            self.check_scatter_of_ones()

    def test_it_is_the_last(self):
        for overwrite in (True, False):
            seed, grads = self.grads([0, 1], ('x', 'updates'), overwrite)
            with self.assertRaisesRegex(
                RuntimeError, "scatter_double_grad doesn't have any grad op"
            ):
                paddle.grad(grads[1].sum(), [seed], create_graph=True)


if __name__ == '__main__':
    unittest.main()
