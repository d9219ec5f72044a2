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
"""Arrays, dtypes and layouts: what tests of scatter ops share.

An array is a numpy array in storage form: bfloat16 is held as numpy.uint16
bits, as Paddle's own Tensor.numpy() does. Ops that only move elements are
compared bit by bit, so that NaN payloads and -0.0 count too.
"""

import numpy as np

import paddle

INT_DTYPES = ('uint8', 'int8', 'int16', 'int32', 'int64')
HALF_DTYPES = ('float16', 'bfloat16')
FLOAT_DTYPES = ('float32', 'float64')
COMPLEX_DTYPES = ('complex64', 'complex128')
GRAD_DTYPES = HALF_DTYPES + FLOAT_DTYPES + COMPLEX_DTYPES
ALL_DTYPES = ('bool',) + INT_DTYPES + GRAD_DTYPES


class OnCpu:
    """Tests of masked_fill and scatter whose answers a GPU does not give: there
    the kernels are those that Paddle had before."""

    def setUp(self):
        if paddle.get_device() != 'cpu':
            self.skipTest('a GPU has other kernels of this operator')
        super().setUp()


def storage_dtype(dtype):
    """The numpy dtype that holds elements of a Paddle dtype."""
    return np.dtype('uint16' if dtype == 'bfloat16' else dtype)


def dtype_name(array):
    """The Paddle dtype of elements in storage form."""
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


def float_to_bfloat16(array):
    """bfloat16 bits of floats that bfloat16 can hold (else cut off)."""
    floats = np.ascontiguousarray(array, np.float32)
    bits = (floats.view(np.uint32) >> 16).astype(np.uint16)
    return bits.reshape(np.shape(array))


def bfloat16_to_float(bits):
    wide = np.ascontiguousarray(bits, np.uint16).astype(np.uint32) << 16
    return wide.view(np.float32).reshape(np.shape(bits))


def to_storage(array, dtype):
    """Converts numbers to an array in storage form."""
    if dtype == 'bfloat16':
        return float_to_bfloat16(array)
    return np.asarray(array).astype(storage_dtype(dtype))


def to_numbers(array, dtype):
    """An array in storage form as numbers for numpy to compute with."""
    return bfloat16_to_float(array) if dtype == 'bfloat16' else array


def random_array(rng, shape, dtype):
    """Values of every kind: whole range of ints, signs, NaN and infinity."""
    shape = tuple(shape)
    if dtype == 'bool':
        return rng.random(shape) < 0.5
    if dtype in INT_DTYPES:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype in COMPLEX_DTYPES:
        part = 'float32' if dtype == 'complex64' else 'float64'
        pair = random_array(rng, (*shape, 2), part)
        return np.ascontiguousarray(pair).view(dtype).reshape(shape)
    numbers = rng.standard_normal(shape)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0])
    chosen = rng.choice(special, shape)
    numbers = np.where(rng.random(shape) < 0.1, chosen, numbers)
    return to_storage(numbers, dtype)


def random_numbers(rng, shape, dtype='float64'):
    """Finite values for gradients."""
    numbers = rng.standard_normal(tuple(shape))
    if dtype in COMPLEX_DTYPES:
        numbers = numbers + 1j * rng.standard_normal(tuple(shape))
    return to_storage(numbers, dtype)


def random_mask(rng, shape, density=0.5, runs=False):
    """Trues spread evenly, or in runs that are long at either end."""
    size = int(np.prod(shape))
    if not runs:
        return rng.random(tuple(shape)) < density
    lengths = rng.integers(1, 200, size // 20 + 2)
    states = rng.random(lengths.size) < density
    flat = np.repeat(states, lengths)
    return np.resize(flat, size).reshape(tuple(shape))


def to_paddle(array, dtype=None, stop_gradient=True):
    array = np.asarray(array)
    dtype = dtype or ('bfloat16' if array.dtype == np.uint16 else None)
    return paddle.to_tensor(array, dtype=dtype, stop_gradient=stop_gradient)


def assert_same_bits(actual, expected, message=''):
    """Same shape, dtype and bytes; takes Tensors and arrays."""
    if isinstance(actual, paddle.Tensor):
        actual = actual.numpy()
    expected = np.asarray(expected)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise AssertionError(
            f"{message}: expected {expected.dtype}{expected.shape}, "
            f"got {actual.dtype}{actual.shape}"
        )
    if actual.tobytes() == expected.tobytes():
        return
    width = f'V{actual.dtype.itemsize}'
    actual_bytes = np.ascontiguousarray(actual).reshape(-1).view(width)
    expected_bytes = np.ascontiguousarray(expected).reshape(-1).view(width)
    where = np.flatnonzero(actual_bytes != expected_bytes)
    raise AssertionError(
        f"{message}: {where.size} of {actual.size} elements differ, first at "
        f"flat position {where[0]}: expected {expected.reshape(-1)[where[0]]},"
        f" got {actual.reshape(-1)[where[0]]}"
    )


def sum_to_shape(array, shape):
    """Adds up the axes along which `shape` was broadcast to array's shape."""
    lead = array.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + i
        for i, size in enumerate(shape)
        if size == 1 and array.shape[lead + i] != 1
    )
    return array.sum(axis=axes, keepdims=True).reshape(shape)


LAYOUTS = ('transposed', 'stepped', 'inner block')


def layouts(array):
    """Yields (name, Tensor) equal to the array: views that are not contiguous.

    A kernel that reads memory in order gets their elements wrong.
    """
    array = np.asarray(array)
    if array.size == 0 or array.ndim == 0:
        return
    backwards = tuple(reversed(range(array.ndim)))
    transposed = to_paddle(array.transpose(backwards))
    yield 'transposed', transposed.transpose(backwards)
    doubled = np.repeat(array, 2, axis=-1)
    doubled[..., 1::2] = 0
    yield 'stepped', to_paddle(doubled)[..., ::2]
    padded = to_paddle(np.pad(array, [(1, 2)] * array.ndim))
    inside = tuple(slice(1, 1 + size) for size in array.shape)
    yield 'inner block', padded[inside]
