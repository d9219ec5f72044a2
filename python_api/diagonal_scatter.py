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

import paddle
from paddle import _C_ops
from paddle.framework import in_dynamic_or_pir_mode
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _check_tensor_args,
    _has_scatter_kernels,
    _in_dtype_of_x,
    _int_argument,
    _known_shapes_differ,
    _widened,
)
from paddle.utils.decorator_utils import ParamAliasDecorator

if TYPE_CHECKING:
    from paddle import Tensor


def _diagonal_length(rows: int, columns: int, offset: int) -> int:
    if rows < 0 or columns < 0:  # not known before a static graph runs
        return -1
    return max(0, min(rows, columns, rows + offset, columns - offset))


def _check_diagonal_scatter_args(
    x: Tensor, y: Tensor, offset: int, axis1: int, axis2: int
) -> None:
    x_shape = list(x.shape)
    rank = len(x_shape)
    if rank < 2:
        raise AssertionError(
            "diagonal_scatter: x must have at least 2 dims, but received a "
            f"shape of {x_shape}."
        )
    for name, axis in (('axis1', axis1), ('axis2', axis2)):
        if not -rank <= axis < rank:
            raise AssertionError(
                f"diagonal_scatter: {name} must be in [{-rank}, {rank}) because "
                f"x has {rank} dims, but received {axis}."
            )
    if (axis1 - axis2) % rank == 0:
        raise AssertionError(
            "diagonal_scatter: axis1 and axis2 must be different axes of x, "
            f"but received {axis1} and {axis2} for an x of {rank} dims."
        )
    axes = axis1 % rank, axis2 % rank
    wanted = [n for i, n in enumerate(x_shape) if i not in axes]
    wanted += [_diagonal_length(x_shape[axis1], x_shape[axis2], offset)]
    y_shape = list(y.shape)
    if _known_shapes_differ(y_shape, wanted):
        raise AssertionError(
            f"diagonal_scatter: y must have the shape of diagonal(x, offset="
            f"{offset}, axis1={axis1}, axis2={axis2}), which is {wanted}, but "
            f"received {y_shape}."
        )


def _diagonal_scatter_composed(
    x: Tensor, y: Tensor, offset: int, axis1: int, axis2: int
) -> Tensor:
    """diagonal_scatter for places without its kernels."""
    dtype, x, y = x.dtype, _widened(x), _widened(y)
    planes = paddle.moveaxis(x, [axis1, axis2], [-2, -1])
    *batch, rows, columns = planes.shape
    length = _diagonal_length(rows, columns, offset)
    if length < 0:  # not known before a static graph runs
        rows, columns = paddle.shape(planes)[-2], paddle.shape(planes)[-1]
        length = paddle.shape(y)[-1]
    # with rows and columns as one axis, a diagonal is a slice with a step
    batch = [max(n, 0) for n in batch]  # 0: as it is
    lines = paddle.reshape(planes, [*batch, rows * columns])
    start = offset if offset >= 0 else columns * -offset
    end = start + (length - 1) * (columns + 1) + 1
    if isinstance(length, int) and length == 0:
        # slice_scatter refuses an empty slice; an empty y has a gradient too
        lines = paddle.concat([lines, y], -1)
    else:
        lines = paddle.slice_scatter(
            lines, y, [len(batch)], [start], [end], [columns + 1]
        )
    planes = paddle.reshape(lines, [*batch, rows, columns])
    out = paddle.moveaxis(planes, [-2, -1], [axis1, axis2])
    return paddle.cast(out, dtype)


@ParamAliasDecorator(
    {"x": ["input"], "y": ["src"], "axis1": ["dim1"], "axis2": ["dim2"]}
)
def diagonal_scatter(
    x: Tensor,
    y: Tensor,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    name: str | None = None,
) -> Tensor:
    """
    Embed the values of Tensor ``y`` into Tensor ``x`` along the diagonal elements
    of Tensor ``x``, with respect to ``axis1`` and ``axis2``.

    This function returns a tensor with fresh storage.

    The argument ``offset`` controls which diagonal to consider:

    - If ``offset`` = 0, it is the main diagonal.
    - If ``offset`` > 0, it is above the main diagonal.
    - If ``offset`` < 0, it is below the main diagonal.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/diagonal_scatter.png
       :width: 500
       :alt: legend of diagonal_scatter API

    Args:
        x (Tensor): The Tensor to copy, with at least 2 dims. The data type is ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
            Alias: ``input``.
        y (Tensor): The diagonals to write, of the shape of :ref:`paddle.diagonal <api_paddle_diagonal>`: the other axes
            of ``x`` in order, then the diagonal. They are cast to the data type of ``x``, which must be complex if ``y``
            is. Alias: ``src``.
        offset (int, optional): which diagonal to consider. Default: 0 (main diagonal).
        axis1 (int, optional): The rows of the diagonals, in ``[-rank, rank)`` for an ``x`` of ``rank`` dims. Default: 0.
            Alias: ``dim1``.
        axis2 (int, optional): The columns, another axis than ``axis1``. Default: 1. Alias: ``dim2``.
        name (str|None, optional): Name for the operation (optional, default is None). For more information, please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type and the shape of ``x``.

    Raises:
        AssertionError: ``x`` has fewer than 2 dims, ``axis1`` or ``axis2`` is out of range or both are the same axis,
            or ``y`` does not have the shape of the diagonals. What is not known before a static graph runs is checked
            when it runs, and is a ValueError then.
        ValueError: ``y`` is complex and ``x`` is not.
        TypeError: ``x`` or ``y`` is not a Tensor, or ``offset``, ``axis1`` or ``axis2`` is no whole number. An int of
            numpy and a 0-D Tensor of integers are whole numbers too.

    Note:
        - Zero-size: with an ``offset`` past the end of ``axis1`` or ``axis2`` the diagonals are empty. Then the last dim
          of ``y`` is 0, and the result equals ``x``.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros on the diagonals, and that of ``y`` is
          its diagonals, in the data type of ``y``. Both can be differentiated again.
        - Determinism: every element is copied bit by bit, so results do not depend on the number of threads.
        - Saved programs: see :ref:`paddle.static.compatible_ops_guard <api_paddle_static_compatible_ops_guard>`.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.arange(6.0).reshape((2, 3))
            >>> y = paddle.ones((2,))
            >>> out = x.diagonal_scatter(y)
            >>> print(out)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[1., 1., 2.],
                    [3., 1., 5.]])
    """
    _check_tensor_args('diagonal_scatter', x=x, y=y)
    offset = _int_argument('diagonal_scatter', 'offset', offset)
    axis1 = _int_argument('diagonal_scatter', 'axis1', axis1)
    axis2 = _int_argument('diagonal_scatter', 'axis2', axis2)
    _check_diagonal_scatter_args(x, y, offset, axis1, axis2)
    y = _in_dtype_of_x('diagonal_scatter', x, 'y', y)

    if not _has_scatter_kernels():
        return _diagonal_scatter_composed(x, y, offset, axis1, axis2)
    if in_dynamic_or_pir_mode():
        return _C_ops.diagonal_scatter(x, y, offset, axis1, axis2)
    attrs = {'offset': offset, 'axis1': axis1, 'axis2': axis2}
    return _append_scatter_op('diagonal_scatter', {'x': x, 'y': y}, attrs)
