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

from typing import Any

import numpy as np

import paddle
from paddle.tensor.manipulation import _is_tensor, _received


def _known_shapes_differ(shape: list[int], other: list[int]) -> bool:
    # a dim of -1 is not known before a static graph runs
    return shape != other and (
        len(shape) != len(other)
        or any(m != n and m >= 0 and n >= 0 for m, n in zip(shape, other))
    )


def _is_bool(value: Any) -> bool:
    """Whether value is True or False: Python's, numpy's or a Tensor."""
    return (
        isinstance(value, (bool, np.bool_))
        or getattr(value, 'dtype', None) == paddle.bool
    )


def _int_argument(
    op_name: str, arg_name: str, value: Any, or_bool: bool = True
) -> int:
    """An int, or what stands for one, as an int. A fraction is not cut off."""
    if type(value) is int:
        return value
    is_whole = not _is_tensor(value) or not (
        value.shape or value.is_floating_point() or value.is_complex()
    )
    try:
        is_bool = _is_bool(value)
        if is_whole and (or_bool or not is_bool):
            return int(value) if is_bool else value.__index__()
    except (AttributeError, TypeError):  # also a Tensor of a static graph
        pass
    raise TypeError(
        f"{op_name}: {arg_name} must be an int, "
        f"but received {_received(value)}."
    )
