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

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import paddle
from paddle.base.data_feeder import convert_dtype
from paddle.tensor.manipulation import (
    _known_shapes_differ,
    _received,
    _widened,
)

if TYPE_CHECKING:
    from paddle import Tensor


def _infinity(dtype: paddle.dtype) -> Tensor:
    """Infinity, which Paddle2ONNX cannot read as a constant of a program."""
    zero = paddle.zeros([], 'float32')
    return paddle.cast((zero + 1) / zero, dtype)


# What the composed forms of scatter share: x and updates are `rows`, with the
# axis in front; an index is 1-D, in range and not negative.


def _check_scatter_composed(
    x: Tensor, index: Tensor, updates: Tensor, axis: int, op_reduce: str
) -> None:
    rank = len(x.shape)
    if not 0 <= axis < rank:
        raise ValueError(
            f"scatter: axis must be in [{-rank}, {rank}) because x has {rank} "
            f"dims, but received {axis}."
        )
    if convert_dtype(index.dtype) not in ('int32', 'int64') or (
        len(index.shape) > 1 and list(index.shape[1:]) not in ([1], [-1])
    ):
        raise ValueError(
            f"scatter: index must have dtype int32 or int64 and shape [], [n] "
            f"or [n, 1], but received {_received(index)}."
        )
    if (op_reduce not in ('assign', 'sum') and x.dtype == paddle.bool) or (
        op_reduce in ('amax', 'amin') and paddle.is_complex(x)
    ):
        raise ValueError(
            f"scatter: reduce '{op_reduce}' is not defined for an x of dtype "
            f"{x.dtype}."
        )
    wanted = list(x.shape)
    if index.shape:
        wanted[axis] = -1  # not shorter than index
    else:
        del wanted[axis]
    if (
        updates.dtype != x.dtype
        or _known_shapes_differ(list(updates.shape), wanted)
        or (index.shape and 0 <= updates.shape[axis] < index.shape[0])
    ):
        raise ValueError(
            f"scatter: updates must have the shape of x, {list(x.shape)}, but "
            f"along axis {axis} be as long as index or longer, or be without "
            f"that axis if index is 0-D, and the dtype of x, {x.dtype}, but "
            f"received {_received(updates)} for an index of shape "
            f"{list(index.shape)}."
        )


def _row_count(rows: Tensor) -> int | Tensor:
    count = rows.shape[0]
    return count if count >= 0 else paddle.shape(rows)[0]


def _per_row(values: Tensor, rows: Tensor) -> Tensor:
    """One value for each row, in a shape that broadcasts to the rows."""
    return paddle.reshape(values, [-1] + [1] * (len(rows.shape) - 1))


def _index_counts(rows: Tensor, index: Tensor) -> Tensor:
    """How often the index names each row."""
    zeros = paddle.zeros([_row_count(rows)], 'int64')
    places = paddle.unsqueeze(index, 1)
    return paddle.scatter_nd_add(zeros, places, paddle.ones_like(index))


def _assign_rows(rows: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    size = _row_count(rows)
    # of several positions of a row the last one is the greatest
    picks = paddle.put_along_axis(
        paddle.arange(size, dtype='int64'),
        index,
        paddle.arange(_row_count(index), dtype='int64') + size,
        0,
        reduce='amax',
        broadcast=False,
    )
    return paddle.gather(paddle.concat([rows, updates]), picks)


def _sum_rows(
    rows: Tensor, index: Tensor, updates: Tensor, include_self: bool, mean: bool
) -> Tensor:
    counts = _per_row(_index_counts(rows, index), rows)
    total = rows
    if not include_self:
        total = paddle.where(counts > 0, paddle.zeros_like(rows), rows)
    total = paddle.scatter_nd_add(total, paddle.unsqueeze(index, 1), updates)
    if not mean:
        return total
    shares = paddle.clip(counts + int(include_self), 1)
    if not paddle.is_floating_point(rows):
        return paddle.floor_divide(total, shares)
    return total / paddle.cast(shares, rows.dtype)


def _limit(dtype: paddle.dtype, op_reduce: str) -> Tensor:
    """What every number wins against."""
    name = convert_dtype(dtype)
    if 'float' in name:
        return _infinity(dtype) * (-1 if op_reduce == 'amax' else 1)
    lowest = paddle.full([], np.iinfo(name).min, dtype)
    # a constant of a PIR program goes through a double: no 2**63 - 1
    return lowest if op_reduce == 'amax' else -1 - lowest


def _extreme_rows(
    rows: Tensor,
    index: Tensor,
    updates: Tensor,
    include_self: bool,
    op_reduce: str,
) -> Tensor:
    named = _per_row(_index_counts(rows, index), rows) > 0
    if not include_self:
        limit = _limit(rows.dtype, op_reduce)
        rows = paddle.where(named, paddle.expand_as(limit, rows), rows)
    out = paddle.put_along_axis(
        rows,
        paddle.expand_as(_per_row(index, rows), updates),
        updates,
        0,
        reduce=op_reduce,
        broadcast=False,
    )
    if not paddle.is_floating_point(rows):
        return out
    # put_along_axis may pass over a NaN
    nans = paddle.scatter_nd_add(
        paddle.cast(paddle.isnan(rows), 'float32'),
        paddle.unsqueeze(index, 1),
        paddle.cast(paddle.isnan(updates), 'float32'),
    )
    is_nan = paddle.logical_and(named, nans > 0)
    nan = _infinity(rows.dtype) * 0
    return paddle.where(is_nan, paddle.expand_as(nan, out), out)


def _product_rows(
    rows: Tensor, index: Tensor, updates: Tensor, include_self: bool
) -> Tensor:
    """
    The products of the positions of each row, found without a division, so that
    the gradients are right where a factor is zero.

    The updates are sorted by row. Then each of them is multiplied with the one
    that lies 1, 2, 4, ... before it, if that is of the same row.
    """
    length = index.shape[0]
    size = _row_count(rows)
    order = paddle.argsort(
        index * length + paddle.arange(length, dtype='int64')
    )
    index, products = paddle.gather(index, order), paddle.gather(updates, order)
    distance = 1
    while distance < length:
        same = _per_row(index[distance:] == index[:-distance], rows)
        behind = products[distance:]
        behind = paddle.where(same, behind * products[:-distance], behind)
        products = paddle.concat([products[:distance], behind])
        distance *= 2
    counts = _index_counts(rows, index)
    lasts = paddle.cumsum(counts) - 1 + size
    picks = paddle.where(counts > 0, lasts, paddle.arange(size, dtype='int64'))
    unnamed = paddle.ones_like(rows) if include_self else rows
    out = paddle.gather(paddle.concat([unnamed, products]), picks)
    return rows * out if include_self else out


def _scatter_composed(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    axis: int,
    op_reduce: str,
    include_self: bool,
) -> Tensor:
    """scatter for places without index_scatter and index_reduce."""
    _check_scatter_composed(x, index, updates, axis, op_reduce)
    if 0 in (*x.shape, *index.shape, *updates.shape):
        return paddle.assign(x)
    if op_reduce == 'mul' and index.shape and index.shape[0] < 0:
        raise NotImplementedError(
            f"scatter: reduce='mul' along axis {axis} of dtype {x.dtype}, as "
            f"composed for other devices and under "
            f"paddle.static.compatible_ops_guard, needs an index of known "
            f"length, but received one of shape {list(index.shape)}."
        )
    if not index.shape:
        updates = paddle.unsqueeze(updates, axis)
    as_parts = paddle.is_complex(x) and op_reduce in ('sum', 'mean')
    pair = []
    for tensor in (x, updates):
        if as_parts:
            tensor = paddle.as_real(tensor)
        elif not paddle.is_floating_point(tensor) and op_reduce == 'mean':
            tensor = paddle.cast(tensor, 'int64')
        pair.append(paddle.moveaxis(_widened(tensor), axis, 0))
    rows, updates = pair
    index = paddle.gather(
        paddle.arange(_row_count(rows), dtype='int64'),
        paddle.reshape(paddle.cast(index, 'int64'), [-1]),
    )
    updates = updates[: _row_count(index)]
    if op_reduce == 'assign':
        out = _assign_rows(rows, index, updates)
    elif op_reduce == 'mul':
        out = _product_rows(rows, index, updates, include_self)
    elif op_reduce in ('sum', 'mean'):
        mean = op_reduce == 'mean'
        out = _sum_rows(rows, index, updates, include_self, mean)
    else:
        out = _extreme_rows(rows, index, updates, include_self, op_reduce)
    out = paddle.moveaxis(out, 0, axis)
    return paddle.as_complex(out) if as_parts else paddle.cast(out, x.dtype)


def _scatter_composed_(x: Tensor, *arguments: Any) -> Tensor:
    # what gradients read of x must not change with it
    out = _scatter_composed(paddle.assign(x), *arguments)
    return paddle.where_(paddle.zeros_like(x, dtype='bool'), x, out)
