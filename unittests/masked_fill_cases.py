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

"""masked_fill in plain loops, and the cases that its tests go through."""

import numpy as np
from scatter_test_utils import sum_to_shape

import paddle


def reference_masked_fill(x, mask, value):
    """The definition, one element at a time; value is an array."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape), order='C')
    value = np.broadcast_to(value, shape)
    for index, masked in np.ndenumerate(np.broadcast_to(mask, shape)):
        if masked:
            out[index] = value[index]
    return out


def reference_masked_fill_grad(x_shape, mask, value_shape, out_grad):
    """Gradients of x and value for a numpy out_grad."""
    mask = np.broadcast_to(mask, out_grad.shape)
    zero = np.zeros((), out_grad.dtype)
    return (
        sum_to_shape(np.where(mask, zero, out_grad), x_shape),
        sum_to_shape(np.where(mask, out_grad, zero), value_shape),
    )


def torch_masked_fill(x, mask, value):
    """PyTorch's own masked_fill takes no value of more than one element."""
    import torch

    return torch.where(mask, value, x)


def fill_with(number):
    """masked_fill with a fixed scalar, as a function of Tensors."""

    def function(x, mask):
        return paddle.masked_fill(x, mask, number)

    return function


# (name, x shape, mask shape, value shape, density of Trues)
CASES = (
    ('same shape', (5, 7), (5, 7), (5, 7), 0.5),
    ('one axis', (37,), (37,), (37,), 0.5),
    ('four axes', (2, 3, 4, 5), (2, 3, 4, 5), (3, 1, 5), 0.5),
    ('all True', (6, 9), (6, 9), (6, 9), 1.0),
    ('all False', (6, 9), (6, 9), (6, 9), 0.0),
    ('few True', (11, 13), (11, 13), (11, 13), 0.05),
    ('many True', (11, 13), (11, 13), (13,), 0.95),
    ('0-D value', (5, 7), (5, 7), (), 0.5),
    ('value of one element', (5, 7), (5, 7), (1,), 0.5),
    ('value row', (5, 7), (5, 7), (7,), 0.5),
    ('value row with an axis', (5, 7), (5, 7), (1, 7), 0.5),
    ('value column', (5, 7), (5, 7), (5, 1), 0.5),
    ('row mask', (5, 7), (7,), (5, 7), 0.5),
    ('column mask', (5, 7), (5, 1), (7,), 0.5),
    ('mask over the middle axis', (3, 4, 5), (3, 1, 5), (4, 1), 0.5),
    ('mask of one element', (3, 4), (1,), (4,), 1.0),
    ('0-D mask', (3, 4), (), (3, 1), 1.0),
    ('0-D mask, False', (3, 4), (), (3, 1), 0.0),
    ('x row', (7,), (5, 7), (5, 1), 0.5),
    ('x column', (5, 1), (5, 7), (5, 7), 0.5),
    ('x of one element', (1, 1), (5, 7), (1, 1), 0.5),
    ('0-D x', (), (5, 7), (), 0.5),
    ('both ways', (5, 1), (1, 7), (5, 7), 0.5),
    ('three ways', (3, 1, 5), (4, 1), (1, 5), 0.5),
    ('all 0-D', (), (), (), 1.0),
    ('x of no element', (0, 3), (0, 3), (3,), 0.5),
    ('x of no element, row mask', (0, 3), (3,), (0, 3), 0.5),
    ('mask of no element', (1, 3), (0, 3), (), 0.5),
    ('mask of no element, 0-D x', (), (2, 0), (1,), 0.5),
    ('nothing at all', (0,), (0,), (0,), 0.5),
)


def cases():
    """Yields (name, x shape, mask, value shape)."""
    for name, x_shape, mask_shape, value_shape, density in CASES:
        rng = np.random.default_rng(len(name))
        mask = np.asarray(rng.random(mask_shape) < density)
        yield name, x_shape, mask, value_shape
