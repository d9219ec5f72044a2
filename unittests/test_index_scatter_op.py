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
ALL_DTYPES = [np.bool_, *INT_DTYPES, *GRAD_DTYPES]


def random_bits(shape, dtype):
    if dtype == np.bool_:
        return np.random.random(shape) < 0.5
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    array = np.frombuffer(np.random.bytes(count), dtype)
    return array.reshape(shape).copy()


def random_array(shape, dtype):
    if dtype in [np.bool_, *INT_DTYPES]:
        return random_bits(shape, dtype)
    array = np.random.standard_normal(shape)
    array[np.random.random(shape) < 0.1] = -0.0
    if dtype in COMPLEX_DTYPES:
        array = array + 1j * np.random.standard_normal(shape)
    return narrow(array, dtype)


def widen(array, reduce):
    """Convert to the accumulation type."""
    if array.dtype == np.uint16:
        return (array.astype('uint32') << 16).view('float32')
    if array.dtype == np.float16:
        return array.astype('float32')
    if array.dtype.kind in 'iu' and reduce == 'mean':
        return array.astype('int64')
    return array


def narrow(array, dtype):
    if dtype == np.uint16:
        return paddle.to_tensor(array, 'float32').astype('bfloat16').numpy()
    return array.astype(dtype)


def divide_by_counts(out, slices, counts):
    counts = counts[slices].reshape(-1, *[1] * (out.ndim - 1))
    divide = np.floor_divide if out.dtype == np.int64 else np.true_divide
    for part in [out.real, out.imag] if np.iscomplexobj(out) else [out]:
        part[slices] = divide(part[slices], counts.astype(part.dtype))


def reference(x, index, updates, axis, reduce, include_self):
    out = np.moveaxis(widen(x, reduce), axis, 0).copy()
    rows = np.moveaxis(widen(updates, reduce), axis, 0)
    slices = index % max(len(out), 1)
    if reduce == 'assign':
        out[slices] = rows
    else:
        if not include_self:
            out[slices] = 0
        np.add.at(out, slices, rows)
    if reduce == 'mean':
        counts = np.bincount(slices, minlength=len(out)) + include_self
        divide_by_counts(out, np.unique(slices), counts)
    return narrow(np.moveaxis(out, 0, axis).copy(), x.dtype)


def grad_reference(out_grad, index, axis, reduce, include_self):
    """Compute the gradients of x and updates."""
    x_grad = np.moveaxis(widen(out_grad, reduce), axis, 0).copy()
    slices = index % len(x_grad)
    if reduce == 'mean':
        counts = np.bincount(slices, minlength=len(x_grad)) + include_self
        divide_by_counts(x_grad, np.unique(slices), counts)
    updates_grad = x_grad[slices]
    if reduce == 'assign':
        last = {s: i for i, s in enumerate(slices)}
        lost = [i for i, s in enumerate(slices) if last[s] != i]
        updates_grad[lost] = 0
    if reduce == 'assign' or not include_self:
        x_grad[slices] = 0
    return [
        narrow(np.moveaxis(grad, 0, axis).copy(), out_grad.dtype)
        for grad in [x_grad, updates_grad]
    ]


def shape_of_updates(x_shape, axis, length):
    shape = list(x_shape)
    shape[axis] = length
    return shape


def index_scatter(x, index, updates, axis, reduce, include_self):
    return _C_ops.index_scatter(x, index, updates, axis, reduce, include_self)


class TestIndexScatterOp(OpTest):
    x_shape, axis, length = (14, 11), 0, 15
    reduce, include_self = 'sum', True

    def setUp(self):
        self.op_type = 'index_scatter'
        self.python_api = index_scatter
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


class TestIndexScatterAssign(TestIndexScatterOp):
    reduce = 'assign'


class TestIndexScatterMean(TestIndexScatterOp):
    reduce = 'mean'


class TestIndexScatterLastAxis(TestIndexScatterMean):
    x_shape, axis, length = (13, 9), 1, 15


class TestIndexScatterFP16(TestIndexScatterOp):
    def init_dtype(self):
        self.dtype = np.float16


class TestIndexScatterBF16(TestIndexScatterMean):
    def init_dtype(self):
        self.dtype = np.uint16


class TestIndexScatterComplex128(TestIndexScatterMean):
    def init_dtype(self):
        self.dtype = np.complex128


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestIndexScatterInt32(TestIndexScatterOp):
    test_check_grad = None

    def init_dtype(self):
        self.dtype = np.int32


# (shape of x, axis, length of the index). They select the CPU algorithm.
SIZES = [
    ([1], 0, 3),
    ([50], 0, 7),
    ([19, 150], 1, 201),  # tiles of 8 rows and 64 columns
    ([9, 70], 1, 4200),  # more than 4096 index entries
    ([3, 40], -1, 60),
    ([9, 900], 1, 100),
    ([500, 5], 0, 700),  # short rows
    ([7, 60, 3], 1, 90),
    ([40, 70], 0, 500),  # segments
    ([3, 30, 90], -2, 25),
    ([6, 2500], 0, 20),
    ([700, 80], 0, 9),  # sparse index
    ([700, 20], 0, 9),
]
# Sizes for several threads.
LARGE_SIZES = [
    ([3, 3000, 3], 1, 12003),
    ([9000, 5], 0, 12001),
    ([5300, 100], 0, 500),
    ([17, 1500], 1, 1500),
    ([50, 700], 0, 300),
    ([3, 7500], 0, 60),
]
ATTRS = [('assign', True), *product(['sum', 'mean'], [True, False])]


class TestIndexScatterSizes(unittest.TestCase):
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

    def assert_same_bits(self, out, expected):
        out = out.numpy()
        self.assertEqual(out.dtype, expected.dtype)
        self.assertEqual(out.shape, expected.shape)
        self.assertTrue(out.tobytes() == expected.tobytes())

    def check(self, dtype, size, *attrs):
        shape, axis, length = size
        index = self.random_index(shape[axis], length)
        updates = random_array(shape_of_updates(*size), dtype)
        # Slices without an update keep NaN payloads.
        x = random_bits(shape, dtype)
        touched = (slice(None),) * (axis % len(shape)) + (np.unique(index),)
        x[touched] = random_array(x[touched].shape, dtype)
        with np.errstate(all='ignore'):
            expected = reference(x, index, updates, axis, *attrs)
        rest = np.ones(shape, bool)
        rest[touched] = False
        expected[rest] = x[rest]
        out_grad = random_array(shape, dtype)
        if dtype != np.bool_:
            expected_grads = grad_reference(out_grad, index, axis, *attrs)
        for threads in self.threads:
            paddle.base.core.set_num_threads(threads)
            tensors = [paddle.to_tensor(a) for a in [x, index, updates]]
            for tensor in tensors[::2]:
                tensor.stop_gradient = dtype == np.bool_
            out = _C_ops.index_scatter(*tensors, axis, *attrs)
            self.assert_same_bits(out, expected)
            self.assert_same_bits(tensors[0], x)
            # Gradients do not read x and updates.
            with paddle.no_grad():
                result = _C_ops.index_scatter_(*tensors, axis, *attrs)
                tensors[2].zero_()
            self.assertIs(result, tensors[0])
            self.assert_same_bits(result, expected)
            for wrt in [] if dtype == np.bool_ else [[0, 2], [0], [2]]:
                inputs = [tensors[i] for i in wrt]
                grad = paddle.to_tensor(out_grad)
                grads = paddle.grad(out, inputs, grad, retain_graph=True)
                for i, grad in zip(wrt, grads):
                    self.assert_same_bits(grad, expected_grads[i // 2])

    def check_all(self, dtypes, sizes):
        for dtype, size, attrs in product(dtypes, sizes, ATTRS):
            if (dtype, attrs[0]) != (np.bool_, 'mean'):
                with self.subTest(dtype=dtype, size=size, attrs=attrs):
                    self.check(dtype, size, *attrs)

    def test_dtypes_and_sizes(self):
        self.check_all(ALL_DTYPES, SIZES)

    def test_multithreaded(self):
        self.threads = [1, 2]
        self.check_all([np.float32, np.uint16], LARGE_SIZES)

    def test_output_larger_than_the_caches(self):
        x = np.arange(70000 * 128, dtype='float32').reshape(70000, 128)
        for length in [100, 66000]:
            index = np.random.permutation(70000)[:length]
            expected, x_grad = x.copy(), x.copy()
            expected[index], x_grad[index] = x[:length], 0
            tensors = [paddle.to_tensor(a) for a in [x, index, x[:length]]]
            tensors[0].stop_gradient = tensors[2].stop_gradient = False
            for reduce in ['assign', 'sum']:
                out = _C_ops.index_scatter(*tensors, 0, reduce, False)
                self.assert_same_bits(out, expected)
            grads = paddle.grad(out, tensors[::2], tensors[0])
            self.assert_same_bits(grads[0], x_grad)
            self.assert_same_bits(grads[1], x[index])

    def test_rounding_of_half_types(self):
        bits = np.arange(2**16, dtype='uint16')
        index = np.arange(2**16)
        for x in [bits, bits.view('float16')]:
            updates = np.roll(x, 1)
            tensors = [paddle.to_tensor(a) for a in [x, index, updates]]
            out = _C_ops.index_scatter(*tensors, 0, 'sum', True).numpy()
            with np.errstate(all='ignore'):
                expected = reference(x, index, updates, 0, 'sum', True)
            out, expected = widen(out, 'sum'), widen(expected, 'sum')
            np.testing.assert_array_equal(out, expected)

    def test_invalid_reduce_raises(self):
        x, index = paddle.ones([4, 3]), paddle.to_tensor([0])
        for reduce in ['', 'SUM', 'mul', 'amax']:
            message = f"reduce should be assign, sum or mean.*'{reduce}'"
            with self.assertRaisesRegex(ValueError, message):
                _C_ops.index_scatter(x, index, x[:1], 0, reduce, True)


if __name__ == '__main__':
    unittest.main()
