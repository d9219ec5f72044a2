"""Compute the results and gradients of a case, and check them.

Tensors border on inaccessible pages: an access out of bounds crashes. A Tensor may
be a strided view into a larger base.
"""

import ctypes
import mmap

import numpy as np

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
        base = np.pad(array.reshape(-1), (3, 0))
        return base, lambda base: base[3:].reshape(array.shape)
    if layout == 'stepped':
        return np.repeat(array[..., None], 2, -1), lambda base: base[..., 0]
    if layout == 'inner':
        base = np.pad(array, 1)
        return base, lambda base: base[(..., *[slice(1, -1)] * array.ndim)]
    if layout == 'transposed':
        return array.T, lambda base: base.T
    return array, lambda base: base


def share(array):
    """Return a Tensor that shares the memory of an array in storage form."""
    convert = paddle.utils.dlpack.from_dlpack
    if array.dtype == np.uint16:
        return convert(array.view(np.int16)).view('bfloat16')
    return convert(array)


def place(case):
    """Return {name: (Tensor, its base, elements of the base outside the Tensor)}
    of the arrays of a case, and of out_grad if it has gradients."""
    arrays, placed = dict(case.arrays), {}
    side = 'start' if sum(case.seed) % 3 == 0 else 'end'
    if case.wrt:
        arrays['out_grad'] = case.out_grad()
    if 'mask' in arrays and arrays['mask'].dtype == bool:
        # Bytes other than 0 and 1 are True, too.
        arrays['mask'] = (arrays['mask'] * np.uint8(171)).view(bool)
    for name, array in arrays.items():
        base, view = _apply_layout(array, case.layouts.get(name))
        base = guarded_copy(base, side)
        outside = np.ones(base.shape, bool)
        view(outside)[...] = False
        placed[name] = share(view(base)), base, outside
    return placed


def compute(case, tensors):
    """Return {name: Tensor} of the result and the gradients of a call.

    A gradient transposes the operator, so that the gradient of the gradients with
    respect to out_grad, in the direction of the operands, is the operator again.
    """
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
    outputs = {'result': out}
    if case.wrt:
        out_grad, wrt = tensors['out_grad'], [tensors[n] for n in case.wrt]
        out_grad.stop_gradient = not second
        # x_grad may reuse the memory of a gradient that nothing else holds.
        end = out if second else paddle.assign(out)
        grads = paddle.grad([end], wrt, [out_grad], create_graph=second)
        outputs |= dict(zip(case.wrt, grads))
    if second:
        operands = [tensor.detach() for tensor in wrt]
        (outputs['second order'],) = paddle.grad(grads, [out_grad], operands)
    return outputs


def results(case, placed=None, threads=None):
    """Return {name: array} of the results, with their placed Tensors."""
    paddle.base.core.set_num_threads(threads or 1 + sum(case.seed) % 2)
    placed = placed or place(case)
    tensors = {name: tensor for name, (tensor, *_) in placed.items()}
    return {n: t.numpy() for n, t in compute(case, tensors).items()}


def check(case):
    """Return the problems of a case, computed with two numbers of threads."""
    placed, problems = place(case), []
    before = {name: base.copy() for name, (_, base, _) in placed.items()}
    actual, again = results(case, placed, 1), results(case, threads=2)
    expected = {'result': reference.forward(case)}
    expected['second order'] = expected['result']
    if case.wrt:
        expected |= reference.gradients(case, case.out_grad())
    for name, array in actual.items():
        is_gradient = name in case.arrays
        rtol = reference.tolerance(case, is_gradient)
        if problem := find_difference(array, expected[name], rtol):
            problems.append(f'{name}: {problem}')
        if array.tobytes() != again[name].tobytes():
            problems.append(f'{name}: depends on the number of threads')
    for name, (_, base, outside) in placed.items():
        is_written = name == 'x' and case.inplace and not case.wrt
        where = outside if is_written else ...
        if base[where].tobytes() != before[name][where].tobytes():
            problems.append(f'{name}: memory outside the result was changed')
    return problems
