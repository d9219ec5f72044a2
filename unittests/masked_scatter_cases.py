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
"""masked_scatter in plain loops, and the cases that its tests go through."""

import numpy as np
from scatter_test_utils import sum_to_shape, to_paddle, to_torch

import paddle


def reference_masked_scatter(x, mask, value):
    """The definition: each True takes the next element of value."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape), order='C')
    flat_out, flat_value = out.reshape(-1), value.reshape(-1)
    taken = 0
    for i, masked in enumerate(np.broadcast_to(mask, shape).reshape(-1)):
        if masked:
            flat_out[i] = flat_value[taken]
            taken += 1
    return out


def reference_masked_scatter_grad(x_shape, mask, value_shape, out_grad):
    """Gradients of x and value for a numpy out_grad."""
    flat_mask = np.broadcast_to(mask, out_grad.shape).reshape(-1)
    x_grad = np.array(out_grad, order='C')
    value_grad = np.zeros(value_shape, out_grad.dtype)
    flat_x, flat_value = x_grad.reshape(-1), value_grad.reshape(-1)
    taken = 0
    for i, masked in enumerate(flat_mask):
        if masked:
            flat_value[taken] = flat_x[i]
            flat_x[i] = 0
            taken += 1
    return sum_to_shape(x_grad, x_shape), value_grad


def fast_masked_scatter(x, mask, value):
    """The same as the reference, for sizes where a Python loop is slow."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape), order='C')
    where = np.broadcast_to(mask, shape)
    out[where] = value.reshape(-1)[: int(where.sum())]
    return out


def torch_masked_scatter(x, mask, value):
    return x.masked_scatter(mask, value)


def torch_broadcast_masked_scatter(x, mask, value):
    """PyTorch writes into x, so x must be broadcast by hand."""
    shape = np.broadcast_shapes(tuple(x.shape), tuple(mask.shape))
    return x.expand(shape).masked_scatter(mask, value)


def as_tensors(x, mask, value):
    return to_paddle(x), to_paddle(mask), to_paddle(value)


def as_torch(x, mask, value):
    return to_torch(x), to_torch(mask), to_torch(value)


def run_both(x, mask, value):
    """(ours, reference) for arrays in storage form."""
    out = paddle.masked_scatter(*as_tensors(x, mask, value))
    return out.numpy(), reference_masked_scatter(x, mask, value)


# (name, x shape, mask shape, value shape, density of Trues)
CASES = (
    ('same shape', (5, 7), (5, 7), (5, 7), 0.5),
    ('one axis', (37,), (37,), (37,), 0.5),
    ('four axes', (2, 3, 4, 5), (2, 3, 4, 5), (120,), 0.5),
    ('all True', (6, 9), (6, 9), (54,), 1.0),
    ('all False', (6, 9), (6, 9), (54,), 0.0),
    ('few True', (11, 13), (11, 13), (11, 13), 0.05),
    ('many True', (11, 13), (11, 13), (11, 13), 0.95),
    ('row mask', (5, 7), (7,), (35,), 0.5),
    ('row mask with an axis', (5, 7), (1, 7), (35,), 0.5),
    ('column mask', (5, 7), (5, 1), (35,), 0.5),
    ('mask over the middle axis', (3, 4, 5), (3, 1, 5), (60,), 0.5),
    ('mask over the outer axes', (3, 4, 5), (4, 1), (60,), 0.5),
    ('mask of one element', (3, 4), (1,), (12,), 1.0),
    ('0-D mask', (3, 4), (), (12,), 1.0),
    ('0-D mask, False', (3, 4), (), (12,), 0.0),
    ('x row', (7,), (5, 7), (35,), 0.5),
    ('x column', (5, 1), (5, 7), (35,), 0.5),
    ('x of one element', (1, 1), (5, 7), (35,), 0.5),
    ('0-D x', (), (5, 7), (35,), 0.5),
    ('both ways', (5, 1), (1, 7), (35,), 0.5),
    ('both ways, three axes', (3, 1, 5), (4, 1), (60,), 0.5),
    ('all 0-D', (), (), (), 1.0),
    ('0-D x and mask', (), (), (3,), 1.0),
    ('more values than needed', (5, 7), (5, 7), (9, 11), 0.5),
    ('value of another shape', (4, 6), (4, 6), (2, 3, 4), 0.5),
    ('x of no element', (0, 3), (0, 3), (4,), 0.5),
    ('x of no element, row mask', (0, 3), (3,), (4,), 0.5),
    ('mask of no element', (1, 3), (0, 3), (4,), 0.5),
    ('mask of no element, 0-D x', (), (2, 0), (4,), 0.5),
    ('value of no element', (3, 4), (3, 4), (0,), 0.0),
    ('value of no element, 2-D', (3, 4), (3, 4), (2, 0), 0.0),
    ('nothing at all', (0,), (0,), (0,), 0.5),
)


def cases():
    """Yields (name, x shape, mask, value shape)."""
    for name, x_shape, mask_shape, value_shape, density in CASES:
        rng = np.random.default_rng(len(name))
        mask = np.asarray(rng.random(mask_shape) < density)
        yield name, x_shape, mask, value_shape


def count_true(x_shape, mask):
    shape = np.broadcast_shapes(x_shape, mask.shape)
    return int(np.broadcast_to(mask, shape).sum())
