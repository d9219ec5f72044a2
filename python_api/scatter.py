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

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import overload

import paddle
from paddle.tensor.manipulation import (
    _check_tensor_args,
    _put_along_axis_inplace_wrapper,
    _put_along_axis_wrapper,
    _run_scatter,
    _scatter_args_of_today,
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
    return _run_scatter(
        'scatter_', x, index, updates, overwrite, axis, reduce, include_self
    )


# The error of a call that lacks an argument names the function by it.
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


@inplace_apis_in_dygraph_only
def scatter_(*args: Any, **kwargs: Any) -> Tensor:
    """
    Inplace version of ``scatter`` API, the output Tensor will be inplaced with input ``x``.
    Please refer to :ref:`api_paddle_scatter`.

    If ``axis``, ``reduce`` or ``include_self`` is given, the whole ``index`` is checked before ``x`` is written, so
    that ``x`` is unchanged after an error.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
            >>> updates = paddle.to_tensor([7.0, 0.0, 9.0])
            >>> y = paddle.scatter_(x, paddle.to_tensor([2, 0, 2]), updates, False, reduce='amax', include_self=True)
            >>> print(x.tolist())
            [1.0, 2.0, 9.0]
    """
    len_args = len(args)
    if len_args + len(kwargs) < 2:
        raise TypeError(
            f"scatter_: Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor index, Tensor updates, bool overwrite=True, int axis=0, str reduce='sum', bool include_self=False, str name = None)"
        )
    is_put_along_axis = False
    # put_along_axis (torch.scatter) must have 'dim' in either args or kwargs
    if len_args >= 2:
        is_put_along_axis = isinstance(args[1], (int, np.integer))
    else:
        is_put_along_axis = 'dim' in kwargs
    if is_put_along_axis:
        return _put_along_axis_inplace_wrapper(*args, **kwargs)
    else:
        if len_args > 4:  # where releases before axis had name and out
            args = _scatter_args_of_today('scatter_', args, kwargs)
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
    res = _run_scatter(
        'scatter', x, index, updates, overwrite, axis, reduce, include_self
    )
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

    2. ``scatter(Tensor x, Tensor index, Tensor updates, bool overwrite, str name = None)``:
        The original paddle.scatter, see the following docs.

    The first is chosen by ``dim``, or by an int as second argument. The second takes ``axis`` and more, too.

    Returns a copy of ``x`` in which the slices that ``index`` names along ``axis`` are replaced by the slices of ``updates``, or reduced with them.

    With ``overwrite=True``, slice ``index[i]`` becomes slice ``i`` of ``updates``; of several slices with the same
    ``index`` the last one wins. With ``overwrite=False``, all slices of ``updates`` with the same ``index`` are reduced
    to one, together with the slice of ``x`` if ``include_self`` is True. Slices of ``x`` that
    ``index`` does not name are copied in either case.

    .. image:: https://githubraw.cdn.bcebos.com/PaddlePaddle/docs/develop/docs/images/api_legend/scatter.png
        :alt: Legend - scatter behavior display

    Args:
        x (Tensor): The Tensor to start from, with one dim or more. The data type is ``bool``, ``uint8``, ``int8``,
            ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or
            ``complex128``.
        index (Tensor): Slices of ``x``, each in ``[-x.shape[axis], x.shape[axis])``, where negative ones count from the
            end. The shape is ``[n]``, ``[n, 1]`` or ``[]``. The data type is ``int32`` or ``int64``.
        updates (Tensor): The slices to write or reduce, with the data type and the shape of ``x``, but with ``n`` or more
            slices along ``axis``; those after the first ``n`` are not used. If ``index`` has shape ``[]``, ``updates``
            is a single slice: the shape of ``x`` without ``axis``.
        overwrite (bool, optional): Whether to replace (True, the default) or to reduce (False). With True, ``reduce``
            and ``include_self`` have no effect, which is a warning if they are given.
        axis (int, optional): The axis that ``index`` refers to, in ``[-x.ndim, x.ndim)``. Default is 0.
        reduce (str, optional): How to reduce with ``overwrite=False``: ``'sum'`` or ``'add'``; ``'mul'``,
            ``'multiply'`` or ``'prod'``; ``'mean'``; ``'amax'``; ``'amin'``. Default is ``'sum'``. ``bool`` can be summed
            (then True means any) but not reduced otherwise, and complex data types have no ``'amax'`` and ``'amin'``.
        include_self (bool, optional): Whether the slices of ``x`` take part in the reduction. Default is False.
        name (str|None, optional): Name for the operation (optional, default is None). For compatibility, a str or None
            is also taken as ``name`` in fifth place, where ``axis`` is, and then ``out`` in sixth.
        out (Tensor|None, optional): A Tensor that also receives the result. Default is None.

    Returns:
        Tensor, with the shape and data type of ``x``.

    Raises:
        IndexError: a value of ``index`` is out of range.
        ValueError: a shape, a data type, ``axis`` or ``reduce`` is not as described above.
        TypeError: ``axis``, ``overwrite``, ``include_self`` or ``out`` has a wrong type, or ``x``, ``index`` or
            ``updates`` is not a Tensor. With ``axis``, ``reduce`` and ``include_self`` at their defaults, the latter is
            a ValueError in dynamic graph mode.

    Note:
        - Empty: with an ``index`` of no elements, the result is a copy of ``x``.
        - Mean: that of integers is rounded towards minus infinity, and the sum behind it does not overflow. One of more
          than 32 floating point or complex numbers is accumulated in ``float64`` or ``complex128``.
        - NaN: a NaN in ``x`` or ``updates`` makes ``'amax'`` and ``'amin'`` of its slice NaN.
        - Precision: ``float16`` and ``bfloat16`` are accumulated in ``float32`` and rounded once.
        - Gradient: ``x`` and ``updates`` have gradients for every ``reduce``. That of a product is the product of the
          other factors, zeros or not. ``'amax'`` and ``'amin'`` share the gradient evenly among equal elements. With
          ``overwrite=True``, only the slice that wins gets a gradient. This, ``'sum'`` and ``'mean'`` can be
          differentiated again; for ``'mul'``, ``'amax'`` and ``'amin'`` that is an error.
        - Determinism: the result does not depend on the number of threads, duplicates in ``index`` included.
        - GPU: to overwrite or to sum along the first axis without the slices of ``x`` is done by the kernels of earlier
          releases there, which have fewer data types. Of several slices with the same ``index`` any may win, and each
          gets the gradient of the slice that it was to replace; sums may differ from run to run.
        - Saved programs: see :ref:`paddle.static.compatible_ops_guard <api_paddle_static_compatible_ops_guard>`.

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
            f"scatter: Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor x, Tensor index, Tensor updates, bool overwrite=True, int axis=0, str reduce='sum', bool include_self=False, str name = None)"
        )
    is_put_along_axis = False
    # put_along_axis (torch.scatter) must have 'dim' in either args or kwargs. index can never be int.
    if len_args >= 2:
        is_put_along_axis = isinstance(args[1], (int, np.integer))
    else:
        is_put_along_axis = 'dim' in kwargs
    if is_put_along_axis:
        return _put_along_axis_wrapper(*args, **kwargs)
    else:
        if len_args > 4:  # where releases before axis had name and out
            args = _scatter_args_of_today('scatter', args, kwargs)
        return _scatter_wrapper(*args, **kwargs)


scatter.__signature__ = inspect.signature(_scatter_wrapper)
