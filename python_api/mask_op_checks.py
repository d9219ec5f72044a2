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

if TYPE_CHECKING:
    from paddle import Tensor


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


def _check_inplace_leaf(op_name: str, x: Tensor) -> None:
    # the generated code of the operators refuses it too, but has written to x
    if x.is_leaf and not x.stop_gradient and paddle.is_grad_enabled():
        raise ValueError(
            f"({op_name}) Leaf Var ({x.name}) that doesn't stop gradient can't "
            f"use inplace strategy."
        )


def _check_mask_broadcasts(op_name: str, x: Tensor, mask: Tensor) -> None:
    # a dim of -1 is not known before a static graph runs
    if any(
        m != n and m >= 0 and n >= 0 and 1 not in (m, n)
        for m, n in zip(x.shape[::-1], mask.shape[::-1])
    ):
        raise ValueError(
            f"{op_name}: the shapes of x and mask must broadcast, but "
            f"received {list(x.shape)} and {list(mask.shape)}."
        )
