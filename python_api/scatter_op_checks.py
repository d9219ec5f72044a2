from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

import paddle
from paddle.base.data_feeder import check_type
from paddle.base.framework import Variable
from paddle.framework import LayerHelper

if TYPE_CHECKING:
    from paddle import Tensor


def _is_tensor(value: Any) -> bool:
    """Whether value is a Tensor of dynamic graph mode or of a static graph."""
    return isinstance(value, (paddle.Tensor, paddle.pir.Value, Variable))


def _describe(value: Any) -> str:
    """Describe an argument in one line of bounded length."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray) or _is_tensor(value):
        return f"{kind} of shape {list(value.shape)} and dtype {value.dtype}"
    return f"{reprlib.repr(value)} of type {kind}"


def _check_tensor_args(api_name: str, **tensors: Tensor) -> None:
    for arg_name, tensor in tensors.items():
        if not _is_tensor(tensor):
            raise TypeError(
                f"({api_name}) The type of {arg_name} should be Tensor, "
                f"but received {_describe(tensor)}."
            )


def _refuse_leaf_in_place(api_name: str, x: Tensor) -> None:
    """
    Raise for a leaf that requires a gradient, before x is written.

    The generated code of an operator raises the same error after the kernel ran.
    """
    if x.is_leaf and not x.stop_gradient and paddle.is_grad_enabled():
        raise ValueError(
            f"({api_name}) Leaf Var ({x.name}) that doesn't stop gradient "
            f"can't use inplace strategy."
        )


def _in_dtype_of_x(
    api_name: str, x: Tensor, arg_name: str, tensor: Tensor
) -> Tensor:
    """Cast a second operand to the data type of x."""
    # `is` first: comparing two dtypes with == takes a microsecond
    if tensor.dtype is x.dtype or tensor.dtype == x.dtype:
        return tensor
    if paddle.is_complex(tensor) and not paddle.is_complex(x):
        raise ValueError(
            f"({api_name}) The dtype of {arg_name} should not be complex for x "
            f"of dtype {x.dtype}, but received {tensor.dtype}."
        )
    return paddle.cast(tensor, x.dtype)


def _append_scatter_op(
    op_name: str,
    inputs: dict[str, Tensor],
    attrs: dict[str, Any] | None = None,
    output: str = 'out',
) -> Tensor:
    """Append an operator to a program of the legacy IR and return its result."""
    for arg_name, tensor in inputs.items():
        check_type(tensor, arg_name, Variable, op_name)
    helper = LayerHelper(op_name)
    x = next(iter(inputs.values()))
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(
        type=op_name, inputs=inputs, outputs={output: out}, attrs=attrs
    )
    return out
