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
    in_dynamic_mode,
    in_dynamic_or_pir_mode,
)
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _builds_compatible_ops,
    _check_mask_shape,
    _check_tensor_args,
    _in_dtype_of_x,
    _infinity,
    _is_tensor,
    _masked_fill_composed,
    _received,
)
from paddle.utils.decorator_utils import param_one_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor
    from paddle._typing import Numeric


def _python_number(op_name: str, value: Numeric) -> int | float | complex:
    error = TypeError
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    if isinstance(value, (float, np.floating, str)):
        try:
            return float(value)
        except ValueError:
            error = ValueError
    raise error(
        f"{op_name}: value must be a Tensor or a number, "
        f"but received {_received(value)}."
    )


def _fill_number(
    op_name: str, dtype: str, value: Numeric
) -> bool | int | float | complex:
    """What an element of the data type is set to, still without rounding."""
    number = _python_number(op_name, value)
    if dtype == 'bool':
        return bool(number)
    if isinstance(number, complex):
        if dtype.startswith('complex'):
            return number
        number = number.real
    if 'int' not in dtype:
        try:
            return float(number)
        except OverflowError:  # an int beyond all floats
            return math.inf if number > 0 else -math.inf
    largest = np.iinfo(dtype).max
    unsigned = dtype == 'uint8'
    # an unsigned type takes -1 for its largest number, as PyTorch does
    smallest = -largest if unsigned else -largest - 1
    if not (abs(number) < math.inf and smallest <= int(number) <= largest):
        raise ValueError(
            f"{op_name}: value must be in the range of the dtype of x, "
            f"{dtype}, which takes whole numbers in [{smallest}, {largest}], "
            f"but received {value}."
        )
    return int(number) & largest if unsigned else int(number)


def _fill_tensor(op_name: str, x: Tensor, value: Numeric) -> Tensor:
    """A number as a 0-D Tensor of the data type of x."""
    dtype = str(x.dtype).rpartition('.')[2].lower()
    number = _fill_number(op_name, dtype, value)
    if not in_dynamic_mode():
        if isinstance(number, complex):
            return paddle.assign(np.array(number, dtype))
        if dtype == 'int64' and abs(number) > 2**53:
            # a constant of a PIR program goes through a double
            base = paddle.full([], 2**32, dtype)
            high, low = (
                paddle.full([], n, dtype) for n in divmod(number, 2**32)
            )
            return high * base + low
        if not math.isfinite(number) and _builds_compatible_ops():
            unit = 0.0 if math.isnan(number) else math.copysign(1.0, number)
            return paddle.cast(_infinity('float32') * unit, x.dtype)
    return paddle.full([], number, x.dtype)


def _masked_fill_operands(
    op_name: str, x: Tensor, mask: Tensor, value: Numeric | Tensor
) -> tuple[Tensor, Tensor]:
    """The mask as a bool Tensor, and value as a Tensor of the data type of x."""
    _check_tensor_args(op_name, x=x, mask=mask)
    # `is` first: comparing two dtypes with == takes a microsecond
    if mask.dtype is not paddle.bool and mask.dtype != paddle.bool:
        mask = paddle.cast(mask, 'bool')
    if _is_tensor(value):
        value = _in_dtype_of_x(op_name, x, 'value', value)
    else:
        value = _fill_tensor(op_name, x, value)
    _check_mask_shape(op_name, x, mask)
    return mask, value


@param_one_alias(["x", "input"])
def masked_fill(
    x: Tensor, mask: Tensor, value: Numeric | Tensor, name: str | None = None
) -> Tensor:
    """
    Returns a copy of ``x`` in which the positions where ``mask`` is True hold ``value``.

    ``x`` and ``mask`` are broadcast against each other, and a Tensor ``value`` is broadcast to the shape of the result.

    The following figure shows an example: consider a 3x3 matrix `x`,where all elements have a value of 1, and a matrix `mask` of the same size, and `value` is 3.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/masked_fill.png
       :width: 700
       :align: center

    Args:
        x (Tensor): The Tensor to take unmasked elements from, of any shape that broadcasts with the shape of ``mask``.
            The data type is ``bool``, ``uint8``, ``int8``, ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``,
            ``float32``, ``float64``, ``complex64`` or ``complex128``. Alias: ``input``.
        mask (Tensor): Where to write, of any shape that broadcasts with the shape of ``x``. The data type is ``bool``;
            a mask of another data type is True where it is not 0.
        value (bool|int|float|complex|Tensor): What to write. A number (also a scalar of numpy, or a str such as
            ``'-inf'``) is rounded to the data type of ``x``: one that is too large for a floating point type becomes
            infinite, a fraction is cut off for an integer type, -1 is 255 for ``uint8``, and any number but 0 is True for
            ``bool``; of a complex number a real ``x`` takes the real part. A Tensor is cast to the data type of ``x``,
            which must be complex if ``value`` is; what an integer type cannot hold wraps around there, as in
            ``Tensor.astype``. It has any shape that broadcasts to the shape of the result, or one element and any shape.
        name (str|None, optional): Name for the operation (optional, default is None).

    Returns:
        Tensor, with the data type of ``x`` and the shape that ``x`` and ``mask`` broadcast to.

    Raises:
        ValueError: the shapes do not broadcast, ``x`` is of an integer type and a number out of its range (infinity and
            NaN too), ``x`` is real and a Tensor ``value`` complex, or a str is no number.
        TypeError: ``x`` or ``mask`` is not a Tensor, or ``value`` is neither a Tensor nor a number.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, neither has the result.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros where ``mask`` is True, that of
          ``value`` the one with zeros where it is False, and each is summed over the axes along which its Tensor was
          broadcast. In dynamic graph mode, the gradient of ``x``, or both together, can be differentiated again; that of
          ``value`` alone is a ValueError. A ``mask`` that was changed in place meanwhile is a RuntimeError of
          ``backward``: give a ``mask.clone()`` to change it.
        - Determinism: elements are copied bit by bit, and the number of threads does not change the order of sums.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.ones((3, 3), dtype="float32")
            >>> mask = paddle.to_tensor([[True, True, False]])
            >>> out = paddle.masked_fill(x, mask, 2)
            >>> print(out)
            Tensor(shape=[3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[2., 2., 1.],
                    [2., 2., 1.],
                    [2., 2., 1.]])
    """
    mask, value = _masked_fill_operands('masked_fill', x, mask, value)
    if _builds_compatible_ops():
        return _masked_fill_composed(x, mask, value)
    if in_dynamic_or_pir_mode():
        return _C_ops.masked_fill(x, mask, value)
    inputs = {'x': x, 'mask': mask, 'value': value}
    return _append_scatter_op('masked_fill', inputs)


@param_one_alias(["x", "input"])
@inplace_apis_in_dygraph_only
def masked_fill_(
    x: Tensor, mask: Tensor, value: Numeric | Tensor, name: str | None = None
) -> Tensor:
    """
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
            >>> print(x.tolist())
            [[7.0, 7.0, 7.0], [1.0, 1.0, 1.0]]
    """
    mask, value = _masked_fill_operands('masked_fill_', x, mask, value)
    # the generated code of the operator refuses it too, but has written to x
    if x.is_leaf and not x.stop_gradient and paddle.is_grad_enabled():
        raise ValueError(
            f"(masked_fill_) Leaf Var ({x.name}) that doesn't stop gradient "
            f"can't use inplace strategy."
        )
    return _C_ops.masked_fill_(x, mask, value)
