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

import paddle
from paddle import _C_ops
from paddle.framework import in_dynamic_or_pir_mode, in_pir_mode
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


def _check_select_scatter_args(
    x: Tensor, values: Tensor, axis: int, index: int | Tensor
) -> None:
    slice_shape = list(x.shape)
    rank = len(slice_shape)
    if not -rank <= axis < rank:
        raise IndexError(
            f"select_scatter: axis must be in [{-rank}, {rank}) because x has "
            f"{rank} dims, but received {axis}."
        )
    size = slice_shape.pop(axis)
    values_shape = list(values.shape)
    if _known_shapes_differ(values_shape, slice_shape):
        raise RuntimeError(
            f"select_scatter: values must have the shape of x without axis "
            f"{axis}, which is {slice_shape}, but received {values_shape}."
        )
    if isinstance(index, int) and size >= 0 and not -size <= index < size:
        raise IndexError(
            f"select_scatter: index must be in [{-size}, {size}) because axis "
            f"{axis} of x has size {size}, but received {index}."
        )


def _is_index_of_program(index: Any) -> bool:
    """Whether an index is a whole number that only the running program has."""
    return (
        in_pir_mode()
        and isinstance(index, paddle.pir.Value)
        and not (index.shape or index.is_floating_point() or index.is_complex())
    )


def _select_scatter_composed(
    x: Tensor, values: Tensor, axis: int, index: int | Tensor
) -> Tensor:
    """select_scatter for places without its kernels, or for a Tensor as index."""
    dtype, x, values = x.dtype, _widened(x), _widened(values)
    axis %= len(x.shape)
    if isinstance(index, int) and x.shape[axis] >= 0:
        index %= x.shape[axis]
    else:
        # gather refuses an index out of range, which slice_scatter would not
        index = paddle.gather(
            paddle.arange(paddle.shape(x)[axis], dtype='int64'),
            paddle.full([1], index, 'int64'),
        )
    values = paddle.unsqueeze(values, axis)
    out = paddle.slice_scatter(x, values, [axis], [index], [index + 1], [1])
    return paddle.cast(out, dtype)


@ParamAliasDecorator(
    {"x": ["input"], "values": ["src", "value"], "axis": ["dim"]}
)
def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """
    Returns a copy of ``x`` in which the slice at ``index`` of ``axis`` is overwritten with ``values``.

    Args:
        x (Tensor): The Tensor to copy, with at least 1 dim. The data type is ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
            Alias: ``input``.
        values (Tensor): The slice to write. Its shape is the shape of ``x`` without ``axis``, so for a 1-D ``x`` it is
            0-D. It is cast to the data type of ``x``, which must be complex if ``values`` is. Alias: ``src``, ``value``.
        axis (int): The axis to select from, in ``[-rank, rank)`` for an ``x`` of ``rank`` dims. Alias: ``dim``.
        index (int): The index to select, in ``[-size, size)`` for an axis of ``size`` elements.
        name (str|None, optional): Name for the operation (optional, default is None).

    Returns:
        Tensor, same dtype and shape with x

    Raises:
        IndexError: ``axis`` or ``index`` is out of range. If the size of the axis is not known before a static graph
            runs, ``index`` is checked when it runs.
        RuntimeError: ``values`` does not have the shape of ``x`` without ``axis``. What is not known before a static
            graph runs is checked when it runs, and is a ValueError then.
        ValueError: ``values`` is complex and ``x`` is not.
        TypeError: ``x`` or ``values`` is not a Tensor, or ``axis`` or ``index`` is no whole number. An int of numpy and
            a 0-D Tensor of integers are whole numbers too; in a static graph, ``axis`` cannot be a Tensor.

    Note:
        - Zero-size: ``x`` may have no elements, as long as ``axis`` has some for ``index`` to choose from.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros in the slice, and the gradient of
          ``values`` is the slice, in the data type of ``values``. Both can be differentiated again.
        - Determinism: every element is copied bit by bit, so results do not depend on the number of threads.
        - Saved programs: see :ref:`paddle.static.compatible_ops_guard <api_paddle_static_compatible_ops_guard>`.

    Examples:
        .. code-block:: python

            >>> import paddle

            >>> x = paddle.zeros((2,3,4)).astype("float32")
            >>> values = paddle.ones((2,4)).astype("float32")
            >>> res = paddle.select_scatter(x,values,1,1)
            >>> print(res)
            Tensor(shape=[2, 3, 4], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[[0., 0., 0., 0.],
                     [1., 1., 1., 1.],
                     [0., 0., 0., 0.]],
                    [[0., 0., 0., 0.],
                     [1., 1., 1., 1.],
                     [0., 0., 0., 0.]]])
    """
    _check_tensor_args('select_scatter', x=x, values=values)
    axis = _int_argument('select_scatter', 'axis', axis)
    if not _is_index_of_program(index):
        index = _int_argument('select_scatter', 'index', index)
    _check_select_scatter_args(x, values, axis, index)
    values = _in_dtype_of_x('select_scatter', x, 'values', values)

    if not (_has_scatter_kernels() and isinstance(index, int)):
        return _select_scatter_composed(x, values, axis, index)
    if in_dynamic_or_pir_mode():
        return _C_ops.select_scatter(x, values, axis, index)
    inputs, attrs = {'x': x, 'values': values}, {'axis': axis, 'index': index}
    return _append_scatter_op('select_scatter', inputs, attrs)
