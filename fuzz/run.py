"""Compute the results and gradients of a case, and check them.

Tensors border on inaccessible pages: an access out of bounds crashes. A Tensor may
be a strided view into a larger base.
"""

import ctypes
import mmap

import numpy as np

import paddle
from fuzz import reference
from fuzz.arrays import assert_same_bits

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


def _lay_out(rng, array):
    """Draw a base, and a function that returns its view that equals the array."""
    axis = rng.integers(array.ndim + 1)
    if rng.random() < 0.7:
        return array, lambda base: base
    if rng.random() < 0.3:
        return array.T, np.transpose
    # The array is the second of two along another axis of the base.
    base = np.stack([np.zeros_like(array), array], axis)
    return base, lambda base: np.moveaxis(base, axis, 0)[1, ...]


def share(array):
    """Return a Tensor that shares the memory of an array in storage form."""
    convert = paddle.utils.dlpack.from_dlpack
    if array.dtype == np.uint16:
        return convert(array.view(np.int16)).view('bfloat16')
    return convert(array)


def place(case):
    """Return {array: (base, function that returns the array as its view)}."""
    arrays, placed = {**case.arrays, 'out_grad': case.out_grad}, {}
    rng = np.random.default_rng([*case.seed, 1])
    side = rng.choice(['start', 'end'])
    if 'mask' in arrays and arrays['mask'].dtype == bool:
        # Bytes other than 0 and 1 are True, too.
        arrays['mask'] = (arrays['mask'] * np.uint8(171)).view(bool)
    for name, array in arrays.items():
        base, view = _lay_out(rng, array)
        placed[name] = guarded_copy(base, side), view
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


def check(case):
    """Check results and memory with one and two threads, which give equal bits."""
    expected, first = reference.results(case), {}
    expected['second order'] = expected['result']
    for threads in (1, 2):
        paddle.base.core.set_num_threads(threads)
        placed = place(case)
        before = {name: base.copy() for name, (base, _) in placed.items()}
        tensors = {n: share(view(base)) for n, (base, view) in placed.items()}
        for name, tensor in compute(case, tensors).items():
            array = tensor.numpy()
            rtol = reference.tolerance(case, is_gradient=name in case.arrays)
            assert_same_bits(array, expected[name], name, rtol)
            one_thread = first.setdefault(name, array)
            assert_same_bits(array, one_thread, f'{name}, with two threads')
        for name, (base, view) in placed.items():
            if name == 'x' and case.inplace and not case.wrt:
                view(before[name])[...] = view(base)
            assert_same_bits(base, before[name], f'memory of {name}')
