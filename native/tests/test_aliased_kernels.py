"""Kernels whose output is the DenseTensor of an input.

Paddle's in-place passes alias them, and InferMeta resizes that DenseTensor to the
shape of the output before the kernel runs.
"""

from math import prod

import numpy as np
import pytest

from native.tests import kernel_probe
from native.tests.kernel_cases import CASES, unallocated
from native.tests.kernel_probe import resize, tensor


def is_in_place(case):
    """Return whether the output may alias an input: x of its shape, or out_grad."""
    same_shape = case.shapes['x'] == case.shapes['out']
    return case.entry.inplace and (same_shape or case.entry.is_backward)


# amax is not defined for complex numbers.
INPLACE = [
    case
    for case in CASES
    if is_in_place(case) and case.attrs.get('reduce') != 'amax'
]


def call(case, dtype, aliased, others=True):
    """Return {name: result}. If `aliased`, one of them overwrites its input."""
    ((source, target),) = case.entry.inplace
    tensors = case.operands(dtype)
    names = case.entry.outputs
    outputs = {
        name: unallocated(shape, dtype) if others or name == target else None
        for name, shape in zip(names, case.result_shapes)
    }
    if aliased:
        source_tensor = tensors[source].detach()
        before = source_tensor.numpy()
        resize(tensors[source], outputs[target].shape)
        outputs[target] = tensors[source]
    results = case.run(dtype, tensors.values(), outputs.values())
    if aliased and source_tensor.shape != outputs[target].shape:
        # A sum must not overwrite elements that other threads still read.
        np.testing.assert_array_equal(source_tensor.numpy(), before)
    return dict(zip(names, results))


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('case', INPLACE, ids=str)
def test_aliased_output_equals_separate_output(case, dtype):
    expected = call(case, dtype, aliased=False)
    actual = call(case, dtype, aliased=True)
    for name in expected:
        np.testing.assert_array_equal(actual[name], expected[name], name)
    alone = call(case, dtype, aliased=True, others=False)
    ((_, target),) = case.entry.inplace
    assert [n for n, array in alone.items() if array is not None] == [target]
    np.testing.assert_array_equal(alone[target], expected[target])


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('kernel', ['masked_fill', 'masked_scatter'])
@pytest.mark.parametrize('out', [(5, 3), (500, 3)])
def test_kernel_rejects_x_smaller_than_the_result(kernel, dtype, out):
    x = tensor(np.arange(3).astype(dtype).reshape(1, 3))
    mask = tensor(np.ones(out, bool))
    value = tensor(np.ones((out if kernel == 'masked_scatter' else ()), dtype))
    resize(x, out)
    with pytest.raises(RuntimeError) as error:
        kernel_probe.run(kernel, dtype, [x, mask, value], [], [x])
    size = np.dtype(dtype).itemsize
    assert "Tensor's dimension is out of bound" in str(error.value)
    assert f'{prod(out) * size} > memory_size():{3 * size}.' in str(error.value)
    resize(x, (1, 3))
    assert x.numpy().tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    'case',
    {
        case.kernel: case
        for case in reversed(INPLACE)
        if case.entry.is_backward and case.shapes['x'] == (5, 3)
    }.values(),
    ids=str,
)
def test_gradient_kernel_rejects_smaller_out_grad(case):
    """A hook may return a smaller gradient, which InferMeta then resizes."""
    tensors = case.operands('float32')
    out_grad = tensors['out_grad'] = tensor(np.ones((2, 3), 'float32'))
    resize(out_grad, case.shapes['x'])
    outputs = [out_grad] + [None] * (len(case.result_shapes) - 1)
    with pytest.raises(RuntimeError, match='The size of out_grad should be'):
        case.run('float32', tensors.values(), outputs)
