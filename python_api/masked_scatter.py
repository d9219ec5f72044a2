from __future__ import annotations

from typing import TYPE_CHECKING

import paddle
from paddle import _C_ops
from paddle.base.data_feeder import convert_dtype
from paddle.framework import in_dynamic_mode, in_dynamic_or_pir_mode
from paddle.tensor.manipulation import (
    _append_scatter_op,
    _check_mask_shape,
    _check_tensor_args,
    _promote_for_composite,
    _refuse_leaf_in_place,
    _restore_dtype,
    _use_scatter_ops,
)
from paddle.utils.decorator_utils import param_two_alias
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor


def _check_masked_scatter_args(
    api_name: str, x: Tensor, mask: Tensor, value: Tensor
) -> None:
    """Raise AssertionError for a wrong data type, as Paddle 3.3.1 does."""
    _check_tensor_args(api_name, x=x, mask=mask, value=value)
    # the type of mask.dtype depends on FLAGS_enable_pir_api, paddle.bool does not
    if convert_dtype(mask.dtype) != 'bool':
        raise AssertionError(
            f"({api_name}) The dtype of mask should be bool, "
            f"but received {mask.dtype}."
        )
    if value.dtype != x.dtype:
        raise AssertionError(
            f"({api_name}) The dtype of value should be the dtype of x, "
            f"{x.dtype}, but received {value.dtype}."
        )


def _masked_scatter_composed(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """Compose masked_scatter, without its kernel or for ONNX."""
    _check_masked_scatter_args('masked_scatter', x, mask, value)
    dtype = x.dtype
    x, value = _promote_for_composite(x), _promote_for_composite(value)
    mask = paddle.logical_and(mask, paddle.ones_like(x, dtype='bool'))
    # the ordinal of each True element; the zero at index 0 serves elements
    # before the first one, so that value may be empty
    ordinals = paddle.cumsum(paddle.cast(mask, 'int64'))
    if in_dynamic_mode() and mask.size and int(ordinals[-1]) > value.size:
        raise AssertionError(
            "(masked_scatter) The number of elements of value should be at "
            "least the number of True elements of the broadcast mask, "
            f"{int(ordinals[-1])}, but received {value.size}."
        )
    zero = paddle.zeros([1], value.dtype)
    source = paddle.concat([zero, paddle.reshape(value, [-1])])
    # a dim of -1 is unknown until the program runs
    shape = paddle.shape(mask) if -1 in mask.shape else mask.shape
    selected = paddle.reshape(paddle.gather(source, ordinals), shape)
    # the gradient of where does not sum over broadcast dims that are unknown
    x = paddle.expand(x, shape)
    return _restore_dtype(paddle.where(mask, selected, x), dtype)


@param_two_alias(["x", "input"], ["value", "source"])
def masked_scatter(
    x: Tensor, mask: Tensor, value: Tensor, name: str | None = None
) -> Tensor:
    """
    Copy elements from `value` into `x` at the positions where `mask` is True and return the result as a new Tensor.

    ``x`` and ``mask`` are broadcast against each other. Both ``mask`` and ``value`` are read in row-major order: the
    position of the k-th True element of the broadcast ``mask`` receives the k-th element of ``value``.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/masked_scatter.png
        :width: 500
        :alt: legend of masked_scatter API
        :align: center

    Args:
        x (Tensor): The input Tensor. Its shape must be broadcastable with the shape of ``mask``. The data type is
            ``bool``, ``uint8``, ``int8``, ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``,
            ``float64``, ``complex64`` or ``complex128``. Alias: ``input``.
        mask (Tensor): The mask, with data type ``bool``. Its shape must be broadcastable with the shape of ``x``.
        value (Tensor): The elements to copy, with the data type of ``x`` and any shape. It must have at least as many
            elements as the broadcast ``mask`` has True elements; further elements are ignored. Alias: ``source``.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`.

    Returns:
        Tensor, with the data type of ``x`` and the broadcast shape of ``x`` and ``mask``.

    Raises:
        AssertionError: If ``mask`` is not ``bool``, if the data types of ``value`` and ``x`` differ, or, on the CPU, if
            ``value`` has fewer elements than the broadcast ``mask`` has True elements (IndexError in a static graph).
        ValueError: If the shapes of ``x`` and ``mask`` are not broadcastable.
        TypeError: If ``x``, ``mask`` or ``value`` is not a Tensor.

    Note:
        - Zero-size: if ``x`` or ``mask`` has no elements, the result has none. ``value`` may be empty if no element of
          ``mask`` is True.
        - Gradient: the gradient of ``x`` is zero where ``mask`` is True and summed over broadcast axes. The gradient of
          ``value`` is the gradient of the result at the True elements of ``mask`` in order, then zeros. Gradients exist
          up to the fifth order. ``mask`` must not be modified in place before ``backward``: see
          :ref:`api_paddle_masked_fill`.
        - Determinism: elements are copied unchanged, so results do not depend on the number of threads.
        - GPU: the number of elements of ``value`` is checked on the device. If it is too small, the kernel prints the error
          and aborts, and the process cannot use the GPU any more.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.zeros([2, 2])
            >>> mask = paddle.to_tensor([[True, True], [False, False]])
            >>> value = paddle.to_tensor([1, 2, 3, 4, 5,], dtype="float32")

            >>> out = paddle.masked_scatter(x, mask, value)
            >>> print(out)
            Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                [[1., 2.],
                [0., 0.]])
    """
    if not _use_scatter_ops():
        return _masked_scatter_composed(x, mask, value)
    try:
        if in_dynamic_or_pir_mode():
            return _C_ops.masked_scatter(x, mask, value)
        # InferMeta in the legacy IR does not check dtypes
        _check_masked_scatter_args('masked_scatter', x, mask, value)
        inputs = {'x': x, 'mask': mask, 'value': value}
        return _append_scatter_op('masked_scatter', inputs)
    except (IndexError, TypeError, ValueError) as error:
        _check_masked_scatter_args('masked_scatter', x, mask, value)
        if isinstance(error, IndexError):  # value has too few elements
            raise AssertionError(str(error)) from error
        raise


@param_two_alias(["x", "input"], ["value", "source"])
@inplace_apis_in_dygraph_only
def masked_scatter_(
    x: Tensor, mask: Tensor, value: Tensor, name: str | None = None
) -> Tensor:
    """
    Inplace version of ``masked_scatter`` API, the output Tensor will be inplaced with input ``x``.
    Please refer to :ref:`api_paddle_masked_scatter`.

    ``mask`` must be broadcastable to the shape of ``x``. Raises ValueError if ``x`` is a leaf Tensor that requires a
    gradient. If the call raises, ``x`` is unchanged.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.zeros([2, 3])
            >>> mask = paddle.to_tensor([[True], [False]])
            >>> y = paddle.masked_scatter_(x, mask, paddle.to_tensor([1.0, 2.0, 3.0]))
            >>> print(x.tolist())
            [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]
    """
    try:
        if not x.stop_gradient:
            _refuse_leaf_in_place('masked_scatter_', x)
        if _use_scatter_ops():
            return _C_ops.masked_scatter_(x, mask, value)
        _check_mask_shape('masked_scatter_', x, mask)
        # a copy of x, since gradients need its value before the call
        out = _masked_scatter_composed(paddle.assign(x), mask, value)
        return paddle.assign(out, x)  # in place; records the gradient
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        _check_masked_scatter_args('masked_scatter_', x, mask, value)
        _check_mask_shape('masked_scatter_', x, mask)
        if isinstance(error, IndexError):  # value has too few elements
            raise AssertionError(str(error)) from error
        raise
