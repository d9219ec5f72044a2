from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from typing_extensions import overload

import paddle
from paddle import _C_ops
from paddle.framework import in_dynamic_mode
from paddle.tensor.manipulation import (
    _check_tensor_args,
    _normalize_legacy_scatter_args,
    _put_along_axis_inplace_wrapper,
    _put_along_axis_wrapper,
    _refuse_leaf_in_place,
    _run_scatter,
)
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor


def _scatter_inplace_wrapper(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: str = 'sum',
    include_self: bool = False,
    name: str | None = None,
) -> Tensor:
    """Wrapper for inplace origin scatter"""
    try:
        if not x.stop_gradient:
            _refuse_leaf_in_place('scatter_', x)
        if (
            type(axis) is int
            and axis == 0
            and type(reduce) is str
            and reduce == 'sum'
            and include_self is False
            and type(overwrite) is bool
        ):
            return _C_ops.scatter_(x, index, updates, overwrite)
        return _run_scatter(
            'scatter_', x, index, updates, overwrite, axis, reduce, include_self
        )
    except (AttributeError, TypeError, ValueError):
        # after the call, since it costs as much as a small scatter
        _check_tensor_args('scatter_', x=x, index=index, updates=updates)
        raise


# Python names the function by it in the error for a missing argument.
_scatter_inplace_wrapper.__qualname__ = 'scatter_'


@overload
def scatter_(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: str = 'sum',
    include_self: bool = False,
    name: str | None = None,
) -> Tensor: ...


@overload
def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | None = None,
    reduce: str | None = None,
    value: Tensor | None = None,
) -> Tensor: ...


def scatter_(*args: Any, **kwargs: Any) -> Tensor:
    """
    Inplace version of ``scatter`` API, the output Tensor will be inplaced with input ``x``.
    Please refer to :ref:`api_paddle_scatter`.

    Raises ValueError if ``x`` is a leaf Tensor that requires a gradient. If the call raises, ``x`` is unchanged.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
            >>> updates = paddle.to_tensor([7.0, 0.0, 9.0])
            >>> y = paddle.scatter_(x, paddle.to_tensor([2, 0, 2]), updates, False, reduce='amax', include_self=True)
            >>> print(x.tolist())
            [1.0, 2.0, 9.0]
    """
    if not in_dynamic_mode():
        # as a decorator of this function, it would take 0.2 us of a 2.5 us call
        return inplace_apis_in_dygraph_only(scatter_)(*args, **kwargs)
    len_args = len(args)
    if len_args + len(kwargs) < 2:
        raise TypeError(
            f"Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor index, Tensor updates, bool overwrite, str name = None)"
        )
    is_put_along_axis = False
    # put_along_axis (torch.scatter) must have 'dim' in either args or kwargs
    if len_args >= 2:
        is_put_along_axis = isinstance(args[1], int)
    else:
        is_put_along_axis = 'dim' in kwargs
    if is_put_along_axis:
        return _put_along_axis_inplace_wrapper(*args, **kwargs)
    else:
        if len_args > 4:  # name and out in releases before axis
            args = _normalize_legacy_scatter_args('scatter_', args, kwargs)
        return _scatter_inplace_wrapper(*args, **kwargs)


scatter_.signature = inspect.signature(_scatter_inplace_wrapper)
scatter_.__signature__ = inspect.signature(_scatter_inplace_wrapper)


def _scatter_wrapper(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: str = 'sum',
    include_self: bool = False,
    name: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Wrapper for original scatter
    This API is not directly available for users. One can only call this API via torch.Tensor.scatter or torch.scatter
    """
    if out is not None:
        _check_tensor_args('scatter', out=out)
    try:
        if (
            type(axis) is int
            and axis == 0
            and type(reduce) is str
            and reduce == 'sum'
            and include_self is False
            and type(overwrite) is bool
            and out is None
            and isinstance(x, paddle.Tensor)
        ):
            return _C_ops.scatter(x, index, updates, overwrite)
        res = _run_scatter(
            'scatter', x, index, updates, overwrite, axis, reduce, include_self
        )
    except (AttributeError, TypeError, ValueError):
        # after the call, since it costs as much as a small scatter
        _check_tensor_args('scatter', x=x, index=index, updates=updates)
        raise
    if out is not None:
        paddle.assign(res, out)
    return res


_scatter_wrapper.__qualname__ = 'scatter'


@overload
def scatter(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: str = 'sum',
    include_self: bool = False,
    name: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...


@overload
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
    value: Tensor | None = None,
) -> Tensor: ...


def scatter(*args: Any, **kwargs: Any) -> Tensor:
    """

    This function has two functionalities, depending on the parameters passed:

    1. ``scatter(Tensor input, int dim, Tensor index, Tensor src (alias value), *, str reduce = None, Tensor out = None)``:
        PyTorch compatible scatter, calls a non-broadcast `paddle.put_along_axis`.
        Check out :ref:`api_paddle_put_along_axis` and also `[torch has more parameters] torch.scatter <https://www.paddlepaddle.org.cn/documentation/docs/zh/develop/guides/model_convert/convert_from_pytorch/api_difference/torch/torch.scatter.html>`_

    2. ``scatter(Tensor x, Tensor index, Tensor updates, bool overwrite = True, int axis = 0, str reduce = 'sum', bool include_self = False, str name = None, Tensor out = None)``:
        The original paddle.scatter, see the following docs.

    The first one is selected if the second positional argument is an int, or if ``dim`` is passed by keyword with at most
    one positional argument. Its ``reduce`` is that of ``put_along_axis``; only the second one has ``axis`` and
    ``include_self``.

    Return a copy of ``x`` in which the slices selected by ``index`` along ``axis`` are replaced by the slices of
    ``updates``, or by their reduction.

    If ``overwrite`` is True, slice ``index[i]`` of the result is slice ``i`` of ``updates``; of duplicate indices the
    last one wins. If ``overwrite`` is False, all slices of ``updates`` with the same index are reduced to one slice; the
    slice of ``x`` is included in the reduction only if ``include_self`` is True. Slices of ``x`` that are not in ``index``
    keep their values.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/scatter.png
        :alt: Legend - scatter behavior display

    Args:
        x (Tensor): The input N-D Tensor with ``ndim >= 1``. The data type can be ``bool``, ``uint8``, ``int8``, ``int16``,
            ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or ``complex128``.
        index (Tensor): The indices along ``axis``, with shape ``[n]``, ``[n, 1]`` or ``[]`` and values in
            ``[-x.shape[axis], x.shape[axis])``. The data type can be ``int32`` or ``int64``.
        updates (Tensor): The slices to write or to reduce, with the data type of ``x``. The shape is the shape of ``x``,
            except along ``axis``, where the size is ``n`` or larger; slices after the first ``n`` are ignored. If
            ``index`` is 0-D, the shape is the shape of ``x`` without ``axis``. In a static graph where ``n`` or the size
            of ``updates`` is unknown, calls with ``axis``, ``reduce`` or ``include_self`` require exactly ``n`` slices.
        overwrite (bool, optional): Whether to overwrite slices (True) or to reduce them (False or None). If True,
            ``reduce`` and ``include_self`` are ignored; values other than their defaults emit a UserWarning. Default is True.
        axis (int, optional): The axis to index, in ``[-x.ndim, x.ndim)``. Default is 0.
        reduce (str, optional): The reduction if ``overwrite`` is False: ``'sum'`` or ``'add'``; ``'mul'``,
            ``'multiply'`` or ``'prod'``; ``'mean'``; ``'amax'``; ``'amin'``. ``bool`` supports ``'sum'`` (logical or)
            only, and complex data types do not support ``'amax'`` and ``'amin'``. Default is ``'sum'``.
        include_self (bool, optional): Whether the reduction includes the slices of ``x``. Default is False.
        name (str|None, optional): Name for the operation (optional, default is None). For compatibility, if the fifth
            positional argument is a str or None, it is ``name``, and the sixth is ``out``.
        out (Tensor|None, optional): A Tensor that also receives the result. Default is None.

    Returns:
        Tensor, with the shape and data type of ``x``.

    Raises:
        IndexError: If ``axis`` or, on the CPU, a value of ``index`` is out of range.
        ValueError: If a shape, a data type or the value of ``reduce`` is invalid.
        TypeError: If ``x``, ``index``, ``updates`` or ``out`` is not a Tensor, ``axis`` is not an integer, ``overwrite``
            is neither a bool nor None, or ``include_self`` is not a bool.
        NotImplementedError: If ``axis``, ``reduce`` or ``include_self`` needs a kernel that is missing on the device (such
            as an XPU) or in ``paddle.onnx.export``.

    Note:
        - Zero-size: if ``x`` or ``index`` has no elements, the result is a copy of ``x``.
        - Mean: the sum is divided by the number of its terms, including the slice of ``x`` if ``include_self`` is True.
          Integers are accumulated in ``int64``, and their mean is rounded toward minus infinity. If the sum overflows the
          accumulation type, the mean is wrong.
        - NaN: ``'amax'`` and ``'amin'`` propagate NaN.
        - Precision: ``float16`` and ``bfloat16`` are accumulated in ``float32`` and rounded once.
        - Gradient: ``x`` and ``updates`` have gradients for every ``reduce``; for ``'mul'``, ``'amax'`` and ``'amin'``, only
          in floating point and complex data types, and only while ``x``, ``index``, ``updates`` and the result are not
          changed in place. The gradient of ``'mul'`` is correct even if factors are zero. ``'amax'`` and ``'amin'``
          distribute the gradient evenly among the elements that equal the result. If ``overwrite`` is True, only the slice
          that wins has a nonzero gradient, except in prim mode. Overwriting, ``'sum'`` and ``'mean'`` can be differentiated
          five times; ``'mul'``, ``'amax'`` and ``'amin'`` raise RuntimeError for the second order.
        - Determinism: on the CPU, the result does not depend on the number of threads, even if ``index`` has duplicates, except
          for the sign and payload of a NaN.
        - GPU: calls with the default ``axis``, ``reduce`` and ``include_self`` run a kernel that supports fewer data types.
          There, any of several duplicates may win, all of them receive the gradient of the slice, and sums may differ
          between runs. Other calls abort if a value of ``index`` is out of range, and the process cannot use the GPU any
          more.

    Examples:
        .. code-block:: python
            :name: scatter-example-2

            >>> import paddle

            >>> x = paddle.to_tensor([[1, 1], [2, 2], [3, 3]], dtype='float32')
            >>> index = paddle.to_tensor([2, 1, 0, 1], dtype='int64')
            >>> updates = paddle.to_tensor([[1, 1], [2, 2], [3, 3], [4, 4]], dtype='float32')

            >>> output1 = paddle.scatter(x, index, updates, overwrite=False)
            >>> print(output1)
            Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
            [[3., 3.],
             [6., 6.],
             [1., 1.]])

            >>> output2 = paddle.scatter(x, index, updates, overwrite=True)
            >>> # CPU device:
            >>> # [[3., 3.],
            >>> #  [4., 4.],
            >>> #  [1., 1.]]
            >>> # GPU device maybe have two results because of the repeated numbers in index
            >>> # result 1:
            >>> # [[3., 3.],
            >>> #  [4., 4.],
            >>> #  [1., 1.]]
            >>> # result 2:
            >>> # [[3., 3.],
            >>> #  [2., 2.],
            >>> #  [1., 1.]]

            >>> columns = paddle.to_tensor([[5.0, 0.0], [7.0, 4.0], [1.0, 9.0]])
            >>> output3 = paddle.scatter(x, paddle.to_tensor([1, 1]), columns, False, axis=1, reduce='mean')
            >>> print(output3.tolist())
            [[1.0, 2.5], [2.0, 5.5], [3.0, 5.0]]
    """
    len_args = len(args)
    if len_args + len(kwargs) < 2:
        raise TypeError(
            f"Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor x, Tensor index, Tensor updates, bool overwrite, str name = None)"
        )
    is_put_along_axis = False
    # put_along_axis (torch.scatter) must have 'dim' in either args or kwargs. index can never be int.
    if len_args >= 2:
        is_put_along_axis = isinstance(args[1], int)
    else:
        is_put_along_axis = 'dim' in kwargs
    if is_put_along_axis:
        return _put_along_axis_wrapper(*args, **kwargs)
    else:
        if len_args > 4:  # name and out in releases before axis
            args = _normalize_legacy_scatter_args('scatter', args, kwargs)
        return _scatter_wrapper(*args, **kwargs)


scatter.__signature__ = inspect.signature(_scatter_wrapper)
