from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import paddle
from paddle.base import core
from paddle.base.data_feeder import convert_dtype
from paddle.base.wrapped_decorator import signature_safe_contextmanager
from paddle.framework import _current_expected_place_

if TYPE_CHECKING:
    from collections.abc import Generator

    from paddle import Tensor


# Cached: each attribute lookup on core takes 0.1 us per call.
_PLACES_WITH_KERNELS = (core.CPUPlace, core.CUDAPlace, core.CUDAPinnedPlace)


class _ScatterOpsState(threading.local):
    """Whether this thread builds scatter functions from existing operators."""

    composes: bool = False


_scatter_ops_state = _ScatterOpsState()


@signature_safe_contextmanager
def _compose_scatter_ops() -> Generator[None, None, None]:
    """Build programs without the operators that Paddle2ONNX does not convert."""
    previous = _scatter_ops_state.composes
    _scatter_ops_state.composes = True
    try:
        yield
    finally:
        _scatter_ops_state.composes = previous


def _use_scatter_ops() -> bool:
    """Whether to call the scatter operators instead of composing them."""
    if _scatter_ops_state.composes:
        return False
    return isinstance(_current_expected_place_(), _PLACES_WITH_KERNELS)


def _promote_for_composite(x: Tensor) -> Tensor:
    """Cast x to a data type in which composed forms compute on every place."""
    dtype = convert_dtype(x.dtype)
    if dtype in ('float16', 'bfloat16', 'uint16'):  # uint16 is bfloat16
        return paddle.cast(x, 'float32')
    if dtype in ('bool', 'uint8', 'int8', 'int16'):
        return paddle.cast(x, 'int32')
    return x


def _restore_dtype(out: Tensor, dtype: paddle.dtype) -> Tensor:
    """Undo _promote_for_composite; a cast to the same data type would copy."""
    return out if out.dtype == dtype else paddle.cast(out, dtype)
