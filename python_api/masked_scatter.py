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
from paddle.base import core
from paddle.base.data_feeder import convert_dtype
from paddle.framework import (
    _current_expected_place_,
    in_dynamic_mode,
    in_dynamic_or_pir_mode,
)
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _builds_compatible_ops,
    _check_mask_shape,
    _check_tensor_args,
    _compatible_ops_depth,
)
from paddle.utils.decorator_utils import param_two_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddle import Tensor


def _has_scatter_kernels() -> bool:
    """Whether the mask and scatter operators have kernels where ops run."""
    # the number first: this is asked in every call
    if _compatible_ops_depth and _builds_compatible_ops():
        return False
    served = (core.CPUPlace, core.CUDAPlace, core.CUDAPinnedPlace)
    return isinstance(_current_expected_place_(), served)


def _widened(x: Tensor) -> Tensor:
    """x in a data type in which composed forms can compute on every place."""
    dtype = convert_dtype(x.dtype)
    if dtype in ('float16', 'bfloat16', 'uint16'):  # uint16 is bfloat16
        return paddle.cast(x, 'float32')
    if dtype in ('bool', 'uint8', 'int8', 'int16'):
        return paddle.cast(x, 'int32')
    return x


def _check_masked_scatter_args(
    op_name: str, x: Tensor, mask: Tensor, value: Tensor
) -> None:
    _check_tensor_args(op_name, x=x, mask=mask, value=value)
    # `is` first: all else takes a microsecond. FLAGS_enable_pir_api changes
    # what a dtype is, but paddle.bool stays what it was at import.
    if mask.dtype is not paddle.bool and convert_dtype(mask.dtype) != 'bool':
        raise AssertionError(
            f"{op_name}: mask must have dtype paddle.bool, "
            f"but received {mask.dtype}."
        )
    if value.dtype is not x.dtype and value.dtype != x.dtype:
        raise AssertionError(
            f"{op_name}: value must have the dtype of x, which is {x.dtype}, "
            f"but received {value.dtype}."
        )


def _run_masked_scatter(
    op: Callable[..., Tensor], x: Tensor, mask: Tensor, value: Tensor
) -> Tensor:
    try:
        return op(x, mask, value)
    except IndexError as error:
        # that value has too few elements has always been an AssertionError in
        # dynamic graph mode, and tests rely on it
        raise AssertionError(str(error)) from error


def _composed_in_place(
    composed: Callable[..., Tensor], x: Tensor, *arguments: Any
) -> Tensor:
    # what gradients read of x must not change with it
    out = composed(paddle.assign(x), *arguments)
    return paddle.where_(paddle.zeros_like(x, dtype='bool'), x, out)


def _masked_scatter_composed(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """masked_scatter for places without its kernels."""
    dtype, x, value = x.dtype, _widened(x), _widened(value)
    mask = paddle.logical_and(mask, paddle.ones_like(x, dtype='bool'))
    # the k-th True, counted from 1; the zero at 0 serves what precedes the
    # first one, so that value may be empty
    count = paddle.cumsum(paddle.cast(mask, 'int64'))
    if in_dynamic_mode() and mask.size and int(count[-1]) > value.size:
        raise AssertionError(
            "(masked_scatter) value must have an element for each True of the "
            f"broadcast mask: {int(count[-1])} expected, but value has "
            f"{value.size}."
        )
    zero = paddle.zeros([1], value.dtype)
    source = paddle.concat([zero, paddle.reshape(value, [-1])])
    # -1 is not known before a static graph runs
    shape = paddle.shape(mask) if -1 in mask.shape else mask.shape
    picks = paddle.reshape(paddle.gather(source, count), shape)
    # the gradient of where sums over broadcast dims that it knows only
    x = paddle.expand(x, shape)
    return paddle.cast(paddle.where(mask, picks, x), dtype)


@param_two_alias(["x", "input"], ["value", "source"])
def masked_scatter(
    x: Tensor, mask: Tensor, value: Tensor, name: str | None = None
) -> Tensor:
    """
    Copies elements from `value` into `x` tensor at positions where the `mask` is True.

    Elements from source are copied into `x` starting at position 0 of `value` and continuing in order one-by-one for
    each occurrence of `mask` being True. The shape of `mask` must be broadcastable with the shape of the underlying tensor.
    The `value` should have at least as many elements as the number of ones in `mask`.

    ``x`` stays as it is; it and ``mask`` are broadcast against each other and walked in row-major order.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/masked_scatter.png
        :width: 500
        :alt: legend of masked_scatter API
        :align: center

    Args:
        x (Tensor): The Tensor to take unmasked elements from, of any shape that broadcasts with the shape of ``mask``.
            The data type is ``bool``, ``uint8``, ``int8``, ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``,
            ``float32``, ``float64``, ``complex64`` or ``complex128``. Alias: ``input``.
        mask (Tensor): The boolean tensor indicate the position to be filled.
            The data type of mask must be bool.
        value (Tensor): The elements to write, with the data type of ``x`` and any shape. It needs at least as many
            elements as the broadcast ``mask`` has Trues; further elements are not used. Alias: ``source``.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type of ``x`` and the shape that ``x`` and ``mask`` broadcast to.

    Raises:
        AssertionError: ``mask`` is not ``bool``, ``value`` and ``x`` differ in data type, or ``value`` has fewer
            elements than ``mask`` has Trues. In a static graph the last one is an IndexError when the program runs.
        ValueError: the shapes of ``x`` and ``mask`` do not broadcast.
        TypeError: ``x``, ``mask`` or ``value`` is not a Tensor.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, neither has the result. ``value`` may be empty as long as
          no element of ``mask`` is True.
        - Gradient: that of ``x``, and a ``mask`` that is changed before ``backward``, are as in
          :ref:`api_paddle_masked_fill`. The gradient of ``value`` holds the gradients of the masked positions in the
          same order, then zeros for the elements that were not used. Both can be differentiated again.
        - Determinism: every element is copied bit by bit, so results do not depend on the number of threads.
        - Saved programs: see :ref:`paddle.static.compatible_ops_guard <api_paddle_static_compatible_ops_guard>`.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.zeros([2, 2])
            >>> mask = paddle.to_tensor([[True, True], [False, False]])
            >>> value = paddle.to_tensor([1, 2, 3, 4, 5,], dtype="float32")

            >>> out = paddle.masked_scatter(x, mask, value)
            >>> print(out)
            Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                [[1., 2.],
                [0., 0.]])
    """
    _check_masked_scatter_args('masked_scatter', x, mask, value)
    if not _has_scatter_kernels():
        return _masked_scatter_composed(x, mask, value)

    if in_dynamic_or_pir_mode():
        return _run_masked_scatter(_C_ops.masked_scatter, x, mask, value)
    inputs = {'x': x, 'mask': mask, 'value': value}
    return _append_scatter_op('masked_scatter', inputs)


@param_two_alias(["x", "input"], ["value", "source"])
@inplace_apis_in_dygraph_only
def masked_scatter_(
    x: Tensor, mask: Tensor, value: Tensor, name: str | None = None
) -> Tensor:
    """
    Inplace version of ``masked_scatter`` API, the output Tensor will be inplaced with input ``x``.
    Please refer to :ref:`api_paddle_masked_scatter`.

    ``x`` keeps its shape, so ``mask`` must be broadcastable to the shape of ``x`` (ValueError otherwise).
    After any error ``x`` is unchanged.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.zeros([2, 3])
            >>> mask = paddle.to_tensor([[True], [False]])
            >>> y = paddle.masked_scatter_(x, mask, paddle.to_tensor([1.0, 2.0, 3.0]))
            >>> print(x.tolist())
            [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]
    """
    _check_masked_scatter_args('masked_scatter_', x, mask, value)
    _check_mask_shape('masked_scatter_', x, mask)
    if not _has_scatter_kernels():
        return _composed_in_place(_masked_scatter_composed, x, mask, value)
    return _run_masked_scatter(_C_ops.masked_scatter_, x, mask, value)
