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

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

import paddle
from paddle.base.data_feeder import check_variable_and_dtype

if TYPE_CHECKING:
    from paddle import Tensor


# What the mask and scatter functions check alike.
def _is_tensor(value: Any) -> bool:
    """Whether value is a Tensor of dynamic graph mode or of a static graph."""
    return isinstance(
        value, (paddle.Tensor, paddle.pir.Value, paddle.base.framework.Variable)
    )


def _received(value: Any) -> str:
    """How an error tells what came: in one line, however much it is."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray) or _is_tensor(value):
        return f"a {kind} of shape {list(value.shape)} and {value.dtype}"
    return f"{reprlib.repr(value)} of type {kind}"


def _check_tensor_args(op_name: str, **tensors: Tensor) -> None:
    for arg_name, tensor in tensors.items():
        if not _is_tensor(tensor):
            raise TypeError(
                f"{op_name}: {arg_name} must be a Tensor, "
                f"but received {_received(tensor)}."
            )


def _in_dtype_of_x(
    op_name: str, x: Tensor, arg_name: str, tensor: Tensor
) -> Tensor:
    """A second operand, cast to the data type of x where it has another."""
    # `is` first: comparing two dtypes with == takes a microsecond
    if tensor.dtype is x.dtype or tensor.dtype == x.dtype:
        return tensor
    if paddle.is_complex(tensor) and not paddle.is_complex(x):
        raise ValueError(
            f"{op_name}: {arg_name} must not be complex, because x has dtype "
            f"{x.dtype}, but received {tensor.dtype}."
        )
    return paddle.cast(tensor, x.dtype)


def _check_scatter_variable(op_name: str, arg_name: str, x: Tensor) -> None:
    check_variable_and_dtype(
        x,
        arg_name,
        [
            'bool',
            'uint8',
            'int8',
            'int16',
            'int32',
            'int64',
            'float16',
            'uint16',  # bfloat16
            'float32',
            'float64',
            'complex64',
            'complex128',
        ],
        op_name,
    )
