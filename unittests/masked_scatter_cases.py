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
from masked_cases import result_shapes, with_masks
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


# (name, x shape, mask shape, density of Trues, value shape), besides those where
# value has the shape of the result
CASES = (
    ('value of one axis', (3, 4, 5), (3, 1, 5), 0.5, (60,)),
    ('0-D x and mask', (), (), 1.0, (3,)),
    ('more values than needed', (5, 7), (5, 7), 0.5, (9, 11)),
    ('value of another shape', (4, 6), (4, 6), 0.5, (2, 3, 4)),
    ('values for no element', (0, 3), (0, 3), 0.5, (4,)),
    ('values for no element, row mask', (0, 3), (3,), 0.5, (4,)),
    ('values for a mask of no element', (1, 3), (0, 3), 0.5, (4,)),
    ('values for a mask of no element, 0-D x', (), (2, 0), 0.5, (4,)),
    ('value of no element', (3, 4), (3, 4), 0.0, (0,)),
    ('value of no element, 2-D', (3, 4), (3, 4), 0.0, (2, 0)),
)


def cases():
    """Yields (name, x shape, mask, value shape)."""
    yield from with_masks((*result_shapes(), *CASES))


def count_true(x_shape, mask):
    shape = np.broadcast_shapes(x_shape, mask.shape)
    return int(np.broadcast_to(mask, shape).sum())
