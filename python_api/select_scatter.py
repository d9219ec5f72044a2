from __future__ import annotations

from typing import TYPE_CHECKING, Any

import paddle
from paddle import _C_ops
from paddle.framework import in_pir_mode
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _check_int_arg,
    _check_tensor_args,
    _in_dtype_of_x,
    _known_shapes_differ,
    _promote_for_composite,
    _restore_dtype,
    _use_scatter_ops,
)
from paddle.utils.decorator_utils import ParamAliasDecorator

if TYPE_CHECKING:
    from paddle import Tensor


def _check_select_scatter_args(
    x: Tensor, values: Tensor, axis: int, index: int | Tensor
) -> None:
    """Check axis, index and the shape of values; raise the exceptions of the API."""
    shape = list(x.shape)
    rank = len(shape)
    if not -rank <= axis < rank:
        raise IndexError(
            f"(select_scatter) The value of axis should be in [{-rank}, {rank})"
            f" for x of rank {rank}, but received {axis}."
        )
    size = shape.pop(axis)
    values_shape = list(values.shape)
    if _known_shapes_differ(values_shape, shape):
        raise RuntimeError(
            f"(select_scatter) The shape of values should be the shape of x "
            f"without axis {axis}, {shape}, but received {values_shape}."
        )
    if isinstance(index, int) and size >= 0 and not -size <= index < size:
        raise IndexError(
            f"(select_scatter) The value of index should be in [{-size}, "
            f"{size}) for axis {axis}, which has size {size}, but received "
            f"{index}."
        )


def _is_symbolic_index(index: Any) -> bool:
    """Whether index is a 0-D integer pir.Value, known only at run time."""
    return (
        in_pir_mode()
        and isinstance(index, paddle.pir.Value)
        and index.dtype != paddle.bool
        and not (index.shape or index.is_floating_point() or index.is_complex())
    )


def _select_scatter_composed(
    x: Tensor, values: Tensor, axis: int, index: int | Tensor
) -> Tensor:
    """Compose select_scatter: on other devices, or for a symbolic index."""
    dtype = x.dtype
    x, values = _promote_for_composite(x), _promote_for_composite(values)
    axis %= len(x.shape)
    if isinstance(index, int) and x.shape[axis] >= 0:
        index %= x.shape[axis]
    else:
        # Gathering from arange(size) maps a negative index to [0, size). On the
        # CPU, it raises for an index out of range, which slice_scatter ignores.
        index = paddle.gather(
            paddle.arange(paddle.shape(x)[axis], dtype='int64'),
            paddle.full([1], index, 'int64'),
        )
    values = paddle.unsqueeze(values, axis)
    out = paddle.slice_scatter(x, values, [axis], [index], [index + 1], [1])
    return _restore_dtype(out, dtype)


@ParamAliasDecorator(
    {"x": ["input"], "values": ["src", "value"], "axis": ["dim"]}
)
def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """
    Embed ``values`` into a copy of ``x`` at ``index`` of ``axis`` and return the result.

    Args:
        x (Tensor): The input Tensor, with rank 1 or more. The data type is ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
            Alias: ``input``.
        values (Tensor): The slice to embed. Its shape is the shape of ``x`` without ``axis``, so it is 0-D for a 1-D
            ``x``. It is cast to the data type of ``x``, which must be complex if ``values`` is complex. Alias: ``src``, ``value``.
        axis (int): The axis to select from, in ``[-rank, rank)`` for ``x`` of rank ``rank``. Alias: ``dim``.
        index (int): The index to select, in ``[-size, size)`` for an axis of size ``size``. ``axis`` and ``index`` may be
            numpy integers or, in dynamic graph mode, 0-D integer Tensors. In a PIR program, only ``index`` may be a 0-D
            integer Tensor.
        name (str|None, optional): Name for the operation (optional, default is None).

    Returns:
        Tensor, with the data type and the shape of ``x``.

    Raises:
        IndexError: If ``axis`` or ``index`` is out of range; a Tensor ``index`` in a PIR program is checked on the CPU
            only.
        RuntimeError: If ``values`` does not have the shape of ``x`` without ``axis``. In a static graph, a mismatch that
            is found only at run time raises ValueError; with a Tensor ``index``, ``values`` are then broadcast if
            possible.
        ValueError: If ``values`` is complex and ``x`` is not.
        TypeError: If ``x`` or ``values`` is not a Tensor, or if ``axis`` or ``index`` is a bool or not an integer.

    Note:
        - Zero-size: ``x`` may have no elements, but the size of ``axis`` must not be 0.
        - Gradient: the gradient of ``x`` is the gradient of the result with zeros in the slice, and the gradient of ``values``
          is the slice of the result's gradient, in the data type of ``values``. Gradients exist up to the fifth order.
        - Determinism: elements are copied unchanged, so results do not depend on the number of threads.
        - Composition: on devices other than CPU and GPU, in ``paddle.onnx.export``, or if ``index`` is a Tensor in a PIR
          program, the function is composed of others: gradients exist of the first order only, and the bits of
          ``bfloat16`` NaNs may change.

    Examples:
        .. code-block:: python

            >>> import paddle

            >>> x = paddle.zeros((2,3,4)).astype("float32")
            >>> values = paddle.ones((2,4)).astype("float32")
            >>> res = paddle.select_scatter(x,values,1,1)
            >>> print(res)
            Tensor(shape=[2, 3, 4], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[[0., 0., 0., 0.],
                     [1., 1., 1., 1.],
                     [0., 0., 0., 0.]],
                    [[0., 0., 0., 0.],
                     [1., 1., 1., 1.],
                     [0., 0., 0., 0.]]])
    """
    is_eager = isinstance(x, paddle.Tensor) and isinstance(
        values, paddle.Tensor
    )
    if not is_eager:
        _check_tensor_args('select_scatter', x=x, values=values)
    if type(axis) is not int or not -(2**31) <= axis < 2**31:
        axis = _check_int_arg('select_scatter', 'axis', axis, 2**31)
    if type(index) is not int or not -(2**63) <= index < 2**63:
        if not _is_symbolic_index(index):
            index = _check_int_arg('select_scatter', 'index', index, 2**63)
    if values.dtype is not x.dtype:  # `!=` takes a microsecond, `is` does not
        values = _in_dtype_of_x('select_scatter', x, 'values', values)
    if type(index) is not int or not _use_scatter_ops():
        _check_select_scatter_args(x, values, axis, index)
        return _select_scatter_composed(x, values, axis, index)
    try:
        if is_eager or in_pir_mode():
            return _C_ops.select_scatter(x, values, axis, index)
        inputs = {'x': x, 'values': values}
        attrs = {'axis': axis, 'index': index}
        return _append_scatter_op('select_scatter', inputs, attrs)
    except ValueError:  # RuntimeError for a wrong shape, as in Paddle 3.3.1
        _check_select_scatter_args(x, values, axis, index)
        raise
