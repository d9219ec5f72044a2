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
from paddle.base import core
from paddle.base.data_feeder import check_variable_and_dtype
from paddle.framework import _current_expected_place_

if TYPE_CHECKING:
    from paddle import Tensor


# The expected place that was asked about last, and the answer.
_scatter_kernels_at: tuple = (None, True)


def _has_scatter_kernels() -> bool:
    """
    Whether the expected place has kernels of masked_scatter, select_scatter,
    diagonal_scatter, index_scatter and index_reduce: CPU and GPU have.
    """
    global _scatter_kernels_at
    place = _current_expected_place_()
    if place is not _scatter_kernels_at[0]:
        served = (core.CPUPlace, core.CUDAPlace, core.CUDAPinnedPlace)
        _scatter_kernels_at = place, isinstance(place, served)
    return _scatter_kernels_at[1]


# What the mask and scatter functions check alike.
def _check_tensor_args(op_name: str, **tensors: Tensor) -> None:
    for arg_name, tensor in tensors.items():
        if not isinstance(
            tensor,
            (paddle.Tensor, paddle.pir.Value, paddle.base.framework.Variable),
        ):
            raise TypeError(
                f"{op_name}: {arg_name} must be a Tensor, "
                f"but received {type(tensor).__name__}."
            )


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


def _check_inplace_mask_shape(op_name: str, x: Tensor, mask: Tensor) -> None:
    x_shape, mask_shape = x.shape, mask.shape
    if mask_shape == x_shape:
        return
    lead = len(x_shape) - len(mask_shape)
    if lead < 0 or any(
        m != 1 and m != n for m, n in zip(mask_shape, x_shape[lead:])
    ):
        raise ValueError(
            f"{op_name}: mask must be broadcastable to the shape of x, which "
            f"is {x_shape}, because x keeps its shape in place, but received "
            f"a mask of shape {mask_shape}."
        )
