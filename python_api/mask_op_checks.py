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

if TYPE_CHECKING:
    from paddle import Tensor


def _check_mask_shape(op_name: str, x: Tensor, mask: Tensor) -> None:
    """Refuses a mask that does not broadcast with x, in place to the shape of x."""
    x_shape, mask_shape = list(x.shape), list(mask.shape)
    if mask_shape == x_shape:
        return
    # dims of x where that of mask is another; one of -1 is not known before a
    # program runs
    wrong = [
        n
        for m, n in zip(mask_shape[::-1], x_shape[::-1])
        if m not in (1, n) and m >= 0 and n >= 0
    ]
    if not op_name.endswith('_'):
        if any(n != 1 for n in wrong):
            raise ValueError(
                f"{op_name}: the shapes of x and mask must broadcast, but "
                f"received {x_shape} and {mask_shape}."
            )
    elif wrong or len(mask_shape) > len(x_shape):
        raise ValueError(
            f"{op_name}: mask must be broadcastable to the shape of x, which "
            f"is {x_shape}, because x keeps its shape in place, but received "
            f"a mask of shape {mask_shape}."
        )
