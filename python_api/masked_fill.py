from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import paddle
from paddle import _C_ops
from paddle.framework import _current_expected_place_, in_pir_mode
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _check_mask_shape,
    _check_tensor_args,
    _describe,
    _in_dtype_of_x,
    _is_tensor,
    _refuse_leaf_in_place,
)
from paddle.utils.decorator_utils import param_one_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor
    from paddle._typing import Numeric


def _python_number(
    api_name: str, dtype: str, value: Numeric
) -> int | float | complex:
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, str):
        # a float would round a large int, and an int drops the sign of -0
        for parse in (int, float) if 'int' in dtype else (float,):
            try:
                return parse(value)
            except ValueError:
                continue
        raise ValueError(
            f"({api_name}) The value of value should be a number, but received "
            f"{value!r}."
        )
    raise TypeError(
        f"({api_name}) The type of value should be Tensor, a number or "
        f"str, but received {_describe(value)}."
    )


def _fill_number(
    api_name: str, dtype: str, value: Numeric
) -> bool | int | float | complex:
    """Convert a number to the kind of the data type, without rounding it."""
    number = _python_number(api_name, dtype, value)
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
    # as in PyTorch, negative numbers wrap around in an unsigned type
    smallest = -largest if unsigned else -largest - 1
    if not (abs(number) < math.inf and smallest <= int(number) <= largest):
        wraps = f" (-1 means {largest})" if unsigned else ""
        raise ValueError(
            f"({api_name}) The value of value should be in [{smallest}, "
            f"{largest}]{wraps} for x of dtype {dtype}, but received {value}."
        )
    return int(number) & largest if unsigned else int(number)


def _is_plain_number(value: Numeric, dtype: paddle.dtype) -> bool:
    """Whether a Tensor of the data type can be filled without a conversion."""
    if type(value) is float:
        return (
            dtype is paddle.float32
            or dtype is paddle.float16
            or dtype is paddle.bfloat16
            or dtype is paddle.float64
        )
    return type(value) is int and (
        0 <= value < 128 or (-128 <= value < 0 and dtype is not paddle.uint8)
    )


def _fill_tensor(api_name: str, x: Tensor, value: Numeric) -> Tensor:
    """Convert a number to a 0-D Tensor of the data type of x."""
    dtype = x.dtype
    is_eager = isinstance(x, paddle.Tensor)
    if is_eager and _is_plain_number(value, dtype):
        # paddle.full checks its arguments for as long as masked_fill takes
        return _C_ops.full([], value, dtype, _current_expected_place_())
    name = str(dtype).rpartition('.')[2].lower()
    number = _fill_number(api_name, name, value)
    if is_eager:
        return _C_ops.full([], number, dtype, _current_expected_place_())
    if isinstance(number, complex):
        return paddle.assign(np.array(number, name))
    if name == 'int64' and abs(number) > 2**53:
        # a constant of a PIR program goes through a double
        base = paddle.full([], 2**32, dtype)
        high, low = (paddle.full([], n, dtype) for n in divmod(number, 2**32))
        return high * base + low
    return paddle.full([], number, dtype)


def _masked_fill_operands(
    api_name: str, x: Tensor, mask: Tensor, value: Numeric | Tensor
) -> tuple[Tensor, Tensor]:
    """Convert mask to bool, and value to a Tensor of the data type of x."""
    if not (isinstance(x, paddle.Tensor) and isinstance(mask, paddle.Tensor)):
        _check_tensor_args(api_name, x=x, mask=mask)
    # `is` first: comparing two dtypes with == takes a microsecond
    if mask.dtype is not paddle.bool and mask.dtype != paddle.bool:
        mask = paddle.cast(mask, 'bool')
    if isinstance(value, paddle.Tensor):
        if value.dtype is not x.dtype:
            value = _in_dtype_of_x(api_name, x, 'value', value)
    # a number first: isinstance of a Variable takes a microsecond
    elif type(value) in (float, int) or not _is_tensor(value):
        value = _fill_tensor(api_name, x, value)
    else:
        value = _in_dtype_of_x(api_name, x, 'value', value)
    return mask, value


def _check_masked_fill_shapes(
    api_name: str, x: Tensor, mask: Tensor, value: Tensor
) -> None:
    """Check the known dims; InferMeta of the operator does not look at value."""
    _check_mask_shape(api_name, x, mask)
    value_shape = list(value.shape)
    if all(n in (-1, 1) for n in value_shape):
        return  # possibly one element, which fits any shape
    out_shape = paddle.broadcast_shape(x.shape, mask.shape)
    if len(value_shape) > len(out_shape) or any(
        m not in (1, n) and m >= 0 and n >= 0
        for m, n in zip(value_shape[::-1], out_shape[::-1])
    ):
        raise ValueError(
            f"({api_name}) The shape of value should be broadcastable to the "
            f"shape of the result, {out_shape}, but received {value_shape}."
        )


@param_one_alias(["x", "input"])
def masked_fill(
    x: Tensor, mask: Tensor, value: Numeric | Tensor, name: str | None = None
) -> Tensor:
    """
    Fill the elements of ``x`` where ``mask`` is True with ``value`` and return the result as a new Tensor.

    ``x`` and ``mask`` are broadcast against each other, and a Tensor ``value`` is broadcast to the shape of the result.

    The following figure shows an example: consider a 3x3 matrix `x`, where all elements have a value of 1, and a matrix `mask` of the same size, and `value` is 3.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/masked_fill.png
       :width: 700
       :align: center

    Args:
        x (Tensor): The input Tensor. Its shape must be broadcastable with the shape of ``mask``. The data type is
            ``bool``, ``uint8``, ``int8``, ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``,
            ``float64``, ``complex64`` or ``complex128``. Alias: ``input``.
        mask (Tensor): The mask. Its shape must be broadcastable with the shape of ``x``. The data type is ``bool``; a
            mask of another data type is cast to ``bool``.
        value (bool|int|float|complex|str|Tensor): The value to fill with. A scalar, which may also be a numpy scalar or a
            str such as ``'-inf'``, is converted to the data type of ``x``. For an integer ``x``, the fraction is truncated,
            and a number out of range raises ValueError; ``uint8`` also accepts -255 to -1, which wrap around (-1 means
            255). For a floating point ``x``, a number out of range becomes infinity. For both, the imaginary part is
            dropped. A Tensor is cast to the data type of ``x``; integer overflow wraps around, as in ``Tensor.astype``,
            and a complex Tensor requires a complex ``x``. Unless the Tensor has one element, it must be
            broadcastable to the shape of the result.
        name (str|None, optional): Name for the operation (optional, default is None).

    Returns:
        Tensor, with the data type of ``x`` and the broadcast shape of ``x`` and ``mask``.

    Raises:
        ValueError: If the shapes are not broadcastable; if ``x`` has an integer type and a number is out of its range,
            infinite or NaN; if ``value`` is a complex Tensor and ``x`` is real; if a str is not a number.
        TypeError: If ``x`` or ``mask`` is not a Tensor, or ``value`` is neither a Tensor, a number nor a str.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, the result has none.
        - Gradient: the gradient of ``x`` is zero where ``mask`` is True and the gradient of ``value`` is zero where it is
          False; both are summed over broadcast axes. On a GPU, and in prim mode, the gradient of ``value`` may be
          wrong. In dynamic graph mode, gradients can be differentiated again, but not that of ``value`` alone
          (ValueError). If ``mask`` is modified in place before ``backward``, ``backward`` raises RuntimeError; pass
          ``mask.clone()`` to keep ``mask`` modifiable.
        - Determinism: elements are copied unchanged, and the order in which gradients are summed does not depend on the
          number of threads.

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
    if isinstance(x, paddle.Tensor):
        try:
            return _C_ops.masked_fill(x, mask, value)
        except ValueError:
            _check_masked_fill_shapes('masked_fill', x, mask, value)
            raise
    _check_masked_fill_shapes('masked_fill', x, mask, value)
    if in_pir_mode():
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

    ``mask`` must be broadcastable to the shape of ``x``. Raises ValueError if ``x`` is a leaf Tensor that requires a
    gradient. If the call raises, ``x`` is unchanged.

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
    if not x.stop_gradient:
        _refuse_leaf_in_place('masked_fill_', x)
    try:
        return _C_ops.masked_fill_(x, mask, value)
    except ValueError:
        _check_masked_fill_shapes('masked_fill_', x, mask, value)
        raise
