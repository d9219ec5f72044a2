"""Compute the results and gradients of a case, and check them.

Tensors border on inaccessible pages: an access out of bounds crashes. A Tensor may
be a strided view into a larger base.
"""

import ctypes
import mmap
from dataclasses import replace

import numpy as np
import torch

import paddle
from fuzz import reference
from fuzz.arrays import find_difference

_PAGE = mmap.PAGESIZE


def guarded_copy(array, side):
    """Copy an array between two inaccessible pages, adjacent to that at `side`."""
    size = -(-max(array.nbytes, 1) // _PAGE) * _PAGE
    memory = np.frombuffer(mmap.mmap(-1, size + 2 * _PAGE), np.uint8)
    for page in (0, _PAGE + size):
        address = ctypes.c_void_p(memory.ctypes.data + page)
        assert ctypes.CDLL(None).mprotect(address, _PAGE, 0) == 0
    start = _PAGE if side == 'start' else _PAGE + size - array.nbytes
    copy = np.ndarray(array.shape, array.dtype, memory, start)
    copy[...] = array
    return copy


def _apply_layout(array, layout):
    """Return a base, and a function of it: the view of this layout, which equals
    the array."""
    if layout == 'offset':
        base = np.concatenate([np.ones(3, array.dtype), array.reshape(-1)])
        return base, lambda base: base[3:].reshape(array.shape)
    if not array.ndim or not array.size or not layout:
        return array, lambda base: base
    if layout == 'transposed':
        return array.T, lambda base: base.T
    if layout == 'stepped':
        return np.repeat(array, 2, -1), lambda base: base[..., ::2]
    if layout == 'inner':
        base = np.pad(array, 1)
        return base, lambda base: base[(slice(1, -1),) * array.ndim]
    return array[:1], lambda base: np.ndarray(
        array.shape, base.dtype, base, strides=(0, *base.strides[1:])
    )


def share(array):
    """Return a Tensor that shares the memory of an array in storage form."""
    if array.dtype == np.uint16:
        shared = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        shared = torch.from_numpy(array)
    return paddle.utils.dlpack.from_dlpack(shared)


def place(case):
    """Return {name: (Tensor, its base, elements of the base outside the Tensor)}
    of the arrays of a case, and of out_grad if it has gradients."""
    arrays, placed = dict(case.arrays), {}
    if case.wrt:
        arrays['out_grad'] = case.out_grad()
    if 'mask' in arrays and arrays['mask'].dtype == bool:
        # Bytes other than 0 and 1 are True, too.
        arrays['mask'] = (arrays['mask'] * np.uint8(171)).view(bool)
    for name, array in arrays.items():
        base, view = _apply_layout(array, case.layouts.get(name))
        base = guarded_copy(base, case.guard)
        outside = np.ones(base.shape, bool)
        view(outside)[...] = False
        placed[name] = share(view(base)), base, outside
    return placed


def compute(case, tensors):
    """Return {name: Tensor} of the result and the gradients of a call.

    A gradient transposes the operator, so that the gradient of the gradients with
    respect to out_grad, in the direction of the operands, is the operator again.
    """
    paddle.base.core.set_num_threads(case.threads)
    for name, tensor in tensors.items():
        tensor.stop_gradient = name not in case.wrt
    x, *others = (tensors[name] for name in case.arrays)
    if case.inplace and case.wrt:
        x = paddle.assign(x)  # x itself is a leaf
    second = case.second_order
    # paddle.masked_scatter flattens value, which Paddle differentiates only once.
    is_flattened = second and case.api == 'masked_scatter'
    module = paddle._C_ops if is_flattened else paddle
    function = getattr(module, case.api + '_' * case.inplace)
    out = function(x, *others, **case.options)
    assert not case.inplace or out is x
    results = {'result': out}
    if not case.wrt:
        return results
    out_grad = tensors['out_grad']
    out_grad.stop_gradient = not second
    wrt = [tensors[name] for name in case.wrt]
    grads = paddle.grad([out], wrt, [out_grad], create_graph=second)
    results |= dict(zip(case.wrt, grads))
    if second:
        operands = [tensor.detach() for tensor in wrt]
        (results['second order'],) = paddle.grad(grads, [out_grad], operands)
    return results


def results(case, placed=None):
    """Return {name: array} of the results, with their placed Tensors."""
    placed = placed or place(case)
    tensors = {name: tensor for name, (tensor, *_) in placed.items()}
    return {n: t.numpy() for n, t in compute(case, tensors).items()}


def expected_results(case):
    """Return the expected results by the names of `compute`."""
    expected = {'result': reference.forward(case)}
    if case.wrt:
        expected |= reference.gradients(case, case.out_grad())
    return expected | {'second order': expected['result']}


def check(case):
    """Return the problems of a case, computed with two numbers of threads."""
    placed, problems = place(case), []
    before = {name: base.copy() for name, (_, base, _) in placed.items()}
    actual, expected = results(case, placed), expected_results(case)
    again = results(replace(case, threads=3 - case.threads))
    for name, array in actual.items():
        rtol = reference.tolerance(case, name.replace('second order', 'result'))
        if problem := find_difference(array, expected[name], rtol):
            problems.append(f'{name}: {problem}')
        if array.tobytes() != again[name].tobytes():
            problems.append(f'{name}: depends on the number of threads')
    for name, (_, base, outside) in placed.items():
        written = name == 'x' and case.inplace and not case.wrt
        where = outside if written else ...
        if base[where].tobytes() != before[name][where].tobytes():
            problems.append(
                f'{name}: memory that is not the result was changed'
            )
    return problems
