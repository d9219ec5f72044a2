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

import math
from typing import TYPE_CHECKING

import numpy as np

import paddle
from paddle import _C_ops
from paddle.framework import (
    LayerHelper,
    _current_expected_place_,
    in_dynamic_mode,
    in_dynamic_or_pir_mode,
)
from paddle.tensor.manipulation import (
    _check_inplace_mask_shape,
    _check_mask_broadcasts,
    _check_scatter_variable,
    _check_tensor_args,
    _is_tensor,
    _name_api,
    _received,
)
from paddle.utils.decorator_utils import param_one_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor
    from paddle._typing import Numeric


def _fill_mask(op_name: str, x: Tensor, mask: Tensor) -> Tensor:
    """The mask, as a bool Tensor."""
    dtype = getattr(mask, 'dtype', None)
    # `is` first: comparing two dtypes with == takes a microsecond
    if dtype is paddle.bool and isinstance(x, paddle.Tensor):
        return mask
    _check_tensor_args(op_name, x=x, mask=mask)
    return mask if dtype == paddle.bool else paddle.cast(mask, 'bool')


def _python_number(op_name: str, value: Numeric) -> int | float | complex:
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    try:
        if isinstance(value, (float, np.floating, str)):
            return float(value)
    except ValueError as error:
        raise ValueError(
            f"{op_name}: value must be a Tensor or a number, "
            f"but received {_received(value)}."
        ) from error
    raise TypeError(
        f"{op_name}: value must be a Tensor or a number, "
        f"but received {_received(value)}."
    )


def _whole_fill_number(
    op_name: str, dtype: str, value: Numeric, number: float
) -> int:
    info = np.iinfo(dtype)
    finite = isinstance(number, int) or math.isfinite(number)
    if not (finite and info.min <= int(number) <= info.max):
        raise ValueError(
            f"{op_name}: value must be in the range of the dtype of x, "
            f"{dtype}, which holds whole numbers in [{info.min}, {info.max}], "
            f"but received {value}."
        )
    return int(number)


def _float_fill_number(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # an int beyond all floats
        return math.inf if number > 0 else -math.inf


def _fill_number(
    op_name: str, dtype: str, value: Numeric
) -> bool | int | float | complex:
    """What an element of the data type is set to, still without rounding."""
    number = _python_number(op_name, value)
    if dtype == 'bool':
        return bool(number)
    if isinstance(number, complex) and not dtype.startswith('complex'):
        number = number.real
    if 'int' in dtype:
        return _whole_fill_number(op_name, dtype, value, number)
    return number if isinstance(number, complex) else _float_fill_number(number)


def _dtype_name(dtype: paddle.dtype) -> str:
    return str(dtype).rpartition('.')[2].lower()


# 0-D Tensors by number: to make one takes as long as to fill a small x.
_FILL_TENSORS: dict[tuple, tuple] = {}
_FILL_TENSORS_MAX = 64
_FILL_TENSORS_OF = frozenset((bool, int, float))


def _fill_tensor(op_name: str, x: Tensor, value: Numeric) -> Tensor:
    """A number as a 0-D Tensor of the data type of x, in dynamic graph mode."""
    dtype, kind, key = x.dtype, value.__class__, None
    if kind in _FILL_TENSORS_OF:
        # 0.0 equals -0.0, and a dtype takes a microsecond to hash
        key = (value or str(value), id(dtype))
        found = _FILL_TENSORS.get(key)
        # 1 equals True, and an id may stand for another object by now
        if (
            found
            and found[1] is dtype
            and found[2] is kind
            and found[3] is _current_expected_place_()
            # a call with distributed Tensors distributes the others too
            and not found[0].is_dist()
        ):
            return found[0]
    number = _fill_number(op_name, _dtype_name(dtype), value)
    tensor = paddle.full([], number, dtype)
    if key:
        if len(_FILL_TENSORS) >= _FILL_TENSORS_MAX:
            _FILL_TENSORS.clear()
        place = _current_expected_place_()
        _FILL_TENSORS[key] = tensor, dtype, kind, place
    return tensor


def _int64_constant(number: int) -> Tensor:
    # a constant of a PIR program goes through a double
    high, low = divmod(number, 2**32)
    base = paddle.full([], 2**32, 'int64')
    return paddle.full([], high, 'int64') * base + paddle.full([], low, 'int64')


def _fill_constant(op_name: str, x: Tensor, value: Numeric) -> Tensor:
    """A number as a 0-D Tensor of the data type of x, in a static graph."""
    dtype = _dtype_name(x.dtype)
    number = _fill_number(op_name, dtype, value)
    if isinstance(number, complex):
        return paddle.assign(np.array(number, dtype))
    if dtype == 'int64' and abs(number) > 2**53:
        return _int64_constant(number)
    return paddle.full([], number, x.dtype)


def _masked_fill_legacy(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    _check_scatter_variable('masked_fill', 'x', x)
    helper = LayerHelper('masked_fill')
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(
        type='masked_fill',
        inputs={'x': x, 'mask': mask, 'value': value},
        outputs={'out': out},
    )
    return out


@param_one_alias(["x", "input"])
def masked_fill(
    x: Tensor, mask: Tensor, value: Numeric | Tensor, name: str | None = None
) -> Tensor:
    r"""
    Returns a copy of ``x`` in which the positions where ``mask`` is True hold ``value``.

    ``x`` and ``mask`` are broadcast against each other, and a Tensor ``value`` is broadcast to the shape of the result:

    .. math::

        out_i =
        \begin{cases}
        value_i & \text{if } mask_i \\
        x_i & \text{otherwise}
        \end{cases}

    Args:
        x (Tensor): The Tensor to take unmasked elements from, of any shape that broadcasts with the shape of ``mask``.
            The data type is ``bool``, ``uint8``, ``int8``, ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``,
            ``float32``, ``float64``, ``complex64`` or ``complex128``. Alias: ``input``.
        mask (Tensor): Where to write, of any shape that broadcasts with the shape of ``x``. The data type is ``bool``;
            a mask of another data type is True where it is not 0.
        value (bool|int|float|complex|Tensor): What to write. A number (also a scalar of numpy, or a str such as
            ``'-inf'``) is rounded to the data type of ``x``: one that is too large for a floating point type becomes
            infinite, a fraction is cut off for an integer type, and any number but 0 is True for ``bool``; of a complex
            number a real ``x`` takes the real part. A Tensor has the data type of ``x`` and any shape that broadcasts to
            the shape of the result.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type of ``x`` and the shape that ``x`` and ``mask`` broadcast to.

    Raises:
        ValueError: the shapes do not broadcast, ``x`` is of an integer type and a number out of its range (infinity and
            NaN too), a Tensor ``value`` has another data type, or a str is no number.
        TypeError: ``x`` or ``mask`` is not a Tensor, or ``value`` is neither a Tensor nor a number.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, neither has the result.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros where ``mask`` is True, the gradient
          of ``value`` is the gradient of the result with zeros where ``mask`` is False, and each is summed over the axes
          along which its Tensor was broadcast. In dynamic graph mode, the gradient of ``x``, or both together, can be
          differentiated again; that of ``value`` alone is a ValueError. Like other operators, it reads ``mask`` again
          for them: a ``mask`` that was changed in place meanwhile is a RuntimeError of ``backward``; give a
          ``mask.clone()`` to change it.
        - Determinism: elements are copied bit by bit, and gradients are summed in an order that does not depend on the
          number of threads.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.ones([2, 3])
            >>> mask = paddle.to_tensor([True, False, True])
            >>> print(paddle.masked_fill(x, mask, 2))
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[2., 1., 2.],
                    [2., 1., 2.]])

            >>> value = paddle.to_tensor([[5.0], [6.0]], stop_gradient=False)
            >>> out = paddle.masked_fill(x, mask, value)
            >>> print(out)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=False,
                   [[5., 1., 5.],
                    [6., 1., 6.]])

            >>> out.sum().backward()
            >>> print(value.grad.tolist())
            [[2.0], [2.0]]
    """
    mask = _fill_mask('masked_fill', x, mask)
    if in_dynamic_mode():
        if not isinstance(value, paddle.Tensor):
            value = _fill_tensor('masked_fill', x, value)
    elif not _is_tensor(value):
        value = _fill_constant('masked_fill', x, value)
    try:
        if in_dynamic_or_pir_mode():
            return _C_ops.masked_fill(x, mask, value)
        return _masked_fill_legacy(x, mask, value)
    except Exception as error:
        # asked only now, so that valid calls do not pay for it
        _check_mask_broadcasts('masked_fill', x, mask)
        _name_api(error, 'masked_fill', 'masked_fill')
        raise


@param_one_alias(["x", "input"])
@inplace_apis_in_dygraph_only
def masked_fill_(
    x: Tensor, mask: Tensor, value: Numeric | Tensor, name: str | None = None
) -> Tensor:
    r"""
    Inplace version of ``masked_fill`` API, the output Tensor will be inplaced with input ``x``.
    Please refer to :ref:`api_paddle_masked_fill`.

    ``x`` keeps its shape, so ``mask`` must be broadcastable to the shape of ``x`` (ValueError otherwise).
    After any error ``x`` is unchanged.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.ones([2, 3])
            >>> mask = paddle.to_tensor([[True], [False]])
            >>> y = paddle.masked_fill_(x, mask, 7)
            >>> print(x)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[7., 7., 7.],
                    [1., 1., 1.]])
    """
    mask = _fill_mask('masked_fill_', x, mask)
    _check_inplace_mask_shape('masked_fill_', x, mask)
    if not isinstance(value, paddle.Tensor):
        value = _fill_tensor('masked_fill_', x, value)
    try:
        return _C_ops.masked_fill_(x, mask, value)
    except Exception as error:
        _name_api(error, 'masked_fill', 'masked_fill_')
        raise
