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
import warnings
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import overload

import paddle
from paddle import _C_ops
from paddle.base.data_feeder import check_type
from paddle.framework import (
    LayerHelper,
    _current_expected_place_,
    in_dynamic_or_pir_mode,
)
from paddle.tensor.manipulation import (
    _check_scatter_variable,
    _has_scatter_kernels,
    _put_along_axis_inplace_wrapper,
    _put_along_axis_wrapper,
)
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only

if TYPE_CHECKING:
    from paddle import Tensor

# What `reduce` may be, and how the operators call it.
_SCATTER_REDUCE_NAMES = {
    'sum': 'sum',
    'add': 'sum',
    'mul': 'mul',
    'multiply': 'mul',
    'prod': 'mul',
    'mean': 'mean',
    'amax': 'amax',
    'amin': 'amin',
}


def _scatter_reduce_args(
    op_name: str,
    overwrite: bool,
    axis: int,
    reduce: str,
    include_self: bool,
) -> tuple[int, str, bool]:
    """axis, reduce and include_self as the operators want them."""
    for arg_name, flag in (
        ('overwrite', overwrite),
        ('include_self', include_self),
    ):
        if not isinstance(flag, bool):
            raise TypeError(
                f"{op_name}: {arg_name} must be a bool, "
                f"but received {type(flag).__name__}."
            )
    if isinstance(axis, bool) or not hasattr(axis, '__index__'):
        raise TypeError(
            f"{op_name}: axis must be an int, "
            f"but received {type(axis).__name__}."
        )
    if reduce not in _SCATTER_REDUCE_NAMES:
        raise ValueError(
            f"{op_name}: reduce must be one of "
            f"{', '.join(_SCATTER_REDUCE_NAMES)}, but received {reduce!r}."
        )
    if not overwrite:
        return axis.__index__(), _SCATTER_REDUCE_NAMES[reduce], include_self
    if reduce != 'sum' or include_self:
        given = f"reduce={reduce!r}" if reduce != 'sum' else 'include_self=True'
        raise ValueError(
            f"{op_name}: {given} needs overwrite=False, because with "
            f"overwrite=True, the default, updates replace the slices of x and "
            f"nothing is reduced."
        )
    return axis.__index__(), 'assign', False


def _scatter_name_in_axis(
    op_name: str, axis: str | None, name: str | None
) -> None:
    """Judges a call that has name in fifth place, where axis is now."""
    if name is not None:
        raise TypeError(f"{op_name}: got multiple values for argument 'name'.")
    if axis in _SCATTER_REDUCE_NAMES:
        warnings.warn(
            f"{op_name}: the fifth positional argument is axis, or name if it "
            f"is a str: {axis!r} is taken as a name. To choose how to reduce, "
            f"pass reduce={axis!r}."
        )


# axis, reduce and include_self of a call that gives none of them: _scatter_op
# would say scatter, but to ask it takes a tenth of a small call.
_SCATTER_DEFAULTS = (0, 'sum', False)


def _check_scatter_place(op_name: str) -> None:
    if not _has_scatter_kernels():
        raise NotImplementedError(
            f"{op_name}: on {_current_expected_place_()} only axis=0 with "
            f"overwrite=True, or with reduce='sum' and include_self=False, is "
            f"served. The other reductions and axes need a CPU or a GPU."
        )


def _scatter_op(
    op_name: str,
    overwrite: bool,
    axis: int,
    reduce: str,
    include_self: bool,
) -> tuple[str, tuple]:
    """
    The operator that serves a call of scatter or scatter_, and its attributes.

    scatter takes what earlier releases knew. What else is linear in x and updates is for index_scatter, whose gradient needs neither.
    """
    axis, reduce, include_self = _scatter_reduce_args(
        op_name, overwrite, axis, reduce, include_self
    )
    if axis == 0 and reduce in ('assign', 'sum') and not include_self:
        return 'scatter', (overwrite,)
    _check_scatter_place(op_name)
    if reduce in ('mul', 'amax', 'amin'):
        return 'index_reduce', (axis, reduce, include_self)
    return 'index_scatter', (axis, reduce, include_self)


def _scatter_legacy(
    op: str, x: Tensor, index: Tensor, updates: Tensor, attrs: tuple
) -> Tensor:
    _check_scatter_variable('scatter', 'x', x)
    helper = LayerHelper(op)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    if op == 'scatter':
        check_type(attrs[0], 'overwrite', bool, 'scatter')
        inputs, output = ('X', 'Ids', 'Updates'), 'Out'
        names = ('overwrite',)
    else:
        inputs, output = ('x', 'index', 'updates'), 'out'
        names = ('axis', 'reduce', 'include_self')
    helper.append_op(
        type=op,
        inputs=dict(zip(inputs, (x, index, updates))),
        attrs=dict(zip(names, attrs)),
        outputs={output: out},
    )
    return out


def _scatter_by_op(
    x: Tensor, index: Tensor, updates: Tensor, op: str, attrs: tuple
) -> Tensor:
    if in_dynamic_or_pir_mode():
        return getattr(_C_ops, op)(x, index, updates, *attrs)
    return _scatter_legacy(op, x, index, updates, attrs)


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
    """scatter_ with index before updates, and not in the way of torch.scatter_."""
    if (axis, reduce, include_self) == _SCATTER_DEFAULTS:
        return _C_ops.scatter_(x, index, updates, overwrite)
    if axis is None or isinstance(axis, str):
        _scatter_name_in_axis('scatter_', axis, name)
        axis = 0
    op, attrs = _scatter_op('scatter_', overwrite, axis, reduce, include_self)
    return getattr(_C_ops, op + '_')(x, index, updates, *attrs)


@overload
def scatter_(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: Literal[
        'sum', 'add', 'mul', 'multiply', 'prod', 'mean', 'amax', 'amin'
    ] = 'sum',
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
            >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
            >>> index = paddle.to_tensor([2, 0, 2])
            >>> updates = paddle.to_tensor([[7.0, 0.0, 9.0], [1.0, 8.0, 2.0]])
            >>> y = paddle.scatter_(x, index, updates, overwrite=False, axis=1, reduce='amax', include_self=True)
            >>> print(x)
            Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[1., 2., 9.],
                    [8., 5., 6.]])
    """
    len_args = len(args)
    if len_args + len(kwargs) < 2:
        raise TypeError(
            f"Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor index, Tensor updates, bool overwrite, str name = None)"
        )
    # only the form of torch.scatter_ has `dim`, and index is never an int
    if len_args >= 2:
        has_dim = isinstance(args[1], int)
    else:
        has_dim = 'dim' in kwargs
    if has_dim:
        return _put_along_axis_inplace_wrapper(*args, **kwargs)
    return _scatter_inplace_wrapper(*args, **kwargs)


scatter_.signature = inspect.signature(_scatter_inplace_wrapper)
scatter_.__signature__ = scatter_.signature


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
    """scatter with index before updates, and not in the way of torch.scatter."""
    plain = (axis, reduce, include_self) == _SCATTER_DEFAULTS
    if plain and in_dynamic_or_pir_mode():
        res = _C_ops.scatter(x, index, updates, overwrite)
    else:
        if axis is None or isinstance(axis, str):
            _scatter_name_in_axis('scatter', axis, name)
            axis = 0
            if not isinstance(reduce, str):  # out, which came after name
                reduce, out = 'sum', reduce
        op, attrs = _scatter_op(
            'scatter', overwrite, axis, reduce, include_self
        )
        res = _scatter_by_op(x, index, updates, op, attrs)
    if out is not None:
        paddle.assign(res, out)
    return res


@overload
def scatter(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: bool = True,
    axis: int = 0,
    reduce: Literal[
        'sum', 'add', 'mul', 'multiply', 'prod', 'mean', 'amax', 'amin'
    ] = 'sum',
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
    r"""
    Returns a copy of ``x`` in which the slices that ``index`` names along ``axis`` are replaced by the slices of ``updates``, or reduced with them.

    With ``overwrite=True``, slice ``index[i]`` becomes slice ``i`` of ``updates``; of several slices with the same
    ``index`` the last one wins. With ``overwrite=False``, all slices of ``updates`` with the same ``index`` are reduced
    to one, together with the slice of ``x`` if ``include_self`` is True. For ``axis=0``:

    .. math::

        out_{s, \ldots} = \mathop{reduce}\bigl(\{x_{s, \ldots} \text{ if include\_self}\} \cup
        \{updates_{i, \ldots} \mid index_i = s\}\bigr)

    Slices of ``x`` that ``index`` does not name are copied in either case.

    A second form, ``scatter(input, dim, index, src, reduce=None, out=None)``, is the one of ``torch.scatter``: ``index``
    has the rank of ``input`` and names single elements. It is chosen by ``dim``, or by an int as second argument, and
    explained under :ref:`api_paddle_put_along_axis`.

    Args:
        x (Tensor): The Tensor to start from, with one dim or more. The data type is ``bool``, ``uint8``, ``int8``,
            ``int16``, ``int32``, ``int64``, ``float16``, ``bfloat16``, ``float32``, ``float64``, ``complex64`` or
            ``complex128``.
        index (Tensor): Slices of ``x``, each in ``[-x.shape[axis], x.shape[axis])``, where negative ones count from the
            end. The shape is ``[n]``, ``[n, 1]`` or ``[]``. The data type is ``int32`` or ``int64``.
        updates (Tensor): The slices to write or reduce, with the data type and the shape of ``x``, but with ``n`` or more
            slices along ``axis``; those after the first ``n`` are not used. If ``index`` has shape ``[]``, ``updates``
            is a single slice: the shape of ``x`` without ``axis``.
        overwrite (bool, optional): Whether to replace (True, the default) or to reduce (False).
        axis (int, optional): The axis that ``index`` refers to, in ``[-x.ndim, x.ndim)``. Default is 0.
        reduce (str, optional): How to reduce with ``overwrite=False``: ``'sum'`` or ``'add'``; ``'mul'``,
            ``'multiply'`` or ``'prod'``; ``'mean'``; ``'amax'``; ``'amin'``. Default is ``'sum'``. ``bool`` can be summed
            (then True means any) but not reduced otherwise, and complex data types have no ``'amax'`` and ``'amin'``.
        include_self (bool, optional): Whether the slices of ``x`` take part in the reduction. Default is False.
        name (str|None, optional): Name for the operation (optional, default is None). For more information,
            please refer to :ref:`api_guide_Name`. For compatibility, a str or None is also taken as ``name`` in fifth
            place, where ``axis`` is, and then ``out`` in sixth.
        out (Tensor|None, optional): A Tensor that also receives the result. Default is None.

    Returns:
        Tensor, with the shape and data type of ``x``.

    Raises:
        IndexError: a value of ``index`` is out of range.
        ValueError: a shape, a data type, ``axis`` or ``reduce`` is not as described above, or ``reduce`` or
            ``include_self`` is given without ``overwrite=False``.
        TypeError: ``axis``, ``overwrite`` or ``include_self`` has a wrong type.

    Note:
        - Empty: with an ``index`` of no elements, the result is a copy of ``x``.
        - Mean: the mean of integers is rounded towards minus infinity.
        - NaN: a NaN in ``x`` or ``updates`` makes ``'amax'`` and ``'amin'`` of its slice NaN.
        - Precision: ``float16`` and ``bfloat16`` are accumulated in ``float32`` and rounded once.
        - Gradient: ``x`` and ``updates`` have gradients for every ``reduce``. The gradient of a product is the product
          of the other factors, zeros or not. ``'amax'`` and ``'amin'`` share the gradient evenly among equal elements.
          With ``overwrite=True``, only the slice that wins gets a gradient. This, ``'sum'`` and ``'mean'`` can be
          differentiated again; for ``'mul'``, ``'amax'`` and ``'amin'`` that is an error. With ``axis``, ``reduce``
          and ``include_self`` at their defaults the gradients are those of earlier releases: with ``overwrite=True``
          every slice of ``updates`` gets the gradient of the slice that it was to replace, and there is no second
          order.
        - Determinism: on a CPU the result does not depend on the number of threads, duplicates in ``index`` included.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.to_tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
            >>> index = paddle.to_tensor([2, 1, 0, 1])
            >>> updates = paddle.to_tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])

            >>> print(paddle.scatter(x, index, updates))
            Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[3., 3.],
                    [4., 4.],
                    [1., 1.]])

            >>> print(paddle.scatter(x, index, updates, overwrite=False))
            Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[3., 3.],
                    [6., 6.],
                    [1., 1.]])

            >>> print(paddle.scatter(x, index, updates, overwrite=False, reduce='mul', include_self=True))
            Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[3. , 3. ],
                    [16., 16.],
                    [3. , 3. ]])

            >>> index = paddle.to_tensor([1, 1])
            >>> updates = paddle.to_tensor([[5.0, 0.0], [7.0, 4.0], [1.0, 9.0]])
            >>> print(paddle.scatter(x, index, updates, overwrite=False, axis=1, reduce='mean'))
            Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
                   [[1.        , 2.50000000],
                    [2.        , 5.50000000],
                    [3.        , 5.        ]])
    """
    len_args = len(args)
    if len_args + len(kwargs) < 2:
        raise TypeError(
            f"Too few arguments in the function call: {len_args}, {len(kwargs)}. Expect one of: \n"
            " - (Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)\n"
            " - (Tensor x, Tensor index, Tensor updates, bool overwrite, str name = None)"
        )
    # only the form of torch.scatter has `dim`, and index is never an int
    if len_args >= 2:
        has_dim = isinstance(args[1], int)
    else:
        has_dim = 'dim' in kwargs
    if has_dim:
        return _put_along_axis_wrapper(*args, **kwargs)
    return _scatter_wrapper(*args, **kwargs)


scatter.__signature__ = inspect.signature(_scatter_wrapper)
