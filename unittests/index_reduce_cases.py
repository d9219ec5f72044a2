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
"""index_scatter, index_reduce and scatter in numpy, and their tables."""

import functools

import numpy as np
from op_table import Case, Operator
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    INT_DTYPES,
    random_numbers,
    to_storage,
)

from paddle import _C_ops

REDUCES = ('assign', 'sum', 'mul', 'mean', 'amax', 'amin')
LINEAR_REDUCES = ('assign', 'sum', 'mean')
OTHER_REDUCES = ('mul', 'amax', 'amin')
OPERATORS = {'index_scatter': LINEAR_REDUCES, 'index_reduce': OTHER_REDUCES}


def operator_of(reduce):
    """The operator that has the reduction."""
    return 'index_scatter' if reduce in LINEAR_REDUCES else 'index_reduce'


def reduce_by_index(x, index, updates, axis, reduce, include_self):
    operator = getattr(_C_ops, operator_of(reduce))
    return operator(x, index, updates, axis, reduce, include_self)


def reduce_by_index_(x, index, updates, axis, reduce, include_self):
    operator = getattr(_C_ops, operator_of(reduce) + '_')
    return operator(x, index, updates, axis, reduce, include_self)


def defined(reduce, dtype):
    """Whether the reduction exists for the data type."""
    if reduce in ('assign', 'sum'):
        return True
    ordered = reduce in ('amax', 'amin')
    return dtype != 'bool' and not (ordered and dtype in COMPLEX_DTYPES)


def slots_of(index, size):
    """The index, flat, with negative values counted from the end."""
    flat = np.asarray(index).reshape(-1)
    return np.where(flat < 0, flat + size, flat)


def reduce_rows(rows, reduce):
    """One row out of a list of them, in the order of the list."""
    if reduce == 'assign':
        return rows[-1]
    add = np.logical_or if rows[0].dtype == bool else np.add
    combine = {'mul': np.multiply, 'amax': np.maximum, 'amin': np.minimum}
    total = functools.reduce(combine.get(reduce, add), rows)
    if reduce != 'mean':
        return total
    divide = np.floor_divide if total.dtype.kind == 'i' else np.true_divide
    return divide(total, total.dtype.type(len(rows)))


def reference_index_reduce(x, index, updates, axis, reduce, include_self):
    """The definition, one slot at a time, in numpy's arithmetic.

    Half types are reduced in float32 and integers, for their mean, in int64.
    """
    dtype = x.dtype
    if dtype == np.float16:
        x, updates = x.astype(np.float32), updates.astype(np.float32)
    elif reduce == 'mean' and dtype.kind in 'iu':
        x, updates = x.astype(np.int64), updates.astype(np.int64)
    out = np.array(x, order='C')
    target = np.moveaxis(out, axis, 0)  # a view
    if updates.ndim < x.ndim:
        updates = np.expand_dims(updates, axis)
    rows = np.moveaxis(updates, axis, 0)
    slots = slots_of(index, target.shape[0])
    for slot in sorted(set(slots.tolist())):
        chosen = [rows[i] for i in np.flatnonzero(slots == slot)]
        own = [target[slot].copy()] if include_self else []
        target[slot] = reduce_rows(own + chosen, reduce)
    return out.astype(dtype)


def shares_of(rows, reduce):
    """What each element of a slot gets of the slot's gradient: of a product that
    of all other factors, and those that are the extreme get the same."""
    if reduce == 'mul':
        others = [np.delete(rows, i, axis=0) for i in range(len(rows))]
        return np.conj([factors.prod(axis=0) for factors in others])
    if reduce in ('amax', 'amin'):
        ties = rows == getattr(rows, reduce[1:])(axis=0)
        return ties / ties.sum(axis=0)
    shares = np.ones_like(rows)
    if reduce == 'assign':
        shares[:-1] = 0
    return shares / shares.dtype.type(len(rows) if reduce == 'mean' else 1)


def reference_gradients(x, index, updates, attributes, out_grad):
    """Of x and updates, slot by slot."""
    axis, reduce, include_self = attributes
    include_self = include_self and reduce != 'assign'
    grads = np.array(out_grad), np.zeros(updates.shape, out_grad.dtype)
    x, updates, own, further = (
        np.moveaxis(
            array if array.ndim == x.ndim else np.expand_dims(array, axis),
            axis,
            0,
        )
        for array in (x, updates, *grads)
    )
    slots = slots_of(index, len(x))
    for slot in set(slots.tolist()):
        at = np.flatnonzero(slots == slot)
        rows = np.concatenate([x[[slot]][:include_self], updates[at]])
        shares = shares_of(rows, reduce) * own[slot]
        further[at] = shares[include_self:]
        own[slot] = shares[0] if include_self else 0
    return grads


def operands(rng, shape, reduce, dtype='float64'):
    """Numbers that suit a reduction: their product neither overflows nor
    vanishes."""
    if dtype == 'bool':
        return rng.random(shape) < 0.4
    if dtype in INT_DTYPES:
        if reduce == 'mul':
            return to_storage(rng.choice([1, 1, 1, 2, 3], shape), dtype)
        low = 0 if dtype == 'uint8' else -60
        return rng.integers(low, 60, shape).astype(dtype)
    if reduce != 'mul':
        return random_numbers(rng, shape, dtype)
    if dtype in COMPLEX_DTYPES:
        return to_storage(np.exp(1j * rng.uniform(-3, 3, shape)), dtype)
    signs = rng.choice([-1.0, 1.0], shape)
    return to_storage(signs * rng.uniform(0.8, 1.25, shape), dtype)


# (name, x shape, axis, index, further slices of updates)
ROWS = (
    ('last axis', (5, 6), 1, [0, 3, 3, -1, 5, 3], 0),
    ('middle axis', (3, 6, 4), 1, [2, 2, -6, 1], 0),
    ('first axis', (6, 5), 0, [0, 3, 3, -1, 5, 3], 0),
    ('negative axis', (3, 6, 4), -2, [5, 0, 5], 0),
    ('one dim', (9,), 0, [1, 1, 8, -9, 4, 1], 0),
    ('one element', (1,), 0, [0, 0, -1], 0),
    ('longer than the axis', (2, 3), 0, [0, 1, 0, 0, 1, 0, 1, 1, 0], 0),
    ('all the same', (7, 3), 0, [4] * 12, 0),
    ('all the same, last axis', (20, 7), 1, [4] * 12, 0),
    ('permutation', (5, 4), 0, [3, 1, 4, 0, 2], 0),
    ('one position', (5, 4), 1, [2], 0),
    ('no position', (5, 4), 1, [], 0),
    ('longer updates', (5, 4), 0, [1, 1, 0], 2),
    ('longer updates, last axis', (9, 5), 1, [1, 1, 0], 3),
    ('only unused updates', (5, 4), 1, [], 2),
    ('column index', (5, 4), 0, [[1], [1], [-1]], 0),
    ('column index, last axis', (5, 4), 1, [[1], [1], [-1]], 0),
    ('0-D index', (5, 4), 0, -2, 0),
    ('0-D index, last axis', (3, 5, 4), 2, 3, 0),
    ('0-D index, one dim', (5,), 0, 1, 0),
    ('two lanes', (11, 5, 2), 1, [0, 4, 0, 2, 2, 2, 0], 0),
    ('x of no element', (0, 3), 1, [1, 2, 1], 0),
    ('axis of no element', (3, 0), 1, [], 0),
    ('slices of no element', (3, 0), 0, [1, 1], 0),
)
# The same, of which differences would take long.
WIDE_ROWS = (
    ('wide rows', (3, 2500), 0, [1, 2, 1, 1, 1, 1, 2], 0),
    ('few positions, many slots', (700, 2), 0, [650, 3, 650], 0),
    ('twice one of many slots', (1000, 32), 0, [5, 5, 700], 0),
    ('many rows', (45, 30), 1, list(range(29, -1, -1)) * 2, 0),
)


def scatter_options(axis, reduce, include_self):
    """What paddle.scatter calls a reduction by this name."""
    if reduce == 'assign':
        return {'axis': axis}
    return {
        'overwrite': False,
        'axis': axis,
        'reduce': reduce,
        'include_self': include_self,
    }


def reference_scatter(
    x, index, updates, axis=0, overwrite=True, reduce='sum', include_self=False
):
    reduce = 'assign' if overwrite else reduce
    return reference_index_reduce(x, index, updates, axis, reduce, include_self)


def draw(rng, shape, dtype, finite, reduce='assign', **options):
    return operands(rng, shape, reduce, dtype)


def scatter_operator(orders):
    return Operator(
        'scatter',
        inputs=('x', 'index', 'updates'),
        differentiable=('x', 'updates'),
        reference=reference_scatter,
        moves=False,
        draw=draw,
        orders=orders,
        linear=orders > 1,
    )


LINEAR, OTHER = scatter_operator(5), scatter_operator(1)


def scatter_case(row, reduce, include_self, dtypes):
    name, x_shape, axis, index, further = row
    index = np.array(index, 'int64')
    updates = list(x_shape)
    if index.ndim == 0:
        del updates[axis]
    else:
        updates[axis] = len(index) + further
    return Case(
        f'{name}, {reduce}, include_self={include_self}',
        {'x': x_shape, 'index': index, 'updates': tuple(updates)},
        scatter_options(axis, reduce, include_self),
        tuple(dtype for dtype in dtypes if defined(reduce, dtype)),
    )


def scatter_cases(reduces, rows=ROWS):
    """Every reduction of every row, of the first three and the wide ones in
    every dtype."""
    return [
        scatter_case(
            row,
            reduce,
            include_self,
            ALL_DTYPES if row in ROWS[:3] + WIDE_ROWS else ('float64',),
        )
        for row in rows
        for reduce in reduces
        for include_self in ((False,) if reduce == 'assign' else (True, False))
    ]


def graph_cases(reduces):
    """The cases that a program without known dims has: no index that may be a
    column, and no further updates but of the operator scatter."""
    plain = (
        scatter_options(0, 'assign', False),
        scatter_options(0, 'sum', False),
    )
    return [
        case
        for case in scatter_cases(reduces)
        if case.inputs['index'].ndim < 2
        and ('updates' not in case.name or case.options in plain)
    ]
