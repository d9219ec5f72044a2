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
from paddle.base.wrapped_decorator import signature_safe_contextmanager
from paddle.framework import in_dynamic_mode
from paddle.tensor.manipulation import _widened

if TYPE_CHECKING:
    from collections.abc import Generator

    from paddle import Tensor

# How often compatible_ops_guard is entered.
_compatible_ops_depth: int = 0


def _builds_compatible_ops() -> bool:
    """Whether a program is built under compatible_ops_guard."""
    return _compatible_ops_depth > 0 and not in_dynamic_mode()


def _masked_fill_composed(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """masked_fill for programs that have to do without its operator."""
    mask = paddle.logical_and(mask, paddle.ones_like(x, dtype='bool'))
    # -1 is not known before a static graph runs
    shape = paddle.shape(mask) if -1 in mask.shape else mask.shape
    rank = len(mask.shape)
    # Paddle2ONNX cannot expand what has no dims; one element may have too many
    if not value.shape or len(value.shape) > rank:
        value = paddle.reshape(value, [1] * rank)
    # the gradient of where sums over broadcast dims that it knows only
    fill, rest = (paddle.expand(_widened(t), shape) for t in (value, x))
    return paddle.cast(paddle.where(mask, fill, rest), x.dtype)


# What compatible_ops_guard keeps out of programs.
_SCATTER_OPS = (
    'masked_scatter',
    'select_scatter',
    'diagonal_scatter',
    'index_scatter',
    'index_reduce',
)


def _check_compatible_ops(api_name: str, program: paddle.pir.Program) -> None:
    text = str(program)
    found = [name for name in _SCATTER_OPS if f'.{name}"' in text]
    if found:
        raise NotImplementedError(
            f"{api_name}: the program that was loaded has operators that "
            f"Paddle2ONNX does not know: {', '.join(found)}. Save it under "
            f"paddle.static.compatible_ops_guard()."
        )


@signature_safe_contextmanager
def compatible_ops_guard() -> Generator[None, None, None]:
    """
    A context manager in which programs are built of operators that earlier releases and Paddle2ONNX know.

    In a static graph, ``paddle.masked_scatter``, ``paddle.masked_fill``, ``paddle.select_scatter`` (unless ``index`` is a
    Tensor), ``paddle.diagonal_scatter`` and ``paddle.scatter`` with ``axis``, ``reduce`` or ``include_self`` are one
    operator each, and a saved program needs a Paddle that has them: a release before them, an XPU, a custom device or
    Paddle2ONNX may not. In this context they are composed of others, such as ``where``, ``gather`` and
    ``put_along_axis``, with the same result; that is slower and takes more memory. ``paddle.onnx.export`` enters the
    context by itself.

    Note:
        - What is influenced: programs that are built in the context, not calls in dynamic graph mode, nor what was built
          before or loaded. ``paddle.jit.save`` traces a function of ``paddle.jit.to_static`` again in the context.
        - Data types: all that the functions take. Without ``axis``, ``reduce`` and ``include_self``, ``paddle.scatter``
          is the operator ``scatter``, with the data types that a release has for it.
        - Gradient: as without the context, except that a NaN or infinite extreme of ``paddle.scatter`` may get less.
        - Unknown lengths: ``paddle.scatter`` with ``reduce='mul'`` raises NotImplementedError where the length of ``index``
          is not known when the program is built.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> paddle.enable_static()
            >>> x = paddle.static.data('x', [2, 3])
            >>> with paddle.static.compatible_ops_guard():
            ...     out = paddle.masked_scatter(x, x < 0, x * x)
            >>> print('masked_scatter' in str(paddle.static.default_main_program()))
            False
            >>> paddle.disable_static()
    """
    global _compatible_ops_depth
    _compatible_ops_depth += 1
    try:
        yield
    finally:
        _compatible_ops_depth -= 1
