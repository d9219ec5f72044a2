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

import unittest
from itertools import product

import numpy as np
from op_test import OpTest, skip_check_grad_ci

import paddle
from paddle import _C_ops

# numpy.uint16 represents bfloat16.
INT_DTYPES = [np.uint8, np.int8, np.int16, np.int32, np.int64]
COMPLEX_DTYPES = [np.complex64, np.complex128]
GRAD_DTYPES = [np.float16, np.uint16, np.float32, np.float64, *COMPLEX_DTYPES]
RTOL = dict(zip(GRAD_DTYPES, [1e-3, 1e-2, 1e-5, 1e-12, 1e-5, 1e-12]))
UFUNCS = {'mul': np.multiply, 'amax': np.maximum, 'amin': np.minimum}


def random_bits(shape, dtype):
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array = np.frombuffer(np.random.bytes(count), dtype)
    return array.reshape(shape).copy()


def random_array(shape, dtype, values=None):
    """Draw factors whose products neither overflow nor vanish, and `values`."""
    if dtype in INT_DTYPES:
        return random_bits(shape, dtype)
    signs = np.random.choice([-1.0, 1.0], shape)
    array = signs * np.random.uniform(0.8, 1.25, shape)
    if values is not None:
        array = np.random.choice([0.5, 1.0, 1.1, -0.7, 1.3], shape)
        special = np.random.random(shape) < 0.1
        array = np.where(special, np.random.choice(values, shape), array)
    if dtype in COMPLEX_DTYPES:
        array = array * np.exp(1j * np.random.random(shape))
    return narrow(array, dtype)


def widen(array):
    """Convert to the accumulation type."""
    if array.dtype == np.uint16:
        return (array.astype('uint32') << 16).view('float32')
    return array.astype('float32') if array.dtype == np.float16 else array


def narrow(array, dtype):
    if dtype == np.uint16:
        return paddle.to_tensor(array, 'float32').astype('bfloat16').numpy()
    return array.astype(dtype)


def reference(x, index, updates, axis, reduce, include_self):
    out = np.moveaxis(widen(x), axis, 0).copy()
    rows = np.moveaxis(widen(updates), axis, 0)
    slices = index % max(len(out), 1)
    if not include_self:
        touched, first = np.unique(slices, return_index=True)
        out[touched] = rows[first]
        slices, rows = (np.delete(a, first, 0) for a in [slices, rows])
    UFUNCS[reduce].at(out, slices, rows)
    return narrow(np.moveaxis(out, 0, axis).copy(), x.dtype)


def shares(rows, reduce):
    """Return the derivative of the reduction with respect to each row."""
    if reduce == 'mul':
        ones = np.ones_like(rows[:1])
        before = np.cumprod(np.concatenate([ones, rows[:-1]]), 0)
        after = np.cumprod(np.concatenate([ones, rows[:0:-1]]), 0)[::-1]
        return np.conj(before * after)
    best = UFUNCS[reduce].reduce(rows)
    ties = (rows == best) | (np.isnan(rows) & np.isnan(best))
    return ties / ties.sum(0)


def grad_reference(x, index, updates, out_grad, axis, reduce, include_self):
    """Compute the gradients of x and updates in double precision."""
    wide = np.result_type(np.float64, widen(x))
    x, updates, x_grad = (
        np.moveaxis(widen(a).astype(wide), axis, 0)
        for a in [x, updates, out_grad]
    )
    updates_grad = np.empty_like(updates)
    slices = index % len(x)
    for s in np.unique(slices):
        at = np.flatnonzero(slices == s)
        rows = np.concatenate([x[[s]][:include_self], updates[at]])
        grads = shares(rows, reduce) * x_grad[s]
        updates_grad[at] = grads[include_self:]
        x_grad[s] = grads[0] if include_self else 0
    return [np.moveaxis(grad, 0, axis) for grad in [x_grad, updates_grad]]


def shape_of_updates(x_shape, axis, length):
    shape = list(x_shape)
    shape[axis] = length
    return shape


def index_reduce(x, index, updates, axis, reduce, include_self):
    return _C_ops.index_reduce(x, index, updates, axis, reduce, include_self)


class TestIndexReduceOp(OpTest):
    x_shape, axis, length = (14, 11), 0, 15
    reduce, include_self = 'mul', True

    def setUp(self):
        self.op_type = 'index_reduce'
        self.python_api = index_reduce
        self.init_dtype()
        size = self.x_shape[self.axis]
        updates_shape = shape_of_updates(self.x_shape, self.axis, self.length)
        self.inputs = {
            'x': random_array(self.x_shape, self.dtype),
            'index': np.random.randint(-size, size, self.length),
            'updates': random_array(updates_shape, self.dtype),
        }
        self.attrs = {
            'axis': self.axis,
            'reduce': self.reduce,
            'include_self': self.include_self,
        }
        out = reference(*self.inputs.values(), *self.attrs.values())
        self.outputs = {'out': out}

    def init_dtype(self):
        self.dtype = np.float64

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'updates'], 'out', check_pir=True)


class TestIndexReduceAmax(TestIndexReduceOp):
    reduce = 'amax'


class TestIndexReduceFP16(TestIndexReduceOp):
    def init_dtype(self):
        self.dtype = np.float16


class TestIndexReduceBF16(TestIndexReduceOp):
    def init_dtype(self):
        self.dtype = np.uint16


class TestIndexReduceComplex64(TestIndexReduceOp):
    def init_dtype(self):
        self.dtype = np.complex64


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestIndexReduceInt32(TestIndexReduceOp):
    test_check_grad = None

    def init_dtype(self):
        self.dtype = np.int32


# (shape of x, axis, length of the index). They select the CPU algorithm.
SIZES = [
    ([1], 0, 3),
    ([50], 0, 70),
    ([19, 75], 1, 101),  # tiles of 8 rows and 64 columns
    ([9, 70], 1, 4200),  # more than 4096 index entries
    ([9, 900], -1, 100),
    ([90, 5], 0, 150),  # short rows
    ([7, 20, 3], 1, 30),
    ([40, 70], 0, 300),  # segments
    ([3, 30, 90], -2, 25),
    ([6, 2500], 0, 20),
    ([700, 80], 0, 9),  # sparse index
]
# Sizes for several threads.
LARGE_SIZES = [
    ([3, 600, 9], 1, 2003),
    ([600, 100], 0, 90),
    ([33, 700], 1, 700),
    ([3, 7500], 0, 60),
]
REDUCES = [*product(['mul', 'amax', 'amin'], [True, False])]


class TestIndexReduceSizes(unittest.TestCase):
    def setUp(self):
        np.random.seed(2026)
        self.threads = [1]
        self.addCleanup(paddle.base.core.set_num_threads, 1)

    def random_index(self, size, length):
        """Draw duplicates; at least a quarter of the slices has no update."""
        num_slices = max(1, min(size * 3 // 4, length // 2))
        index = np.random.choice(
            np.random.permutation(size)[:num_slices], length
        )
        num_negative = np.random.choice([0, 1, length])
        index[:num_negative] -= size
        return index.astype(np.random.choice(['int32', 'int64']))

    def check_output(self, out, expected, rest):
        out = out.numpy()
        self.assertEqual(out.dtype, expected.dtype)
        # NaN payloads are preserved.
        self.assertEqual(out[rest].tobytes(), expected[rest].tobytes())
        rtol = RTOL[out.dtype.type] if np.iscomplexobj(out) else 0
        np.testing.assert_allclose(
            widen(out[~rest]), widen(expected[~rest]), rtol
        )

    def check(self, dtype, size, *attrs):
        shape, axis, length = size
        values = [0.0] if attrs[0] == 'mul' else [np.nan, np.inf, -np.inf]
        index = self.random_index(shape[axis], length)
        updates = random_array(shape_of_updates(*size), dtype, values)
        x = random_bits(shape, dtype)
        touched = (slice(None),) * (axis % len(shape)) + (np.unique(index),)
        x[touched] = random_array(x[touched].shape, dtype, values)
        out_grad = random_array(shape, dtype)
        rest = np.ones(shape, bool)
        rest[touched] = False
        with np.errstate(all='ignore'):
            expected = reference(x, index, updates, axis, *attrs)
            expected[rest] = x[rest]
            if dtype in GRAD_DTYPES:
                expected_grads = grad_reference(
                    x, index, updates, out_grad, axis, *attrs
                )
        for threads in self.threads:
            paddle.base.core.set_num_threads(threads)
            tensors = [paddle.to_tensor(a) for a in [x, index, updates]]
            for tensor in tensors[::2]:
                tensor.stop_gradient = dtype not in GRAD_DTYPES
            out = _C_ops.index_reduce(*tensors, axis, *attrs)
            self.check_output(out, expected, rest)
            self.assertEqual(tensors[0].numpy().tobytes(), x.tobytes())
            for wrt in [[0, 2], [0], [2]] if dtype in GRAD_DTYPES else []:
                inputs = [tensors[i] for i in wrt]
                grad = paddle.to_tensor(out_grad)
                grads = paddle.grad(out, inputs, grad, retain_graph=True)
                for i, grad in zip(wrt, grads):
                    self.assertEqual(grad.dtype, out.dtype)
                    np.testing.assert_allclose(
                        widen(grad.numpy()),
                        expected_grads[i // 2],
                        RTOL[dtype],
                        1e-5 if dtype in GRAD_DTYPES[:2] else 1e-12,
                    )
            with paddle.no_grad():
                out = _C_ops.index_reduce_(*tensors, axis, *attrs)
            self.assertIs(out, tensors[0])
            self.check_output(out, expected, rest)

    def check_all(self, dtypes, sizes):
        for dtype, size, attrs in product(dtypes, sizes, REDUCES):
            if attrs[0] == 'mul' or dtype not in COMPLEX_DTYPES:
                with self.subTest(dtype=dtype, size=size, attrs=attrs):
                    self.check(dtype, size, *attrs)

    def test_dtypes_and_sizes(self):
        self.check_all([*INT_DTYPES, *GRAD_DTYPES], SIZES)

    def test_multithreaded(self):
        self.threads = [1, 2]
        self.check_all([np.float32, np.uint16], LARGE_SIZES)


class TestIndexReduceValues(unittest.TestCase):
    def run_with_grads(self, x, updates, reduce, dtype='float64'):
        x, updates = (
            paddle.to_tensor(x, dtype),
            paddle.to_tensor(updates, dtype),
        )
        x.stop_gradient = updates.stop_gradient = False
        index = paddle.zeros([len(updates)], 'int64')
        out = _C_ops.index_reduce(x, index, updates, 0, reduce, True)
        grads = paddle.grad(out.astype('float64').sum(), [x, updates])
        return [grad.astype('float64').numpy() for grad in grads]

    def test_grad_of_products_with_infinity(self):
        grads = self.run_with_grads([2.0], [np.inf, 4.0], 'mul')
        self.assertEqual(np.concatenate(grads).tolist(), [np.inf, 8, np.inf])
        grads = self.run_with_grads([1e200], [1e200, 2e-200], 'mul')
        self.assertEqual(np.concatenate(grads).tolist(), [2, 2, np.inf])

    def test_grad_of_long_products_in_half_precision(self):
        updates = np.ones([1100, 1000], 'float32')
        updates[5, ::2] = 2.0
        updates[1000] = 0.5
        expected = updates.prod(0) / updates
        for dtype in ['float16', 'bfloat16']:
            x = np.ones([1, 1000], 'float32')
            grads = self.run_with_grads(x, updates, 'mul', dtype)
            self.assertTrue((grads[1] == expected).all())

    def test_invalid_reduce_raises(self):
        x, index = paddle.ones([4, 3]), paddle.to_tensor([0])
        for reduce in ['', 'MUL', 'sum', 'mean']:
            message = f"reduce should be mul, amax or amin.*'{reduce}'"
            with self.assertRaisesRegex(ValueError, message):
                _C_ops.index_reduce(x, index, x[:1], 0, reduce, True)


if __name__ == '__main__':
    unittest.main()
