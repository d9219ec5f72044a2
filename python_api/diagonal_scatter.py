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


def _diagonal_shape(
    shape: list[int], offset: int, axis1: int, axis2: int
) -> list[int]:
    """The shape of paddle.diagonal for axes that are not negative."""
    rows, columns = shape[axis1], shape[axis2]
    length = max(0, min(rows, columns, rows + offset, columns - offset))
    if rows < 0 or columns < 0:
        length = -1
    rest = [n for i, n in enumerate(shape) if i != axis1 and i != axis2]
    return [*rest, length]


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
    wanted = _diagonal_shape(x_shape, offset, axis1 % rank, axis2 % rank)
    y_shape = list(y.shape)
    if y_shape != wanted and _known_shapes_differ(y_shape, wanted):
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
    last = len(x.shape) - 1
    planes = paddle.moveaxis(x, [axis1, axis2], [-2, -1])
    sizes = list(planes.shape)
    length = _diagonal_shape(sizes, offset, last - 1, last)[-1]
    rows, columns = sizes[-2:]
    if length < 0:  # not known before a static graph runs
        rows, columns = paddle.shape(planes)[-2], paddle.shape(planes)[-1]
        length = paddle.shape(y)[-1]
    # with rows and columns as one axis, a diagonal is a slice with a step
    batch = [max(n, 0) for n in sizes[:-2]]  # 0: as it is
    lines = paddle.reshape(planes, [*batch, rows * columns])
    start = offset if offset >= 0 else columns * -offset
    end = start + (length - 1) * (columns + 1) + 1
    if isinstance(length, int) and length == 0:
        # slice_scatter refuses an empty slice; an empty y has a gradient too
        lines = paddle.concat([lines, y], -1)
    else:
        lines = paddle.slice_scatter(
            lines, y, [last - 1], [start], [end], [columns + 1]
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
    Returns a copy of ``x`` in which the diagonals between ``axis1`` and ``axis2`` are overwritten with ``y``.

    ``y`` has the shape of :ref:`paddle.diagonal(x, offset, axis1, axis2) <api_paddle_diagonal>`: the other axes of ``x``
    in order, then the diagonal. ``offset`` chooses the diagonal:

    - ``offset`` = 0: the main diagonal.
    - ``offset`` > 0: the one that starts at index ``offset`` of ``axis2``.
    - ``offset`` < 0: the one that starts at index ``-offset`` of ``axis1``.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/diagonal_scatter.png
       :width: 500
       :alt: legend of diagonal_scatter API

    Args:
        x (Tensor): The Tensor to copy, with at least 2 dims. The data type is ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
            Alias: ``input``.
        y (Tensor): The diagonals to write. They are cast to the data type of ``x``, which must be complex if ``y`` is.
            Alias: ``src``.
        offset (int, optional): Which diagonal to write. Default: 0.
        axis1 (int, optional): The first axis of the diagonals, in ``[-rank, rank)`` for an ``x`` of ``rank`` dims.
            Default: 0. Alias: ``dim1``.
        axis2 (int, optional): The second axis of the diagonals, another one than ``axis1``. Default: 1.
            Alias: ``dim2``.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`.

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
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros on the diagonals, and the gradient of
          ``y`` is the diagonals of the gradient of the result, in the data type of ``y``. Both can be differentiated
          again.
        - Determinism: every element is copied bit by bit, so results do not depend on the number of threads.
        - Saved programs: a program that is saved with this function runs in a Paddle that has the operator
          ``diagonal_scatter``, and not in releases without it, unless it is built under
          :ref:`paddle.static.compatible_ops_guard <api_paddle_static_compatible_ops_guard>`.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.arange(6.0).reshape([2, 3])
            >>> y = paddle.to_tensor([10.0, 20.0])
            >>> print(paddle.diagonal_scatter(x, y))
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[10., 1. , 2. ],
                    [3. , 20., 5. ]])

            >>> y.stop_gradient = False
            >>> out = x.diagonal_scatter(y, offset=1)
            >>> print(out)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=False,
                   [[0. , 10., 2. ],
                    [3. , 4. , 20.]])

            >>> out.sum().backward()
            >>> print(y.grad.tolist())
            [1.0, 1.0]
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
