from __future__ import annotations

import math
from typing import Any

import numpy as np

import paddle
from paddle.tensor.manipulation import _describe, _is_tensor


def _known_shapes_differ(shape: list[int], other: list[int]) -> bool:
    # a dim of -1 is unknown until the program runs
    return shape != other and (
        len(shape) != len(other)
        or any(m != n and m >= 0 and n >= 0 for m, n in zip(shape, other))
    )


def _is_bool(value: Any) -> bool:
    """Whether value is a bool of Python or numpy, or a Tensor of dtype bool."""
    return (
        isinstance(value, (bool, np.bool_))
        or getattr(value, 'dtype', None) == paddle.bool
    )


def _as_int(value: Any) -> int | None:
    """Return value as an int, or None if it is a bool or not an integer."""
    if _is_bool(value) or (
        _is_tensor(value)
        and (value.shape or value.is_floating_point() or value.is_complex())
    ):
        return None
    try:
        return value.__index__()
    except (AttributeError, TypeError):  # also for a Tensor of a static graph
        return None


def _check_int_arg(
    api_name: str, arg_name: str, value: Any, limit: float = math.inf
) -> int:
    """
    Return value as an int.

    Raise TypeError if it is not an integer, IndexError outside [-limit, limit).
    """
    number = value if type(value) is int else _as_int(value)
    if number is None:
        raise TypeError(
            f"({api_name}) The type of {arg_name} should be int, "
            f"but received {_describe(value)}."
        )
    if not -limit <= number < limit:
        raise IndexError(
            f"({api_name}) The value of {arg_name} should be in [{-limit}, "
            f"{limit}), but received {number}."
        )
    return number
