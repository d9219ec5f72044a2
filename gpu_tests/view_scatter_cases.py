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
"""Ops that copy x and overwrite a view of it: plain loops, and their cases.

A ViewOp describes select_scatter or diagonal_scatter, so that one set of tests
serves both. Its attributes are a tuple, in the order of the API's arguments.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from scatter_test_utils import torch

import paddle


@dataclass(frozen=True)
class ViewOp:
    name: str
    values_name: str
    function: Callable
    torch_function: Callable
    # (x shape, *attributes) -> the shape of the values
    values_shape: Callable
    # (x shape, values index, *attributes) -> where in x that value goes
    position: Callable
    # (array, *attributes) -> what the values replace, writable
    view: Callable
    # (name, x shape, attributes)
    cases: tuple
    # (x shape, attributes): several tiles and blocks of a kernel
    large_cases: tuple

    def call(self, *attributes):
        """The API as a function of two Tensors."""

        # no lambda: paddle.jit reads the source of what it traces
        def function(x, values):
            return self.function(x, values, *attributes)

        return function

    def call_torch(self, *attributes):
        return lambda x, values: self.torch_function(x, values, *attributes)

    def named(self, x, values):
        return {'x': x, self.values_name: values}


def _selected_shape(x_shape, axis, index):
    axis %= len(x_shape)
    return x_shape[:axis] + x_shape[axis + 1 :]


def _selected_position(x_shape, at, axis, index):
    axis %= len(x_shape)
    return at[:axis] + (index % x_shape[axis],) + at[axis:]


def _selected_view(array, axis, index):
    return np.moveaxis(array, axis, 0)[index, ...]


SELECT = ViewOp(
    name='select_scatter',
    values_name='values',
    function=paddle.select_scatter,
    torch_function=torch and torch.select_scatter,
    values_shape=_selected_shape,
    position=_selected_position,
    view=_selected_view,
    cases=(
        ('first row', (5, 7), (0, 0)),
        ('last row', (5, 7), (0, 4)),
        ('first column', (5, 7), (1, 0)),
        ('last column', (5, 7), (1, 6)),
        ('negative axis', (5, 7), (-1, 3)),
        ('first axis as a negative one', (5, 7), (-2, 3)),
        ('negative index', (5, 7), (0, -1)),
        ('most negative index', (5, 7), (0, -5)),
        ('negative axis and index', (5, 7), (-1, -7)),
        ('0-D values', (9,), (0, 3)),
        ('0-D values, negative', (9,), (-1, -9)),
        ('x of one element', (1,), (0, 0)),
        ('middle axis', (3, 4, 5), (1, 2)),
        ('one of two', (6, 2, 3), (1, 1)),
        ('axis of one index', (4, 1, 5), (1, 0)),
        ('axes of one index around', (1, 5, 1), (1, 2)),
        ('four axes', (2, 3, 4, 5), (2, -2)),
        ('five axes', (2, 3, 2, 3, 2), (-3, 1)),
        ('no element before', (0, 3), (1, 1)),
        ('no element after', (3, 0), (0, 1)),
        ('no element, three axes', (2, 0, 3), (2, -1)),
    ),
    large_cases=(
        ((3, 100003), (0, 1)),
        ((100003, 3), (1, 2)),
        ((777, 401), (0, -2)),
        ((777, 401), (1, 13)),
        ((53, 2, 2999), (1, 0)),
        ((2999, 3, 37), (1, 1)),
        ((61, 67, 71), (2, 70)),
    ),
)


def _numpy_diagonal(array, offset, axis1, axis2):
    # numpy's offset is an int of 32 bits; behind the last column or row, every
    # offset is empty
    limit = max(array.shape)
    return np.diagonal(array, np.clip(offset, -limit, limit), axis1, axis2)


def _diagonal_shape(x_shape, *attributes):
    return _numpy_diagonal(np.empty(x_shape, bool), *attributes).shape


def _diagonal_position(x_shape, at, offset, axis1, axis2):
    axis1, axis2 = axis1 % len(x_shape), axis2 % len(x_shape)
    step, rest = at[-1], iter(at[:-1])
    return tuple(
        step + max(0, -offset)
        if i == axis1
        else step + max(0, offset)
        if i == axis2
        else next(rest)
        for i in range(len(x_shape))
    )


def _diagonal_view(array, *attributes):
    view = _numpy_diagonal(array, *attributes)
    view.flags.writeable = True  # numpy gives it out as read-only
    return view


DIAGONAL = ViewOp(
    name='diagonal_scatter',
    values_name='y',
    function=paddle.diagonal_scatter,
    torch_function=torch and torch.diagonal_scatter,
    values_shape=_diagonal_shape,
    position=_diagonal_position,
    view=_diagonal_view,
    cases=(
        ('square', (6, 6), (0, 0, 1)),
        ('wide', (4, 7), (0, 0, 1)),
        ('tall', (7, 4), (0, 0, 1)),
        ('above', (5, 5), (2, 0, 1)),
        ('below', (5, 5), (-2, 0, 1)),
        ('above, wide', (4, 7), (2, 0, 1)),
        ('below, wide', (4, 7), (-2, 0, 1)),
        ('above, tall', (7, 4), (2, 0, 1)),
        ('below, tall', (7, 4), (-5, 0, 1)),
        ('swapped axes', (4, 7), (1, 1, 0)),
        ('swapped axes, below', (4, 7), (-3, 1, 0)),
        ('negative axes', (4, 7), (1, -2, -1)),
        ('one corner', (4, 7), (6, 0, 1)),
        ('other corner', (4, 7), (-3, 0, 1)),
        ('just past the end', (4, 7), (7, 0, 1)),
        ('just past the other end', (4, 7), (-4, 0, 1)),
        ('far past the end', (4, 7), (1 << 40, 0, 1)),
        ('far past the other end', (3, 4, 7), (-(1 << 40), 1, 2)),
        ('one element', (1, 1), (0, 0, 1)),
        ('first axes of three', (3, 4, 5), (0, 0, 1)),
        ('outer axes of three', (3, 4, 5), (1, 0, 2)),
        ('last axes of three', (3, 4, 5), (-1, 1, 2)),
        ('last axes of three, swapped', (3, 4, 5), (-1, 2, 1)),
        ('outer axes of three, swapped', (3, 4, 5), (2, 2, 0)),
        ('outer axes of four', (3, 2, 4, 3), (0, 0, -1)),
        ('middle axes of four', (2, 4, 3, 5), (1, 2, 1)),
        ('apart, of four', (3, 2, 4, 2), (-1, 0, 2)),
        ('no row', (0, 4), (0, 0, 1)),
        ('no column', (4, 0), (-1, 0, 1)),
        ('no element, three axes', (3, 3, 0), (1, 0, 1)),
    ),
    large_cases=(
        ((601, 503), (0, 0, 1)),
        ((601, 503), (-99, 1, 0)),
        ((2, 3, 50021), (1, 0, 1)),
        ((50021, 3, 2), (-1, 1, 2)),
        ((41, 5003, 2), (7, 1, 0)),
        ((67, 71, 73), (3, 2, 0)),
    ),
)


def reference_scatter(op, x, values, attributes):
    """The definition: each value goes to its place in x."""
    out = np.array(x, order='C')
    for at in np.ndindex(values.shape):
        out[op.position(x.shape, at, *attributes)] = values[at]
    return out


def fast_scatter(op, x, values, attributes):
    """The same as the reference, for sizes where a Python loop is slow."""
    out = np.array(x, order='C')
    op.view(out, *attributes)[...] = values
    return out


def reference_scatter_grad(op, out_grad, attributes):
    """Gradients of x and the values for a numpy out_grad."""
    shape = op.values_shape(out_grad.shape, *attributes)
    x_grad = np.array(out_grad, order='C')
    values_grad = np.zeros(shape, out_grad.dtype)
    for at in np.ndindex(shape):
        position = op.position(out_grad.shape, at, *attributes)
        values_grad[at] = x_grad[position]
        x_grad[position] = 0
    return x_grad, values_grad


def random_pair(op, make, x_shape, attributes):
    """x and values, each made by make(shape)."""
    return make(x_shape), make(op.values_shape(x_shape, *attributes))
