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

"""On every path that leads to the operator masked_fill, our kernels run.

The kernels of Paddle 3.3.1 gave a wrong gradient of a value that is broadcast:
0 for one element, and 0 for the first of a row. A right one is a sign of ours.
"""

import unittest

import numpy as np
from scatter_graph_utils import (
    assert_python_succeeds,
    run_predictor,
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import ALL_DTYPES, assert_same_bits

import paddle
import paddle.distributed as dist

try:
    from paddle import _native_lib
except ImportError:
    raise unittest.SkipTest(
        'the kernels are compiled into this Paddle, so nothing is taken over'
    ) from None

# True on 6 of 12 elements
MASK = np.array([[True, False, True, False]] * 3)
OUT_GRAD = np.arange(12, dtype='float32').reshape(3, 4)
VALUE_GRADS = (
    ((), 30.0),
    ((1,), [30.0]),
    ((4,), [12.0, 0.0, 18.0, 0.0]),
    ((3, 1), [[2.0], [10.0], [18.0]]),
)


def leaf(shape, dtype='float32'):
    tensor = paddle.ones(shape, dtype)
    tensor.stop_gradient = False
    return tensor


def arrays_of(value_shape):
    return {
        'x': np.ones((3, 4), 'float32'),
        'mask': MASK,
        'value': np.full(value_shape, 2, 'float32'),
    }


class TestMaskedFillKernelsTaken(unittest.TestCase):
    def test_every_dtype_is_taken_over(self):
        taken = _native_lib.taken_kernels()
        for op in ('masked_fill', 'masked_fill_grad'):
            self.assertEqual(sorted(taken[op]), sorted(ALL_DTYPES))

    def test_kernels_fit_their_own_operator_only(self):
        for op in ('masked_fill', 'masked_fill_grad'):
            self.assertEqual(_native_lib.kernel_misfit(op, op), '')
            for other in ('scale', 'where', 'no_such_operator'):
                self.assertTrue(_native_lib.kernel_misfit(other, op))
        self.assertTrue(
            _native_lib.kernel_misfit('masked_fill', 'masked_fill_grad')
        )


class TestMaskedFillDynamicPaths(unittest.TestCase):
    def check(self, function, dtype='float32', out_dtype=None):
        for shape, expected in VALUE_GRADS:
            x, value = leaf([3, 4], dtype), leaf(shape, dtype)
            out = function(x, paddle.to_tensor(MASK), value)
            out.backward(paddle.to_tensor(OUT_GRAD).astype(out.dtype))
            with self.subTest(value=shape, dtype=dtype):
                self.assertEqual(out.dtype, x.dtype)
                self.assertEqual(
                    value.grad.astype('float32').tolist(), expected
                )
                self.assertEqual(
                    x.grad.astype('float32').tolist(),
                    np.where(MASK, 0, OUT_GRAD).tolist(),
                )

    def test_functions(self):
        self.check(paddle.masked_fill)
        self.check(paddle.Tensor.masked_fill)
        self.check(lambda x, *rest: paddle.masked_fill_(x * 1, *rest))

    def test_operator_itself(self):
        self.check(paddle._C_ops.masked_fill)
        self.check(lambda x, *rest: paddle._C_ops.masked_fill_(x * 1, *rest))

    def test_automatic_mixed_precision_keeps_the_dtype(self):
        for level in ('O1', 'O2'):
            for half in ('float16', 'bfloat16'):
                with paddle.amp.auto_cast(level=level, dtype=half):
                    self.check(paddle.masked_fill)
                    self.check(paddle.masked_fill, half)

    def test_check_of_every_result_finds_infinity_and_nan(self):
        x, mask = paddle.ones([3, 4]), paddle.to_tensor(MASK)
        paddle.set_flags({'FLAGS_check_nan_inf': 1})
        try:
            for bad in ('inf', 'nan'):
                with self.assertRaisesRegex(RuntimeError, 'INF'):
                    paddle.masked_fill(x, mask, float(bad))
            self.assertEqual(paddle.masked_fill(x, mask, 2.0).sum(), 18)
        finally:
            paddle.set_flags({'FLAGS_check_nan_inf': 0})

    def test_check_of_every_result_names_the_operator(self):
        x, mask = paddle.full([3, 4], float('inf')), paddle.to_tensor(MASK)
        paddle.set_flags({'FLAGS_check_nan_inf': 1})
        try:
            with self.assertRaisesRegex(RuntimeError, 'op=masked_fill'):
                paddle.masked_fill(x, mask, 2.0)
        finally:
            paddle.set_flags({'FLAGS_check_nan_inf': 0})


class TestMaskedFillDistributed(unittest.TestCase):
    """Distributed Tensors, on a mesh of one process."""

    def run_sharded(self, placement, value_shape):
        mesh = dist.ProcessMesh([0], dim_names=['x'])

        def shard(tensor, placement, stop_gradient=True):
            tensor = dist.shard_tensor(tensor, mesh, [placement])
            tensor.stop_gradient = stop_gradient
            return tensor

        x = shard(paddle.ones([3, 4]), placement, False)
        value = shard(paddle.ones(value_shape), dist.Replicate(), False)
        out = paddle.masked_fill(
            x, shard(paddle.to_tensor(MASK), placement), value
        )
        weights = shard(paddle.to_tensor(OUT_GRAD), placement)
        (out * weights).sum().backward()
        return out, x.grad, value.grad

    def test_gradients_and_placements(self):
        for placement in (dist.Shard(0), dist.Shard(1), dist.Replicate()):
            # a 0-D distributed value has no gradient in Paddle 3.3.1
            for shape, expected in VALUE_GRADS[1:]:
                out, x_grad, value_grad = self.run_sharded(placement, shape)
                with self.subTest(placement=placement, value=shape):
                    self.assertTrue(out.is_dist())
                    # the operator has no rule of its own: all is gathered
                    self.assertEqual(out.placements, [dist.Replicate()])
                    self.assertEqual(x_grad.placements, [placement])
                    self.assertEqual(value_grad.placements, [dist.Replicate()])
                    self.assertEqual(value_grad.numpy().tolist(), expected)
                    assert_same_bits(
                        x_grad.numpy(), np.where(MASK, 0, OUT_GRAD)
                    )


class TestMaskedFillGraphPaths(unittest.TestCase):
    def check(self, arrays, results):
        """The output, and the gradients of the sum of its cubes."""
        out, x_grad, value_grad = results
        slope = np.where(MASK, np.float32(12), np.float32(3))
        assert_same_bits(out, np.where(MASK, arrays['value'], arrays['x']))
        assert_same_bits(x_grad, np.where(MASK, np.float32(0), slope))
        shape = arrays['value'].shape
        expected = {(): 72.0, (1,): [72.0], (4,): [36.0, 0.0, 36.0, 0.0]}
        self.assertEqual(value_grad.tolist(), expected[shape])

    values = tuple(arrays_of(shape) for shape in ((), (1,), (4,)))

    def test_program(self):
        for arrays in self.values:
            for known in (True, False):
                self.check(
                    arrays,
                    run_static(
                        paddle.masked_fill, arrays, ('x', 'value'), known
                    ),
                )

    def test_traced_function(self):
        for arrays in self.values:
            for full_graph in (True, False):
                self.check(
                    arrays,
                    run_to_static(
                        paddle.masked_fill, arrays, full_graph, ('x', 'value')
                    ),
                )

    def test_saved_and_loaded_function_and_predictor(self):
        for arrays in self.values:
            with saved_function(paddle.masked_fill, arrays, False) as prefix:
                results = run_saved(prefix, arrays, ('x', 'value'))
                self.check(arrays, results)
                for ir_optim in (True, False):
                    predicted = run_predictor(prefix, arrays, ir_optim)
                    assert_same_bits(predicted, results[0])

    def test_old_static_graph(self):
        # of one shape, the gradients were right before
        assert_python_succeeds(
            '''
import numpy as np
import paddle
from scatter_graph_utils import run_static
if paddle.framework.use_pir_api():
    raise SystemExit('the flag had no effect')
if len(paddle._native_lib.taken_kernels()['masked_fill']) != 12:
    raise SystemExit('the kernels are Paddle\\'s own')
mask = np.array([[True, False, True, False]] * 3)
arrays = {'x': np.ones((3, 4)), 'mask': mask, 'value': np.full((3, 4), 2.0)}
out, *grads = run_static(paddle.masked_fill, arrays, ('x', 'value'))
np.testing.assert_array_equal(out, np.where(mask, 2.0, 1.0))
np.testing.assert_array_equal(grads[0], np.where(mask, 0.0, 3.0))
np.testing.assert_array_equal(grads[1], np.where(mask, 12.0, 0.0))
''',
            FLAGS_enable_pir_api='0',
        )


if __name__ == '__main__':
    unittest.main()
