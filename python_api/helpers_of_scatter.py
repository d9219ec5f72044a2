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

import warnings
from typing import TYPE_CHECKING, Any

from paddle import _C_ops
from paddle.framework import in_dynamic_mode, in_dynamic_or_pir_mode
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _check_tensor_args,
    _composed_in_place,
    _has_scatter_kernels,
    _int_argument,
    _is_bool,
    _is_tensor,
    _received,
    _scatter_composed,
)

if TYPE_CHECKING:
    from paddle import Tensor

# What `reduce` may be, and how the operators call it.
_SCATTER_REDUCE_NAMES = {
    'sum': 'sum',
    'add': 'sum',
    'mul': 'mul',
    'multiply': 'mul',
    'prod': 'mul',
    'mean': 'mean',
    'amax': 'amax',
    'amin': 'amin',
}


def _scatter_flag(api_name: str, arg_name: str, flag: Any) -> bool:
    if _is_bool(flag) and not _is_tensor(flag):
        return bool(flag)
    raise TypeError(
        f"{api_name}: {arg_name} must be a bool, but received {_received(flag)}."
    )


def _warn_of_no_effect(api_name: str, reduce: str, include_self: bool) -> None:
    if reduce == 'sum' and not include_self:
        return
    given = f"reduce={reduce!r}" if reduce != 'sum' else 'include_self=True'
    warnings.warn(
        f"{api_name}: {given} has no effect, because with overwrite=True, the "
        f"default, updates replace the slices of x. To reduce, pass "
        f"overwrite=False."
    )


def _scatter_op(
    api_name: str,
    x: Tensor,
    overwrite: Any,
    axis: Any,
    reduce: Any,
    include_self: Any,
) -> tuple[str, tuple]:
    """
    The operator that serves a call of scatter or scatter_, and its attributes.

    What earlier releases could say stays with the operator scatter, however it
    is spelled. Of the rest, mul, amax and amin are for index_reduce, whose
    gradient reads x and updates; index_scatter takes the others, whose gradient
    needs neither.
    """
    if not (type(overwrite) is type(include_self) is bool):
        if overwrite is None:  # which earlier releases took for False
            overwrite = False
        overwrite = _scatter_flag(api_name, 'overwrite', overwrite)
        include_self = _scatter_flag(api_name, 'include_self', include_self)
    # True is rather an include_self in the wrong place
    axis = _int_argument(api_name, 'axis', axis, or_bool=False)
    if not isinstance(reduce, str) or reduce not in _SCATTER_REDUCE_NAMES:
        raise ValueError(
            f"{api_name}: reduce must be one of "
            f"{', '.join(_SCATTER_REDUCE_NAMES)}, but received "
            f"{_received(reduce)}."
        )
    op_reduce = _SCATTER_REDUCE_NAMES[reduce]
    if overwrite:
        _warn_of_no_effect(api_name, reduce, include_self)
        op_reduce, include_self = 'assign', False
    if axis < 0:
        _check_tensor_args(api_name, x=x)
        rank = len(x.shape)
        axis += rank if axis >= -rank else 0  # what is out of range stays it
    if axis == 0 and op_reduce in ('assign', 'sum') and not include_self:
        return 'scatter', (overwrite,)
    if op_reduce in ('mul', 'amax', 'amin'):
        return 'index_reduce', (axis, op_reduce, include_self)
    return 'index_scatter', (axis, op_reduce, include_self)


def _run_scatter(
    api_name: str, x: Tensor, index: Tensor, updates: Tensor, *options: Any
) -> Tensor:
    """scatter or scatter_, whichever api_name says."""
    inplace = api_name.endswith('_')
    op, attrs = _scatter_op(api_name, x, *options)
    if op != 'scatter' or not in_dynamic_mode():
        # else the operator says which argument is no Tensor, as it always has
        _check_tensor_args(api_name, x=x, index=index, updates=updates)
    if op != 'scatter' and not _has_scatter_kernels():
        arguments = x, index, updates, *attrs
        if inplace:
            return _composed_in_place(_scatter_composed, *arguments)
        return _scatter_composed(*arguments)
    if in_dynamic_or_pir_mode():
        op = op + '_' if inplace else op
        return getattr(_C_ops, op)(x, index, updates, *attrs)
    if op == 'scatter':
        inputs = {'X': x, 'Ids': index, 'Updates': updates}
        return _append_scatter_op(op, inputs, {'overwrite': attrs[0]}, 'Out')
    inputs = {'x': x, 'index': index, 'updates': updates}
    names = ('axis', 'reduce', 'include_self')
    return _append_scatter_op(op, inputs, dict(zip(names, attrs)))


def _scatter_args_of_today(api_name: str, args: tuple, kwargs: dict) -> tuple:
    """
    The arguments of a call with five or more, as this release reads them.

    Earlier releases had name in fifth place and out in sixth, where axis and
    reduce are now. A str or None in fifth place can only be such a name.
    """
    name = args[4]
    if not (name is None or isinstance(name, str)):
        return args
    new_ones = kwargs.keys() & {'axis', 'reduce', 'include_self'}
    if new_ones or len(args) > 6 or any(isinstance(a, str) for a in args[5:]):
        return args  # no earlier release took it: a wrong axis
    if name in _SCATTER_REDUCE_NAMES:
        warnings.warn(
            f"{api_name}: the fifth positional argument is axis, or name if it "
            f"is a str: {name!r} is taken as a name. To choose how to reduce, "
            f"pass reduce={name!r}."
        )
    return *args[:4], 0, 'sum', False, *args[4:]
