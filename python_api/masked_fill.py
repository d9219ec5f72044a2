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
    in_dynamic_mode,
    in_pir_mode,
)
from paddle.tensor.manipulation import (
    _check_inplace_mask_shape,
    _check_scatter_variable,
    _check_tensor_args,
)
from paddle.utils.decorator_utils import param_one_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor
    from paddle._typing import Numeric


def _check_fill_mask(op_name: str, x: Tensor, mask: Tensor) -> None:
    dtype = getattr(mask, 'dtype', None)
    # `is` first: comparing two dtypes with == takes a microsecond
    if dtype is paddle.bool and isinstance(x, paddle.Tensor):
        return
    _check_tensor_args(op_name, x=x, mask=mask)
    if dtype != paddle.bool:
        raise ValueError(
            f"{op_name}: mask must have dtype paddle.bool, "
            f"but received {dtype}."
        )


def _fill_int(op_name: str, value: int) -> int | float:
    if -(2**63) <= value < 2**63:
        return value
    try:
        # only a floating point dtype may have it in its range
        return float(value)
    except OverflowError as error:
        raise ValueError(
            f"{op_name}: value must be in the range of the dtype of x, "
            f"but received an integer of {value.bit_length()} bits."
        ) from error


def _fill_number(op_name: str, value: Numeric) -> int | float | complex:
    if type(value) is float:
        return value
    if isinstance(value, (int, np.integer, np.bool_)):
        return _fill_int(op_name, int(value))
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    raise TypeError(
        f"{op_name}: value must be a Tensor or a number, "
        f"but received {type(value).__name__}."
    )


# The smallest numbers that round to infinity.
_FILL_OVERFLOWS = {
    'float16': 65520.0,
    'bfloat16': 2.0**128 - 2.0**119,
    'float32': 2.0**128 - 2.0**103,
    'complex64': 2.0**128 - 2.0**103,
}


def _is_in_fill_range(dtype: str, number: float | complex) -> bool:
    real, imag = number.real, number.imag
    if dtype == 'bool':
        return True
    if imag != 0 and not dtype.startswith('complex'):
        return False
    if 'int' in dtype:
        info = np.iinfo(dtype)
        return math.isfinite(real) and info.min <= int(real) <= info.max
    overflow = _FILL_OVERFLOWS.get(dtype, math.inf)
    return all(
        abs(part) < overflow or not math.isfinite(part) for part in (real, imag)
    )


def _int64_constant(number: int) -> Tensor:
    # a constant of a PIR program goes through a double
    high, low = divmod(number, 2**32)
    base = paddle.full([], 2**32, 'int64')
    return paddle.full([], high, 'int64') * base + paddle.full([], low, 'int64')


def _static_fill_value(
    op_name: str, x: Tensor, value: Numeric
) -> float | Tensor:
    """
    A float if the attribute of masked_fill_scalar can carry the number without loss, else a 0-D Tensor.
    """
    number = _fill_number(op_name, value)
    dtype = str(x.dtype).rpartition('.')[2]
    # the kernel checks this too, but only when the program runs
    if not _is_in_fill_range(dtype, number):
        raise ValueError(
            f"{op_name}: value must be in the range of the dtype of x, "
            f"{dtype}, but received {number}."
        )
    if dtype.startswith('complex'):
        if isinstance(number, complex) or not in_pir_mode():
            return paddle.assign(np.array(number, dtype))
        return float(number)
    number = bool(number) if dtype == 'bool' else number.real
    if dtype == 'int64' and abs(number) > 2**53:
        return _int64_constant(int(number))
    if in_pir_mode():
        return float(number)
    if 'int' in dtype:
        number = int(number)
    return paddle.full([], number, x.dtype)


def _masked_fill_legacy(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    _check_scatter_variable('masked_fill', 'x', x)
    helper = LayerHelper('masked_fill_tensor')
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(
        type='masked_fill_tensor',
        inputs={'x': x, 'mask': mask, 'value': value},
        outputs={'out': out},
    )
    return out


def _masked_fill_static(
    x: Tensor, mask: Tensor, value: Numeric | Tensor
) -> Tensor:
    if not isinstance(
        value,
        (paddle.Tensor, paddle.pir.Value, paddle.base.framework.Variable),
    ):
        value = _static_fill_value('masked_fill', x, value)
        if not in_pir_mode():
            # where the operator is a custom one, an old program can only
            # differentiate it with respect to all of its inputs
            value.stop_gradient = False
    if not in_pir_mode():
        return _masked_fill_legacy(x, mask, value)
    if isinstance(value, float):
        return _C_ops.masked_fill_scalar(x, mask, value)
    return _C_ops.masked_fill_tensor(x, mask, value)


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
        mask (Tensor): Where to write, of any shape that broadcasts with the shape of ``x``. The data type is ``bool``.
        value (bool|int|float|complex|Tensor): What to write. A number (also a scalar of numpy) must be in the range of
            the data type of ``x``; a fraction is cut off for an integer ``x``, and any number but 0 is True for a
            ``bool`` ``x``. A Tensor has the data type of ``x`` and any shape that broadcasts to the shape of the result.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type of ``x`` and the shape that ``x`` and ``mask`` broadcast to.

    Raises:
        ValueError: ``mask`` is not ``bool``, the shapes do not broadcast, a number is out of the range of the data type
            of ``x`` (infinity and NaN too, if that is an integer type), or a Tensor ``value`` has another data type.
        TypeError: ``x`` or ``mask`` is not a Tensor, or ``value`` is neither a Tensor nor a number.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, neither has the result.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros where ``mask`` is True, the gradient
          of ``value`` is the gradient of the result with zeros where ``mask`` is False, and each is summed over the axes
          along which its Tensor was broadcast. Both can be differentiated again.
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
    _check_fill_mask('masked_fill', x, mask)
    if not in_dynamic_mode():
        return _masked_fill_static(x, mask, value)
    if isinstance(value, paddle.Tensor):
        return _C_ops.masked_fill_tensor(x, mask, value)
    return _C_ops.masked_fill_scalar(
        x, mask, _fill_number('masked_fill', value)
    )


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
    _check_fill_mask('masked_fill_', x, mask)
    _check_inplace_mask_shape('masked_fill_', x, mask)
    if isinstance(value, paddle.Tensor):
        return _C_ops.masked_fill_tensor_(x, mask, value)
    return _C_ops.masked_fill_scalar_(
        x, mask, _fill_number('masked_fill_', value)
    )
