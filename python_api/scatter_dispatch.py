from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import paddle
from paddle import _C_ops
from paddle.framework import _current_expected_place_, in_pir_mode
from paddle.tensor.manipulation import (
    _PLACES_WITH_KERNELS,
    _append_scatter_op,
    _check_int_arg,
    _check_tensor_args,
    _describe,
    _is_bool,
    _is_tensor,
    _known_shapes_differ,
    _scatter_ops_state,
)

if TYPE_CHECKING:
    from paddle import Tensor

# {value of `reduce`: (operator, its value of `reduce`)}. The gradient of index_reduce
# reads x and updates, that of index_scatter reads neither.
_SCATTER_REDUCES = {
    'sum': ('index_scatter', 'sum'),
    'add': ('index_scatter', 'sum'),
    'mul': ('index_reduce', 'mul'),
    'multiply': ('index_reduce', 'mul'),
    'prod': ('index_reduce', 'mul'),
    'mean': ('index_scatter', 'mean'),
    'amax': ('index_reduce', 'amax'),
    'amin': ('index_reduce', 'amin'),
}
_MAX_RANK = 9


def _scatter_flag(api_name: str, arg_name: str, flag: Any) -> bool:
    if _is_bool(flag) and not _is_tensor(flag):
        return bool(flag)
    raise TypeError(
        f"({api_name}) The type of {arg_name} should be bool, but received "
        f"{_describe(flag)}."
    )


def _warn_ignored_reduce(
    api_name: str, reduce: str, include_self: bool
) -> None:
    ignored = f"reduce={reduce!r}" if reduce != 'sum' else 'include_self=True'
    warnings.warn(
        f"({api_name}) {ignored} is ignored, because overwrite is True, which "
        f"is the default. Pass overwrite=False to reduce."
    )


def _check_scatter_shapes(
    api_name: str, axis: int, x: Tensor, index: Tensor, updates: Tensor
) -> None:
    """Check the known dims; slices of updates past the end of index may follow."""
    x_shape, index_shape = list(x.shape), list(index.shape)
    if not x_shape:
        raise ValueError(
            f"({api_name}) The rank of x should be at least 1, but received 0."
        )
    if index_shape[1:] not in ([], [1]):
        raise ValueError(
            f"({api_name}) The shape of index should be [n], [n, 1] or [], "
            f"but received {index_shape}."
        )
    used_shape, expected = list(updates.shape), list(x_shape)
    expected[axis : axis + 1] = index_shape[:1]
    if index_shape and len(used_shape) > axis:
        used_shape[axis] = min(used_shape[axis], index_shape[0])
    if _known_shapes_differ(used_shape, expected):
        raise ValueError(
            f"({api_name}) The shape of updates should be {expected} for x of "
            f"shape {x_shape}, axis {axis} and index of shape {index_shape}, "
            f"but received {list(updates.shape)}."
        )


def _is_plain_index(axis: int, index: Tensor, updates: Tensor) -> bool:
    """Whether index is 1-D, and updates has as many slices along axis."""
    shape, updates_shape = index.shape, updates.shape
    return (
        len(shape) == 1
        and len(updates_shape) > axis
        and updates_shape[axis] == shape[0]
    )


def _to_plain_index(
    axis: int, index: Tensor, updates: Tensor
) -> tuple[Tensor, Tensor]:
    """
    Convert index to 1-D, and updates to as many slices along axis.

    The operator scatter accepts an index of shape [] or [n, 1] and more updates,
    index_scatter and index_reduce do not.
    """
    if not index.shape:
        # unsqueeze returns at most 8 dims
        return paddle.unsqueeze(index, 0), paddle.stack([updates], axis)
    if len(index.shape) == 2:
        index = paddle.squeeze(index, 1)
    length, num_updates = index.shape[0], updates.shape[axis]
    if 0 <= length < num_updates:
        if len(updates.shape) < 7:
            updates = paddle.slice(updates, [axis], [0], [length])
        else:  # the limit of slice; split has no second gradient in bfloat16
            sections = [length, num_updates - length]
            updates = paddle.split(updates, sections, axis)[0]
    return index, updates


def _run_scatter(
    api_name: str,
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: Any,
    axis: Any,
    reduce: Any,
    include_self: Any,
) -> Tensor:
    """
    Run scatter or scatter_, whose name is api_name.

    The operator scatter keeps all calls that releases before axis could express,
    however they are spelled.
    """
    if not (type(overwrite) is type(include_self) is bool):
        if overwrite is None:  # False in releases before axis
            overwrite = False
        overwrite = _scatter_flag(api_name, 'overwrite', overwrite)
        include_self = _scatter_flag(api_name, 'include_self', include_self)
    if type(axis) is not int:
        # a bool here is most likely a misplaced include_self
        axis = _check_int_arg(api_name, 'axis', axis)
    try:
        op, op_reduce = _SCATTER_REDUCES[reduce]
    except (KeyError, TypeError):  # TypeError: not hashable
        raise ValueError(
            f"({api_name}) The value of reduce should be one of "
            f"{', '.join(_SCATTER_REDUCES)}, but received "
            f"{_describe(reduce)}."
        ) from None
    if overwrite:
        if reduce != 'sum' or include_self:
            _warn_ignored_reduce(api_name, reduce, include_self)
        op, op_reduce, include_self = 'index_scatter', 'assign', False
    if not 0 <= axis < _MAX_RANK:  # else the operator checks it
        rank = len(x.shape)
        if not -rank <= axis < rank:
            raise IndexError(
                f"({api_name}) The value of axis should be in [{-rank}, "
                f"{rank}) for x of rank {rank}, but received {axis}."
            )
        axis %= rank
    is_dygraph = isinstance(x, paddle.Tensor)
    if axis == 0 and not include_self and op_reduce in ('assign', 'sum'):
        op, attrs = 'scatter', (overwrite,)
    else:
        attrs = (axis, op_reduce, include_self)
        place = _current_expected_place_()
        is_exported = not is_dygraph and _scatter_ops_state.composes
        if is_exported or not isinstance(place, _PLACES_WITH_KERNELS):
            raise NotImplementedError(
                f"({api_name}) The values of axis, reduce and include_self "
                f"should be the defaults on {place} and in paddle.onnx.export, "
                f"but received {axis}, {reduce!r} and {include_self}."
            )
    if is_dygraph:
        function = getattr(_C_ops, op + '_' if api_name == 'scatter_' else op)
        try:
            return function(x, index, updates, *attrs)
        except ValueError:
            if op == 'scatter' or _is_plain_index(axis, index, updates):
                raise
        _check_scatter_shapes(api_name, axis, x, index, updates)
        return function(x, *_to_plain_index(axis, index, updates), *attrs)
    _check_tensor_args(api_name, x=x, index=index, updates=updates)
    if op == 'scatter':
        # Paddle's operator accepts any updates if one has no elements
        if 0 not in (*x.shape, *index.shape, *updates.shape):
            _check_scatter_shapes(api_name, 0, x, index, updates)
    elif not _is_plain_index(axis, index, updates):
        _check_scatter_shapes(api_name, axis, x, index, updates)
        index, updates = _to_plain_index(axis, index, updates)
    if in_pir_mode():
        return getattr(_C_ops, op)(x, index, updates, *attrs)
    if op == 'scatter':
        inputs = {'X': x, 'Ids': index, 'Updates': updates}
        return _append_scatter_op(op, inputs, {'overwrite': overwrite}, 'Out')
    inputs = {'x': x, 'index': index, 'updates': updates}
    names = ('axis', 'reduce', 'include_self')
    return _append_scatter_op(op, inputs, dict(zip(names, attrs)))


def _normalize_legacy_scatter_args(
    api_name: str, args: tuple, kwargs: dict
) -> tuple:
    """
    Insert the defaults of axis, reduce and include_self into the positional
    arguments of a call written for releases before axis.

    Those had name as fifth argument and out as sixth, where axis and reduce are
    now. A str or None as fifth argument can only be such a name.
    """
    name = args[4]
    if not (name is None or isinstance(name, str)):
        return args
    has_new = kwargs.keys() & {'axis', 'reduce', 'include_self'}
    max_args = 6 if api_name == 'scatter' else 5  # scatter_ has no out
    if (
        has_new
        or len(args) > max_args
        or any(isinstance(a, str) for a in args[5:])
    ):
        return args  # an invalid axis: no release accepts the call
    if name in _SCATTER_REDUCES:
        warnings.warn(
            f"({api_name}) The fifth positional argument is axis, or name if it "
            f"is a str: {name!r} is used as name. Pass reduce={name!r} to "
            f"choose the reduction."
        )
    return *args[:4], 0, 'sum', False, *args[4:]
