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

"""Values, gradients and second-order gradients of distributed Tensors, against
those of dense ones. Run on two ranks by test_distributed_values.py."""

import unittest
from itertools import product

import numpy as np
from distributed_utils import (
    PLANE,
    assert_like_dense,
    floats,
    mask_of,
    run_tests,
    shard,
    whole,
)

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Replicate, Shard

R = Replicate()


def layouts(rank):
    return [R, *(Shard(dim) for dim in range(rank))]


class TestMaskedScatter(unittest.TestCase):
    # 9 rows over two ranks are 5 and 4
    CASES = (
        ([9, 4], [9, 4]),
        ([9, 4], [4]),
        ([4], [9, 4]),
        ([9, 4], [9, 1]),
        ([4, 3, 6], [4, 3, 6]),
        ([4, 3, 6], [3, 1]),
        ([4, 3, 6], [4, 1, 6]),
        ([4, 6], [2, 4, 1]),
    )

    def arguments(self, x, mask, x_layout, mask_layout, value_layout=R):
        array = mask_of(*mask)
        trues = np.broadcast_to(array, np.broadcast_shapes(x, mask)).sum()
        return [
            (floats(*x), [x_layout], True),
            (array, [mask_layout], False),
            (floats(int(trues) + 3, seed=1), [value_layout], True),
        ]

    def test_every_layout_of_x_and_mask(self):
        for x, mask in self.CASES:
            cut = [R] + [Shard(i) for i, n in enumerate(mask) if n > 1]
            for x_layout, mask_layout in product(layouts(len(x)), cut):
                with self.subTest(x=x, mask=mask, of=(x_layout, mask_layout)):
                    assert_like_dense(
                        self,
                        paddle.masked_scatter,
                        self.arguments(x, mask, x_layout, mask_layout),
                    )

    def test_x_keeps_its_layout(self):
        for layout in layouts(3):
            with self.subTest(layout=layout):
                arguments = self.arguments([4, 3, 6], [4, 3, 1], layout, R)
                found = assert_like_dense(
                    self, paddle.masked_scatter, arguments
                )
                self.assertEqual(found[:3], [[layout], [layout], [R]])

    def test_value_that_is_sharded_or_a_pending_sum(self):
        for layout in (Shard(0), Partial()):
            arguments = self.arguments([6, 4], [6, 4], Shard(0), R, layout)
            with self.subTest(layout=layout):
                assert_like_dense(self, paddle.masked_scatter, arguments)

    def test_mesh_of_two_dims(self):
        arguments = [
            (floats(6, 4), [Shard(0), Shard(1)], True),
            (mask_of(6, 4), [R, Shard(0)], False),
            (floats(24, seed=1), [R, R], True),
        ]
        assert_like_dense(self, paddle.masked_scatter, arguments, mesh=PLANE)

    def test_tensors_without_dims(self):
        arguments = [
            (np.float32(3), [R], True),
            (np.array(True), [R], False),
            (floats(2), [R], True),
        ]
        assert_like_dense(self, paddle.masked_scatter, arguments)

    def test_no_element_of_value_is_needed(self):
        x = shard(floats(4, 2), Shard(0), grad=True)
        mask = shard(np.zeros([4, 2], 'bool'), Shard(0))
        out = paddle.masked_scatter(x, mask, shard(floats(0), R))
        out.sum().backward()
        np.testing.assert_array_equal(whole(out), floats(4, 2))
        np.testing.assert_array_equal(whole(x.grad), np.ones([4, 2]))

    def test_zero_size(self):
        out = paddle.masked_scatter(
            shard(floats(0, 2), R), shard(mask_of(0, 2), R), shard(floats(3), R)
        )
        self.assertEqual(out.shape, [0, 2])

    def test_dtypes_that_dist_reshard_cannot_cut(self):
        mask, low = mask_of(4, 6), 2 * dist.get_rank()
        for dtype in ('bool', 'int8', 'float16', 'bfloat16', 'complex64'):
            x, value = (
                paddle.to_tensor(np.arange(24)).astype(dtype) for _ in range(2)
            )
            want = paddle.masked_scatter(
                x.reshape([4, 6]), paddle.to_tensor(mask), value
            )
            out = paddle.masked_scatter(
                shard(x.reshape([4, 6]), R), shard(mask, Shard(0)), value
            )
            with self.subTest(dtype=dtype):
                same = out._local_value() == want[low : low + 2]
                self.assertTrue(bool(same.all()))


class TestSelectAndDiagonal(unittest.TestCase):
    def test_select_scatter(self):
        def select(x, values):
            return paddle.select_scatter(x, values, 1, 2)

        for x, values in product(layouts(3), layouts(2)):
            with self.subTest(x=x, values=values):
                found = assert_like_dense(
                    self,
                    select,
                    [
                        (floats(9, 4, 6), [x], True),
                        (floats(9, 6, seed=1), [values], True),
                    ],
                )
                if x in (Shard(0), Shard(2)):
                    self.assertEqual(found[0], [x])
                self.assertEqual(found[1:3], [[x], [values]])

    def test_diagonal_scatter(self):
        def diagonal(x, y):
            return paddle.diagonal_scatter(x, y, 1, 0, 2)

        for x, y in product(layouts(3), layouts(2)):
            with self.subTest(x=x, y=y):
                found = assert_like_dense(
                    self,
                    diagonal,
                    [
                        (floats(5, 9, 6), [x], True),
                        (floats(9, 5, seed=1), [y], True),
                    ],
                )
                if x == Shard(1):
                    self.assertEqual(found[0], [x])


class TestScatter(unittest.TestCase):
    def check(self, reduce, axis, x, updates, second):
        def scatter(x, index, updates):
            return paddle.scatter(
                x, index, updates, False, axis, reduce, include_self=True
            )

        shape = [3, 6] if axis == 0 else [9, 3]
        found = assert_like_dense(
            self,
            scatter,
            [
                (floats(9, 6), [x], True),
                (np.array([4, 1, 4]), [R], False),
                (floats(*shape, seed=1), [updates], True),
            ],
            second,
        )
        if x == Shard(1 - axis):
            self.assertEqual(found[0], [x])

    def test_linear(self):
        for axis, x, updates in product((0, 1), layouts(2), layouts(2)):
            for reduce in ('add', 'mean'):
                with self.subTest(reduce=reduce, axis=axis, x=x, of=updates):
                    self.check(reduce, axis, x, updates, second=True)

    def test_products_and_extremes(self):
        for axis, x in product((0, 1), layouts(2)):
            for reduce in ('mul', 'amax', 'amin'):
                with self.subTest(reduce=reduce, axis=axis, x=x):
                    self.check(reduce, axis, x, x, second=False)


class TestBaseOperators(unittest.TestCase):
    def test_masked_fill(self):
        for layout in layouts(2):
            with self.subTest(layout=layout):
                assert_like_dense(
                    self,
                    lambda x, mask: paddle.masked_fill(x, mask, 2.0),
                    [
                        (floats(8, 6), [layout], True),
                        (mask_of(8, 6), [layout], False),
                    ],
                    second=False,
                )

    def test_plain_scatter(self):
        for layout in (R, Shard(1)):
            with self.subTest(layout=layout):
                assert_like_dense(
                    self,
                    paddle.scatter,
                    [
                        (floats(8, 6), [layout], True),
                        (np.array([4, 1]), [R], False),
                        (floats(2, 6, seed=1), [layout], True),
                    ],
                    second=False,
                )


if __name__ == '__main__':
    run_tests()
