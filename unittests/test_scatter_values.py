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
"""paddle.scatter with axis, reduce and include_self, and in new dtypes."""

import inspect
import unittest

import numpy as np
from index_reduce_cases import (
    OPERATORS,
    cases,
    defined,
    dtype_reduces,
    expected_index_reduce,
    operands,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    to_numbers,
    to_paddle,
)

import paddle

ALIASES = {
    'sum': 'sum',
    'add': 'sum',
    'mul': 'mul',
    'multiply': 'mul',
    'prod': 'mul',
    'mean': 'mean',
    'amax': 'amax',
    'amin': 'amin',
}
# Those with a CPU kernel of the operator scatter.
OLD_DTYPES = ('float32', 'float64', 'int32', 'int64')
NEW_DTYPES = tuple(d for d in ALL_DTYPES if d not in OLD_DTYPES)


class TestScatterValues(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(8)

    def check(self, out, arrays, attrs, dtype):
        expected = expected_index_reduce(*arrays, *attrs, dtype)
        if expected.dtype != arrays[0].dtype:  # bfloat16 in float32
            np.testing.assert_allclose(
                to_numbers(out.numpy(), dtype), expected, 1e-2, 1e-2
            )
        elif expected.dtype.kind in 'bi' or attrs[1] == 'assign':
            assert_same_bits(out, expected)
        else:
            rtol = {'float16': 1e-3, 'float64': 1e-14}.get(dtype, 1e-5)
            np.testing.assert_allclose(out.numpy(), expected, rtol, rtol)

    def test_every_case_and_alias(self):
        for name, x_shape, axis, index, updates_shape in cases():
            for alias, reduce in ALIASES.items():
                arrays = (
                    operands(self.rng, x_shape, reduce),
                    index,
                    operands(self.rng, updates_shape, reduce),
                )
                for include_self in (True, False):
                    attrs = axis, reduce, include_self
                    out = paddle.scatter(
                        *map(to_paddle, arrays),
                        overwrite=False,
                        axis=axis,
                        reduce=alias,
                        include_self=include_self,
                    )
                    with self.subTest(case=name, alias=alias, attrs=attrs):
                        self.check(out, arrays, attrs, 'float64')

    def test_overwriting_along_every_axis(self):
        for name, x_shape, axis, index, updates_shape in cases():
            x = random_array(self.rng, x_shape, 'float32')
            updates = random_array(self.rng, updates_shape, 'float32')
            arrays = x, index, updates
            out = paddle.scatter(*map(to_paddle, arrays), axis=axis)
            with self.subTest(case=name):
                self.check(out, arrays, (axis, 'assign', True), 'float32')

    def test_dtypes_that_scatter_lacked(self):
        index = np.array([1, 1, 0, -1])
        for dtype in NEW_DTYPES:
            arrays = (
                operands(self.rng, (5, 4), 'sum', dtype),
                index,
                operands(self.rng, (4, 4), 'sum', dtype),
            )
            tensors = [to_paddle(array) for array in arrays]
            for overwrite, reduce in ((True, 'assign'), (False, 'sum')):
                attrs = 0, reduce, False
                with self.subTest(dtype=dtype, overwrite=overwrite):
                    out = paddle.scatter(*tensors, overwrite=overwrite)
                    self.check(out, arrays, attrs, dtype)
                    x = tensors[0].clone()
                    result = paddle.scatter_(x, *tensors[1:], overwrite)
                    self.assertIs(result, x)
                    assert_same_bits(x, out.numpy())

    def test_every_dtype_with_arguments(self):
        index = np.array([1, 1, 0, -1], 'int32')
        for dtype, reduce in dtype_reduces():
            if reduce == 'assign':
                continue
            arrays = (
                operands(self.rng, (3, 5), reduce, dtype),
                index,
                operands(self.rng, (3, 4), reduce, dtype),
            )
            out = paddle.scatter(
                *map(to_paddle, arrays), False, 1, reduce, True
            )
            with self.subTest(dtype=dtype, reduce=reduce):
                self.assertTrue(defined(reduce, dtype))
                self.check(out, arrays, (1, reduce, True), dtype)

    def test_methods_and_in_place_forms(self):
        arrays = (
            operands(self.rng, (3, 5), 'mean'),
            np.array([1, 1, 4]),
            operands(self.rng, (3, 3), 'mean'),
        )
        attrs = 1, 'mean', True
        x, index, updates = map(to_paddle, arrays)
        named = {'axis': 1, 'reduce': 'mean', 'include_self': True}
        outs = (
            x.scatter(index, updates, False, *attrs),
            x.scatter(index, updates, overwrite=False, **named),
            paddle.scatter(
                x=x, index=index, updates=updates, overwrite=False, **named
            ),
            paddle.tensor.scatter(x, index, updates, False, *attrs, 'name'),
            x.clone().scatter_(index, updates, False, *attrs),
            paddle.scatter_(x.clone(), index, updates, False, **named),
            paddle.scatter_(x.clone(), index, updates, False, *attrs, 'name'),
        )
        for i, out in enumerate(outs):
            with self.subTest(i=i):
                self.check(out, arrays, attrs, 'float64')

    def test_out(self):
        x, index = paddle.ones([3]), paddle.to_tensor([0, 0])
        updates = paddle.to_tensor([2.0, 3.0])
        target = paddle.zeros([3])
        result = paddle.scatter(
            x, index, updates, False, reduce='prod', out=target
        )
        self.assertEqual(result.tolist(), [6.0, 1.0, 1.0])
        self.assertEqual(target.tolist(), [6.0, 1.0, 1.0])
        result = paddle.scatter(
            x, index, updates, False, 0, 'sum', True, None, target
        )
        self.assertEqual(target.tolist(), [6.0, 1.0, 1.0])
        self.assertEqual(result.tolist(), [6.0, 1.0, 1.0])

    def test_axis_may_be_a_numpy_integer(self):
        x, updates = paddle.zeros([2, 3]), paddle.ones([2, 1])
        index = paddle.to_tensor([2])
        out = paddle.scatter(x, index, updates, axis=np.int64(1))
        self.assertEqual(out.tolist(), [[0, 0, 1], [0, 0, 1]])

    def test_gradients(self):
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 0.0]], stop_gradient=False)
        updates = paddle.to_tensor([[4.0, 5.0], [0.0, 7.0]])
        updates.stop_gradient = False
        index = paddle.to_tensor([1, 1])
        out = paddle.scatter(x, index, updates, False, 1, 'mul', True)
        out.sum().backward()
        self.assertEqual(out.tolist(), [[1.0, 40.0], [3.0, 0.0]])
        self.assertEqual(x.grad.tolist(), [[1.0, 20.0], [1.0, 0.0]])
        self.assertEqual(updates.grad.tolist(), [[10.0, 8.0], [0.0, 0.0]])

    def test_the_update_that_wins_has_the_gradient(self):
        index = np.array([1, 0, -3, 1])
        out_grad = random_array(self.rng, (4, 3), 'float64')
        x, updates = paddle.zeros([4, 3]), paddle.ones([5, 3])
        x, updates = x.astype('float64'), updates.astype('float64')
        x.stop_gradient = updates.stop_gradient = False
        out = paddle.scatter(x, paddle.to_tensor(index), updates)
        grads = paddle.grad([out], [x, updates], paddle.to_tensor(out_grad))
        updates_grad = np.zeros((5, 3))
        updates_grad[:4] = out_grad[index]
        if paddle.get_device() == 'cpu':  # a GPU has the kernel of the base
            updates_grad[[0, 2]] = 0
        assert_same_bits(grads[1].numpy()[:4], updates_grad[:4])
        out_grad[[0, 1]] = 0
        assert_same_bits(grads[0], out_grad)

    def test_signatures_tell_the_arguments(self):
        for function, last in (
            (paddle.scatter, ['name', 'out']),
            (paddle.scatter_, ['name']),
        ):
            parameters = inspect.signature(function).parameters
            first = ['x', 'index', 'updates', 'overwrite', 'axis', 'reduce']
            self.assertEqual(list(parameters), [*first, 'include_self', *last])
            self.assertEqual(
                [parameters[name].default for name in first[3:]],
                [True, 0, 'sum'],
            )
            self.assertIs(parameters['include_self'].default, False)


class TestScatterAmp(unittest.TestCase):
    def test_auto_cast_treats_the_operators_alike(self):
        for lists in (
            paddle.amp.amp_lists.white_list(),
            paddle.amp.amp_lists.black_list(),
        ):
            for dtype, levels in lists.items():
                for level, names in levels.items():
                    for operator in OPERATORS:
                        with self.subTest(operator=operator, level=level):
                            self.assertEqual(
                                operator in names, 'scatter' in names, dtype
                            )
        black = paddle.amp.amp_lists.black_list()['float16']['O1']
        self.assertLessEqual(set(OPERATORS), set(black))


if __name__ == '__main__':
    unittest.main()
