from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddle import Tensor


def _check_mask_shape(api_name: str, x: Tensor, mask: Tensor) -> None:
    """
    Check that mask broadcasts with x, and in place to the shape of x.

    A dim of -1 is unknown until the program runs and fits any other.
    """
    x_shape, mask_shape = list(x.shape), list(mask.shape)
    # dims of x where mask has another one
    unequal = [
        n
        for m, n in zip(mask_shape[::-1], x_shape[::-1])
        if m not in (1, n) and m >= 0 and n >= 0
    ]
    if not api_name.endswith('_'):
        if any(n != 1 for n in unequal):
            raise ValueError(
                f"({api_name}) The shape of mask should be broadcastable with "
                f"the shape of x, {x_shape}, but received {mask_shape}."
            )
    elif unequal or len(mask_shape) > len(x_shape):
        raise ValueError(
            f"({api_name}) The shape of mask should be broadcastable to the "
            f"shape of x, {x_shape}, but received {mask_shape}."
        )
