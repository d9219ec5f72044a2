from __future__ import annotations

from typing import TYPE_CHECKING

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


def _diagonal_length(rows: int, columns: int, offset: int) -> int:
    if rows < 0 or columns < 0:  # unknown until the program runs
        return -1
    return max(0, min(rows, columns, rows + offset, columns - offset))


def _check_diagonal_scatter_args(
    x: Tensor, y: Tensor, offset: int, axis1: int, axis2: int
) -> None:
    """Check the axes and the shape of y; raise AssertionError, as Paddle 3.3.1."""
    shape = list(x.shape)
    rank = len(shape)
    for name, axis in (('axis1', axis1), ('axis2', axis2)):
        if not -rank <= axis < rank:
            raise AssertionError(
                f"(diagonal_scatter) The value of {name} should be in [{-rank}"
                f", {rank}) for x of rank {rank}, but received {axis}."
            )
    if (axis1 - axis2) % rank == 0:
        raise AssertionError(
            "(diagonal_scatter) The values of axis1 and axis2 should be "
            f"different axes of x, but received {axis1} and {axis2}."
        )
    axes = axis1 % rank, axis2 % rank
    length = _diagonal_length(shape[axis1], shape[axis2], offset)
    shape = [n for i, n in enumerate(shape) if i not in axes] + [length]
    if _known_shapes_differ(list(y.shape), shape):
        raise AssertionError(
            "(diagonal_scatter) The shape of y should be the shape of "
            f"diagonal(x, offset={offset}, axis1={axis1}, axis2={axis2}), "
            f"{shape}, but received {list(y.shape)}."
        )


def _diagonal_scatter_composed(
    x: Tensor, y: Tensor, offset: int, axis1: int, axis2: int
) -> Tensor:
    """Compose diagonal_scatter, without its kernel or for ONNX."""
    dtype, x, y = x.dtype, _promote_for_composite(x), _promote_for_composite(y)
    planes = paddle.moveaxis(x, [axis1, axis2], [-2, -1])
    *batch, rows, columns = planes.shape
    length = _diagonal_length(rows, columns, offset)
    if length < 0:  # unknown until the program runs
        rows, columns = paddle.shape(planes)[-2], paddle.shape(planes)[-1]
        length = paddle.shape(y)[-1]
    # with rows and columns flattened, a diagonal is a slice with a step
    batch = [max(n, 0) for n in batch]  # 0 keeps a dim in reshape
    flat = paddle.reshape(planes, [*batch, rows * columns])
    start = offset if offset >= 0 else columns * -offset
    end = start + (length - 1) * (columns + 1) + 1
    if isinstance(length, int) and length == 0:
        # slice_scatter raises for an empty slice; concat keeps the gradient of y
        flat = paddle.concat([flat, y], -1)
    else:
        flat = paddle.slice_scatter(
            flat, y, [len(batch)], [start], [end], [columns + 1]
        )
    planes = paddle.reshape(flat, [*batch, rows, columns])
    out = paddle.moveaxis(planes, [-2, -1], [axis1, axis2])
    return _restore_dtype(out, dtype)


@ParamAliasDecorator(
    {"x": ["input"], "y": ["src"], "axis1": ["dim1"], "axis2": ["dim2"]}
)
def diagonal_scatter(
    x: Tensor,
    y: Tensor,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    name: str | None = None,
) -> Tensor:
    """
    Embed the values of Tensor ``y`` into Tensor ``x`` along the diagonal elements
    of Tensor ``x``, with respect to ``axis1`` and ``axis2``.

    This function returns a tensor with fresh storage.

    The argument ``offset`` controls which diagonal to consider:

    - If ``offset`` = 0, it is the main diagonal.
    - If ``offset`` > 0, it is above the main diagonal.
    - If ``offset`` < 0, it is below the main diagonal.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/diagonal_scatter.png
       :width: 500
       :alt: legend of diagonal_scatter API

    Args:
        x (Tensor): The input Tensor, with rank 2 or more. The data type is ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
            Alias: ``input``.
        y (Tensor): The Tensor to embed, with the shape of the result of :ref:`api_paddle_diagonal`: the other axes of
            ``x`` in order, then the diagonal. It is cast to the data type of ``x``, which must be complex if ``y`` is.
            Alias: ``src``.
        offset (int, optional): which diagonal to consider. Default: 0 (main diagonal).
        axis1 (int, optional): The first axis of the diagonal, in ``[-rank, rank)`` for ``x`` of rank ``rank``.
            Default: 0. Alias: ``dim1``.
        axis2 (int, optional): The second axis of the diagonal, different from ``axis1``. Default: 1. Alias: ``dim2``.
        name (str|None, optional): Name for the operation (optional, default is None). For more information, please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type and the shape of ``x``.

    Raises:
        AssertionError: If ``axis1`` or ``axis2`` is out of range, if they are the same axis, or if ``y`` does not have
            the shape of the diagonal. In a static graph, a mismatch that is found only at run time raises ValueError.
        ValueError: If ``y`` is complex and ``x`` is not.
        TypeError: If ``x`` or ``y`` is not a Tensor, or if ``offset``, ``axis1`` or ``axis2`` is a bool or not an
            integer. Numpy integers and, in dynamic graph mode, 0-D integer Tensors are accepted.

    Note:
        - Zero-size: the diagonal at an ``offset`` past the end of ``axis1`` or ``axis2`` is empty. Then the last
          dimension of ``y`` is 0, and the result equals ``x``.
        - Gradient: the gradient of ``x`` is that of the result with zeros on the diagonal, and the gradient of ``y`` is
          the diagonal of the result's gradient, in the data type of ``y``. Gradients exist up to the fifth order.
        - Determinism: elements are copied unchanged, so results do not depend on the number of threads.
        - Composition: on devices other than CPU and GPU, and in ``paddle.onnx.export``, the function is composed of others:
          gradients exist of the first order only, and the bits of ``bfloat16`` NaNs may change.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.arange(6.0).reshape((2, 3))
            >>> y = paddle.ones((2,))
            >>> out = x.diagonal_scatter(y)
            >>> print(out)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[1., 1., 2.],
                    [3., 1., 5.]])
    """
    is_eager = isinstance(x, paddle.Tensor) and isinstance(y, paddle.Tensor)
    if not is_eager:
        _check_tensor_args('diagonal_scatter', x=x, y=y)
    if type(offset) is not int or not -(2**63) < offset < 2**63:
        offset = _check_int_arg('diagonal_scatter', 'offset', offset)
        # still past either end of any axis
        offset = max(1 - 2**63, min(offset, 2**63 - 1))
    if y.dtype is not x.dtype:
        y = _in_dtype_of_x('diagonal_scatter', x, 'y', y)
    try:
        if type(axis1) is not int or not -(2**31) <= axis1 < 2**31:
            axis1 = _check_int_arg('diagonal_scatter', 'axis1', axis1, 2**31)
        if type(axis2) is not int or not -(2**31) <= axis2 < 2**31:
            axis2 = _check_int_arg('diagonal_scatter', 'axis2', axis2, 2**31)
        if not _use_scatter_ops():
            _check_diagonal_scatter_args(x, y, offset, axis1, axis2)
        elif is_eager or in_pir_mode():
            return _C_ops.diagonal_scatter(x, y, offset, axis1, axis2)
        else:
            attrs = {'offset': offset, 'axis1': axis1, 'axis2': axis2}
            return _append_scatter_op(
                'diagonal_scatter', {'x': x, 'y': y}, attrs
            )
    except (IndexError, ValueError) as error:
        if is_eager and isinstance(error, ValueError):
            _check_diagonal_scatter_args(x, y, offset, axis1, axis2)
            raise  # not about the shapes
        raise AssertionError(str(error)) from error
    return _diagonal_scatter_composed(x, y, offset, axis1, axis2)
