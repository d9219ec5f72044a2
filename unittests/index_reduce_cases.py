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
"""index_scatter and index_reduce: in plain loops, and the cases of their tests."""

import numpy as np
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
    random_numbers,
    to_numbers,
    to_storage,
)

from paddle import _C_ops

REDUCES = ('assign', 'sum', 'mul', 'mean', 'amax', 'amin')
LINEAR_REDUCES = ('assign', 'sum', 'mean')
OTHER_REDUCES = ('mul', 'amax', 'amin')
OPERATORS = {'index_scatter': LINEAR_REDUCES, 'index_reduce': OTHER_REDUCES}

# reduce -> what torch.index_reduce calls it
TORCH_NAMES = {'mul': 'prod', 'mean': 'mean', 'amax': 'amax', 'amin': 'amin'}


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


def dtype_reduces():
    """Yields every (dtype, reduce) that exists."""
    for dtype in ALL_DTYPES:
        for reduce in REDUCES:
            if defined(reduce, dtype):
                yield dtype, reduce


def reduce_rows(rows, reduce):
    """One row out of a list of them, in the order of the list."""
    total = rows[0]
    for row in rows[1:]:
        if reduce == 'mul':
            total = total * row
        elif reduce == 'amax':
            total = np.maximum(total, row)
        elif reduce == 'amin':
            total = np.minimum(total, row)
        elif total.dtype == bool:
            total = total | row
        else:
            total = total + row
    if reduce != 'mean':
        return total
    if total.dtype.kind == 'i':
        return total // len(rows)
    return total / total.dtype.type(len(rows))


def slots_of(index, size):
    """The index, flat, with negative values counted from the end."""
    flat = np.asarray(index).reshape(-1)
    return np.where(flat < 0, flat + size, flat)


def reference_index_reduce(x, index, updates, axis, reduce, include_self):
    """The definition, one slot at a time, in numpy's arithmetic."""
    out = np.array(x, order='C')
    target = np.moveaxis(out, axis, 0)  # a view
    if updates.ndim < x.ndim:
        updates = np.expand_dims(updates, axis)
    rows = np.moveaxis(updates, axis, 0)
    slots = slots_of(index, target.shape[0])
    for slot in sorted(set(slots.tolist())):
        chosen = [rows[i] for i in np.flatnonzero(slots == slot)]
        if reduce == 'assign':
            target[slot] = chosen[-1]
            continue
        own = [target[slot].copy()] if include_self else []
        if reduce in ('sum', 'mean') and not include_self:
            # so that a lone -0.0 gives +0.0; the count is that of the updates
            chosen[0] = chosen[0] + np.zeros_like(chosen[0])
        target[slot] = reduce_rows(own + chosen, reduce)
    return out


def expected_index_reduce(x, index, updates, axis, reduce, include_self, dtype):
    """reference_index_reduce for arrays in storage form.

    Half types are reduced in float32 and integers, for their mean, in int64.
    """
    wide = None
    if reduce != 'assign' and dtype in HALF_DTYPES:
        wide = np.float32
    elif reduce == 'mean' and dtype in INT_DTYPES:
        wide = np.int64
    if wide is None:
        return reference_index_reduce(
            x, index, updates, axis, reduce, include_self
        )
    out = reference_index_reduce(
        to_numbers(x, dtype).astype(wide),
        index,
        to_numbers(updates, dtype).astype(wide),
        axis,
        reduce,
        include_self,
    )
    return out if dtype == 'bfloat16' else to_storage(out, dtype)


def factors(rng, shape, dtype):
    """Numbers whose product of many neither overflows nor vanishes."""
    if dtype in COMPLEX_DTYPES:
        return to_storage(np.exp(1j * rng.uniform(-3, 3, shape)), dtype)
    if dtype in INT_DTYPES:
        return to_storage(rng.choice([1, 1, 1, 2, 3], shape), dtype)
    signs = rng.choice([-1.0, 1.0], shape)
    return to_storage(signs * rng.uniform(0.8, 1.25, shape), dtype)


def operands(rng, shape, reduce, dtype='float64'):
    """Numbers that suit a reduction."""
    if dtype == 'bool':
        return rng.random(shape) < 0.4
    if reduce == 'mul':
        return factors(rng, shape, dtype)
    if dtype in INT_DTYPES:
        low = 0 if dtype == 'uint8' else -60
        return rng.integers(low, 60, shape).astype(dtype)
    return random_numbers(rng, shape, dtype)


# (name, x shape, axis, index, further slices of updates)
CASES = (
    ('first axis', (6, 5), 0, [0, 3, 3, -1, 5, 3], 0),
    ('last axis', (5, 6), 1, [0, 3, 3, -1, 5, 3], 0),
    ('middle axis', (3, 6, 4), 1, [2, 2, -6, 1], 0),
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
    ('wide rows', (3, 2500), 0, [1, 2, 1, 1, 1, 1, 2], 0),
    ('few positions, many slots', (700, 2), 0, [650, 3, 650], 0),
    ('many rows', (45, 30), 1, list(range(29, -1, -1)) * 2, 0),
    ('x of no element', (0, 3), 1, [1, 2, 1], 0),
    ('axis of no element', (3, 0), 1, [], 0),
    ('slices of no element', (3, 0), 0, [1, 1], 0),
)


def cases():
    """Yields (name, x shape, axis, index, updates shape)."""
    for name, shape, axis, index, further in CASES:
        index = np.array(index, 'int64')
        updates = list(shape)
        if index.ndim == 0:
            del updates[axis]
        else:
            updates[axis] = len(index) + further
        yield name, shape, axis, index, tuple(updates)
