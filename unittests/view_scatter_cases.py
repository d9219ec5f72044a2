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
"""select_scatter and diagonal_scatter in numpy, and the tables of their tests."""

import numpy as np
from op_table import Case, Operator


def selected(array, axis, index):
    """What select_scatter replaces, as a view."""
    return np.moveaxis(array, axis, 0)[index, ...]


def diagonal(array, offset=0, axis1=0, axis2=1):
    """What diagonal_scatter replaces, as a view that can be written to."""
    # numpy's offset is an int of 32 bits; behind the last column or row, every
    # offset is empty
    limit = max(array.shape)
    offset = int(np.clip(offset, -limit, limit))
    view = np.diagonal(array, offset, axis1, axis2)
    view.flags.writeable = True
    return view


def replacing(view):
    """A reference: a copy of x, of which `view` is replaced."""

    def reference(x, values, **options):
        out = np.array(x, order='C')
        view(out, **options)[...] = values
        return out

    return reference


SELECT = Operator(
    'select_scatter',
    inputs=('x', 'values'),
    differentiable=('x', 'values'),
    reference=replacing(selected),
    orders=5,
)
DIAGONAL = Operator(
    'diagonal_scatter',
    inputs=('x', 'y'),
    differentiable=('x', 'y'),
    reference=replacing(diagonal),
    orders=5,
)


def view_case(op, view, names, name, x_shape, *attributes):
    options = dict(zip(names, attributes))
    shape = view(np.empty(x_shape, bool), **options).shape
    return Case(name, {'x': x_shape, op.inputs[1]: shape}, options)


def select_case(*row):
    """(name, x shape, axis, index)"""
    return view_case(SELECT, selected, ('axis', 'index'), *row)


def diagonal_case(*row):
    """(name, x shape, offset, axis1, axis2)"""
    names = ('offset', 'axis1', 'axis2')
    return view_case(DIAGONAL, diagonal, names, *row)


# The first rows are those that are traced and saved.
SELECT_CASES = [
    select_case(*row)
    for row in (
        ('middle axis', (3, 4, 5), 1, 2),
        ('negative axis and index', (5, 7), -2, -5),
        ('0-D values', (9,), 0, 3),
        ('first row', (5, 7), 0, 0),
        ('last row', (5, 7), 0, 4),
        ('first column', (5, 7), 1, 0),
        ('last column', (5, 7), 1, 6),
        ('negative axis', (5, 7), -1, 3),
        ('first axis as a negative one', (5, 7), -2, 3),
        ('negative index', (5, 7), 0, -1),
        ('most negative index', (5, 7), 0, -5),
        ('0-D values, negative', (9,), -1, -9),
        ('x of one element', (1,), 0, 0),
        ('one of two', (6, 2, 3), 1, 1),
        ('axis of one index', (4, 1, 5), 1, 0),
        ('axes of one index around', (1, 5, 1), 1, 2),
        ('four axes', (2, 3, 4, 5), 2, -2),
        ('five axes', (2, 3, 2, 3, 2), -3, 1),
        ('no element before', (0, 3), 1, 1),
        ('no element after', (3, 0), 0, 1),
        ('no element, three axes', (2, 0, 3), 2, -1),
    )
]
DIAGONAL_CASES = [
    diagonal_case(*row)
    for row in (
        ('last axes of three, swapped', (3, 4, 5), -1, 2, 1),
        ('wide', (4, 7), 0, 0, 1),
        ('outer axes of three', (3, 4, 5), 1, 0, 2),
        ('square', (6, 6), 0, 0, 1),
        ('tall', (7, 4), 0, 0, 1),
        ('above', (5, 5), 2, 0, 1),
        ('below', (5, 5), -2, 0, 1),
        ('above, wide', (4, 7), 2, 0, 1),
        ('below, wide', (4, 7), -2, 0, 1),
        ('above, tall', (7, 4), 2, 0, 1),
        ('below, tall', (7, 4), -5, 0, 1),
        ('swapped axes', (4, 7), 1, 1, 0),
        ('swapped axes, below', (4, 7), -3, 1, 0),
        ('negative axes', (4, 7), 1, -2, -1),
        ('one corner', (4, 7), 6, 0, 1),
        ('other corner', (4, 7), -3, 0, 1),
        ('just past the end', (4, 7), 7, 0, 1),
        ('just past the other end', (4, 7), -4, 0, 1),
        ('far past the end', (4, 7), 1 << 40, 0, 1),
        ('far past the other end', (3, 4, 7), -(1 << 40), 1, 2),
        ('one element', (1, 1), 0, 0, 1),
        ('first axes of three', (3, 4, 5), 0, 0, 1),
        ('last axes of three', (3, 4, 5), -1, 1, 2),
        ('outer axes of three, swapped', (3, 4, 5), 2, 2, 0),
        ('outer axes of four', (3, 2, 4, 3), 0, 0, -1),
        ('middle axes of four', (2, 4, 3, 5), 1, 2, 1),
        ('apart, of four', (3, 2, 4, 2), -1, 0, 2),
        ('no row', (0, 4), 0, 0, 1),
        ('no column', (4, 0), -1, 0, 1),
        ('no element, three axes', (3, 3, 0), 1, 0, 1),
    )
]
# Several tiles and blocks of a kernel, neither of which divides the shapes.
LARGE_SELECT_CASES = [
    select_case('large', *row)
    for row in (
        ((3, 100003), 0, 1),
        ((100003, 3), 1, 2),
        ((777, 401), 0, -2),
        ((777, 401), 1, 13),
        ((53, 2, 2999), 1, 0),
        ((2999, 3, 37), 1, 1),
        ((61, 67, 71), 2, 70),
    )
]
LARGE_DIAGONAL_CASES = [
    diagonal_case('large', *row)
    for row in (
        ((601, 503), 0, 0, 1),
        ((601, 503), -99, 1, 0),
        ((2, 3, 50021), 1, 0, 1),
        ((50021, 3, 2), -1, 1, 2),
        ((41, 5003, 2), 7, 1, 0),
        ((67, 71, 73), 3, 2, 0),
    )
]
