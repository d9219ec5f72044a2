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

from typing import TYPE_CHECKING

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
            f"scatter: updates must have the shape of x, {list(x.shape)}, and "
            f"its dtype, {x.dtype}, but along axis {axis} be as long as index "
            f"or longer, or be without that axis if index is 0-D, but received "
            f"{_received(updates)} for an index of shape {list(index.shape)}."
        )


def _row_count(rows: Tensor) -> int | Tensor:
    count = rows.shape[0]
    return count if count >= 0 else paddle.shape(rows)[0]


def _per_row(values: Tensor, rows: Tensor) -> Tensor:
    """One value for each row, in a shape that broadcasts to the rows."""
    return paddle.reshape(values, [-1] + [1] * (len(rows.shape) - 1))


def _put_rows(
    rows: Tensor, index: Tensor, updates: Tensor, op_reduce: str
) -> Tensor:
    places = paddle.expand_as(_per_row(index, rows), updates)
    return paddle.put_along_axis(
        rows, places, updates, 0, op_reduce, broadcast=False
    )


def _assign_rows(rows: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    size = _row_count(rows)
    own = paddle.arange(size, dtype='int64')
    positions = paddle.arange(_row_count(index), dtype='int64') + size
    # of several positions of a row the last one is the greatest
    picks = _put_rows(own, index, positions, 'amax')
    return paddle.gather(paddle.concat([rows, updates]), picks)


def _neutral_rows(rows: Tensor, op_reduce: str) -> Tensor:
    """What changes no result of the reduction."""
    if op_reduce == 'mul':
        return paddle.ones_like(rows)
    if op_reduce in ('sum', 'mean'):
        return paddle.zeros_like(rows)
    name = convert_dtype(rows.dtype)
    if 'float' in name:
        infinity = _infinity(rows.dtype)
        limit = -infinity if op_reduce == 'amax' else infinity
    else:
        lowest = paddle.full([], np.iinfo(name).min, rows.dtype)
        # a constant of a PIR program goes through a double: no 2**63 - 1
        limit = lowest if op_reduce == 'amax' else -1 - lowest
    return paddle.expand_as(limit, rows)


def _extreme_rows(
    rows: Tensor, index: Tensor, updates: Tensor, op_reduce: str, named: Tensor
) -> Tensor:
    out = _put_rows(rows, index, updates, op_reduce)
    if not paddle.is_floating_point(rows):
        return out
    # put_along_axis may pass over a NaN
    nans = _put_rows(
        paddle.cast(paddle.isnan(rows), 'float32'),
        index,
        paddle.cast(paddle.isnan(updates), 'float32'),
        'add',
    )
    is_nan = paddle.logical_and(named, nans > 0)
    nan = _infinity(rows.dtype) * 0
    return paddle.where(is_nan, paddle.expand_as(nan, out), out)


def _multiply_rows(rows: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    """
    The products of the positions of each row, found without a division, so that
    the gradients are right where a factor is zero.

    The updates are sorted by row. Then each of them is multiplied with the one
    that lies 1, 2, 4, ... before it, if that is of the same row, so that the
    last one of a row becomes the product of all.
    """
    length = index.shape[0]
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
    return rows * _assign_rows(paddle.ones_like(rows), index, products)


def _reduce_rows(
    rows: Tensor,
    index: Tensor,
    updates: Tensor,
    op_reduce: str,
    include_self: bool,
) -> Tensor:
    # how often the index names each row
    zeros = paddle.zeros([_row_count(rows)], 'int64')
    counts = _put_rows(zeros, index, paddle.ones_like(index), 'add')
    counts = _per_row(counts, rows)
    if not include_self:
        rows = paddle.where(counts > 0, _neutral_rows(rows, op_reduce), rows)
    if op_reduce == 'mul':
        return _multiply_rows(rows, index, updates)
    if op_reduce in ('amax', 'amin'):
        return _extreme_rows(rows, index, updates, op_reduce, counts > 0)
    total = _put_rows(rows, index, updates, 'add')
    if op_reduce == 'sum':
        return total
    shares = paddle.clip(counts + int(include_self), 1)
    if not paddle.is_floating_point(rows):
        return paddle.floor_divide(total, shares)
    return total / paddle.cast(shares, rows.dtype)


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
    else:
        out = _reduce_rows(rows, index, updates, op_reduce, include_self)
    out = paddle.moveaxis(out, 0, axis)
    return paddle.as_complex(out) if as_parts else paddle.cast(out, x.dtype)
