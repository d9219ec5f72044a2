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
"""Where masked_scatter, select_scatter and diagonal_scatter have no kernels.

XPU and custom devices get compositions of other operators. They are run here on
a CPU that is said to have no kernels, and held to what the kernels give.
"""

import contextlib
import unittest
from unittest import mock

import numpy as np
from masked_scatter_cases import cases as masked_cases
from masked_scatter_cases import count_true
from scatter_graph_utils import run_static, static_mode
from scatter_test_utils import assert_same_bits
from view_scatter_cases import DIAGONAL, SELECT, random_pair

import paddle
from paddle.base import core
from paddle.tensor import manipulation

ALL_DTYPES = (
    'bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
    'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip
# Those of paddle.where and paddle.gather on a CPU.
MASKED_DTYPES = (
    'bool', 'int32', 'int64', 'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip


def whole_numbers(rng, shape):
    """Numbers whose cubes are summed without rounding, in any order."""
    return rng.integers(-9, 10, shape).astype('float64')


@contextlib.contextmanager
def no_kernels():
    """A place without the kernels, and proof that they are not called."""
    hidden = mock.DEFAULT
    with (
        mock.patch.object(
            manipulation, '_has_scatter_kernels', return_value=False
        ),
        mock.patch.multiple(
            manipulation._C_ops,
            masked_scatter=hidden,
            masked_scatter_=hidden,
            select_scatter=hidden,
            diagonal_scatter=hidden,
            index_scatter=hidden,
            index_reduce=hidden,
        ) as operators,
    ):
        yield
    for operator in operators.values():
        operator.assert_not_called()


def run_dygraph(function, arrays, grads_of=()):
    """The output, and the gradients of the sum of its cubes."""
    inputs = {
        name: paddle.to_tensor(array, stop_gradient=name not in grads_of)
        for name, array in arrays.items()
    }
    out = function(*inputs.values())
    if not grads_of:
        return [out.numpy()]
    wanted = [inputs[name] for name in grads_of]
    grads = paddle.grad([(out * out * out).sum()], wanted)
    return [out.numpy(), *(grad.numpy() for grad in grads)]


def masked_scatter(x, mask, value):
    return paddle.masked_scatter(x, mask, value)


def masked_scatter_inplace(x, mask, value):
    x = x * 1  # a leaf can't be changed in place
    out = paddle.masked_scatter_(x, mask, value)
    assert out is x
    return out


class ComposedTest(unittest.TestCase):
    def both(self, run, function, *arguments, name=''):
        expected = run(function, *arguments)
        with no_kernels():
            actual = run(function, *arguments)
        self.assertEqual(len(actual), len(expected))
        for got, wanted in zip(actual, expected):
            assert_same_bits(np.asarray(got), np.asarray(wanted), name)


class TestMaskedScatter(ComposedTest):
    def arrays(self, x_shape, mask, value_shape):
        rng = np.random.default_rng(1)
        x, value = (whole_numbers(rng, s) for s in (x_shape, value_shape))
        return {'x': x, 'mask': mask, 'value': value}

    def test_values_and_gradients(self):
        for name, *shapes in masked_cases():
            arrays = self.arrays(*shapes)
            grads_of = ('x', 'value')
            with self.subTest(name):
                self.both(run_dygraph, masked_scatter, arrays, grads_of)

    def test_in_place(self):
        for name, x_shape, mask, value_shape in masked_cases():
            if np.broadcast_shapes(x_shape, mask.shape) != x_shape:
                continue
            arrays = self.arrays(x_shape, mask, value_shape)
            with self.subTest(name):
                self.both(
                    run_dygraph,
                    masked_scatter_inplace,
                    arrays,
                    ('x', 'value'),
                )

    def test_graph(self):
        for name, x_shape, mask, value_shape in masked_cases():
            if 0 in x_shape + mask.shape + value_shape or x_shape == ():
                continue
            arrays = self.arrays(x_shape, mask, value_shape)
            for known in (True, False):
                with self.subTest(name, known_dims=known):
                    self.both(
                        run_static,
                        masked_scatter,
                        arrays,
                        ('x', 'value'),
                        known,
                    )

    def test_dtypes(self):
        rng = np.random.default_rng(2)
        x, value = rng.random((2, 5, 7)) * 9 - 4
        mask = rng.random((5, 7)) < 0.5

        for dtype in MASKED_DTYPES:

            def function(x, mask, value, dtype=dtype):
                return paddle.masked_scatter(
                    x.astype(dtype), mask, value.astype(dtype)
                )

            arrays = {'x': x, 'mask': mask, 'value': value}
            self.both(run_dygraph, function, arrays, name=dtype)

    def test_too_few_values(self):
        for name, x_shape, mask, _ in masked_cases():
            wanted = count_true(x_shape, mask)
            if wanted == 0:
                continue
            arrays = self.arrays(x_shape, mask, (wanted - 1,))
            text = f'{wanted} expected, but value has {wanted - 1}'
            with self.subTest(name), no_kernels():
                with self.assertRaisesRegex(AssertionError, text):
                    run_dygraph(masked_scatter, arrays)

    def test_x_is_unchanged_after_an_error_in_place(self):
        x = paddle.zeros([3])
        mask = paddle.to_tensor([True, False, True])
        with no_kernels(), self.assertRaises(AssertionError):
            paddle.masked_scatter_(x, mask, paddle.ones([1]))
        self.assertEqual(x.tolist(), [0.0, 0.0, 0.0])

    def test_wrong_arguments_are_refused_as_before(self):
        x, mask = paddle.zeros([3]), paddle.ones([3], 'bool')
        with no_kernels():
            with self.assertRaises(AssertionError):
                paddle.masked_scatter(x, x, x)
            with self.assertRaises(AssertionError):
                paddle.masked_scatter(x, mask, mask)
            with self.assertRaises(ValueError):
                paddle.masked_scatter(x, paddle.ones([2], 'bool'), x)
            with self.assertRaises(TypeError):
                paddle.masked_scatter([1.0], mask, x)


class ViewTests:
    """select_scatter and diagonal_scatter, as `op` says."""

    def arrays(self, x_shape, attributes):
        rng = np.random.default_rng(3)
        make = lambda shape: whole_numbers(rng, shape)  # noqa: E731
        pair = random_pair(self.op, make, x_shape, attributes)
        return self.op.named(*pair)

    def test_values_and_gradients(self):
        for name, x_shape, attributes in self.op.cases:
            arrays = self.arrays(x_shape, attributes)
            function = self.op.call(*attributes)
            with self.subTest(name):
                self.both(run_dygraph, function, arrays, tuple(arrays))

    def test_graph(self):
        for name, x_shape, attributes in self.op.cases:
            arrays = self.arrays(x_shape, attributes)
            if 0 in arrays['x'].shape + arrays[self.op.values_name].shape:
                continue
            function = self.op.call(*attributes)
            for known in (True, False):
                with self.subTest(name, known_dims=known):
                    self.both(
                        run_static, function, arrays, tuple(arrays), known
                    )

    def test_dtypes(self):
        attributes = self.op.cases[2][2]
        arrays = self.arrays((5, 7), attributes)
        for dtype in ALL_DTYPES:

            def function(x, values, dtype=dtype):
                x, values = (t.astype(dtype) for t in (x, values))
                return self.op.function(x, values, *attributes)

            self.both(run_dygraph, function, arrays, name=dtype)

    def test_the_result_is_a_copy(self):
        for name, x_shape, attributes in self.op.cases:
            tensors = [
                paddle.to_tensor(array)
                for array in self.arrays(x_shape, attributes).values()
            ]
            before = tensors[0].numpy().copy()
            with no_kernels():
                out = self.op.function(*tensors, *attributes)
            out.zero_()
            assert_same_bits(tensors[0].numpy(), before, name)


class TestSelectScatter(ViewTests, ComposedTest):
    op = SELECT

    def test_values_are_cast(self):
        x, values = paddle.zeros([2, 3], 'int32'), paddle.to_tensor([1.5, -2.5])
        with no_kernels():
            out = paddle.select_scatter(x, values, 1, 0)
        self.assertEqual(out.tolist(), [[1, 0, 0], [-2, 0, 0]])

    def test_wrong_arguments_are_refused_as_before(self):
        x = paddle.zeros([2, 3])
        with no_kernels():
            for axis, index in ((2, 0), (-3, 0), (1, 3), (1, -4)):
                with self.assertRaises(IndexError):
                    paddle.select_scatter(x, x[:, 0], axis, index)
            with self.assertRaises(RuntimeError):
                paddle.select_scatter(x, x[0], 1, 0)
            with self.assertRaises(TypeError):
                paddle.select_scatter(x, 1.0, 1, 0)


class TestDiagonalScatter(ViewTests, ComposedTest):
    op = DIAGONAL

    def test_only_the_rows_and_columns_need_be_known(self):
        program = paddle.static.Program()
        with static_mode(), no_kernels():
            with paddle.static.program_guard(program):
                x = paddle.static.data('x', [-1, -1, 3, 4])
                y = paddle.static.data('y', [-1, -1, 3])
                out = paddle.diagonal_scatter(x, y, 0, 2, 3)
            self.assertEqual(list(out.shape), [-1, -1, 3, 4])

    def test_wrong_arguments_are_refused_as_before(self):
        x = paddle.zeros([2, 3])
        with no_kernels():
            with self.assertRaises(ValueError):
                paddle.diagonal_scatter(x, paddle.zeros([2], 'int32'))
            with self.assertRaises(AssertionError):
                paddle.diagonal_scatter(x, paddle.zeros([3]))
            with self.assertRaises(AssertionError):
                paddle.diagonal_scatter(x, paddle.zeros([2]), 0, 1, -1)
            with self.assertRaises(TypeError):
                paddle.diagonal_scatter(x, 1.0)


class TestScatter(ComposedTest):
    def inputs(self):
        rng = np.random.default_rng(4)
        x, updates = whole_numbers(rng, (2, 5, 5))
        return {'x': x, 'index': np.array([4, 0, 4]), 'updates': updates}

    def test_what_the_scatter_operator_serves_goes_on(self):
        for how in (
            {},
            {'overwrite': False},
            {'overwrite': False, 'reduce': 'add'},
            {'axis': 0},
        ):

            def function(x, index, updates, how=how):
                return paddle.scatter(x, index, updates, **how)

            arrays = self.inputs()
            self.both(run_dygraph, function, arrays, name=str(how))
            self.both(run_static, function, arrays, name=str(how))

    def test_the_rest_is_refused_by_the_name_of_the_place(self):
        arrays = self.inputs()
        arguments = [paddle.to_tensor(array) for array in arrays.values()]
        before = arguments[0].numpy().copy()
        for how in (
            {'axis': 1},
            {'overwrite': False, 'reduce': 'mean'},
            {'overwrite': False, 'reduce': 'amax'},
            {'overwrite': False, 'include_self': True},
        ):
            for function in (paddle.scatter, paddle.scatter_):
                text = rf'{function.__name__}: on .*Place.* only axis=0'
                with self.subTest(function=function.__name__, **how):
                    with (
                        no_kernels(),
                        self.assertRaisesRegex(NotImplementedError, text),
                    ):
                        function(*arguments, **how)
        assert_same_bits(arguments[0].numpy(), before)


class TestPlaces(unittest.TestCase):
    def served(self, place):
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            # twice: the second answer is remembered
            first = manipulation._has_scatter_kernels()
            self.assertIs(manipulation._has_scatter_kernels(), first)
        return first

    def test_cpu_has_kernels(self):
        self.assertTrue(self.served(core.CPUPlace()))

    def test_gpu_has_kernels(self):
        if not core.is_compiled_with_cuda():
            self.skipTest('needs CUDA')
        self.assertTrue(self.served(core.CUDAPlace(0)))
        self.assertTrue(self.served(core.CUDAPinnedPlace()))

    def test_other_places_have_none_until_the_place_changes(self):
        # the places of other devices can be made in their builds only
        class XPUPlace:
            pass

        self.assertFalse(self.served(XPUPlace()))
        self.assertTrue(self.served(core.CPUPlace()))


if __name__ == '__main__':
    unittest.main()
