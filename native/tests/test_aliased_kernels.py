"""Kernels that write over an input: input and output are one DenseTensor.

Paddle's in-place passes make them so, and InferMeta gives that DenseTensor the
shape of the output before the kernel runs.
"""

from math import prod

import numpy as np
import pytest

from native.tests import kernel_probe
from native.tests.kernel_cases import (
    BROADCASTS,
    DIAGONAL,
    ENTRIES,
    LINEAR,
    MUL,
    OVERWRITE,
    SELECT,
    SLICES,
    cases,
    operands,
    output,
)
from native.tests.kernel_probe import Tensor

INPLACE = {e.name: e.inplace[0] for e in ENTRIES.values() if e.inplace}

GRADIENTS = [
    *cases(
        'masked_scatter_grad',
        [(x, mask, (prod(out) + 2,), out) for x, mask, out in BROADCASTS],
    ),
    *cases(
        'masked_fill_grad',
        [
            (x, mask, value, out)
            for x, mask, out in BROADCASTS
            for value in ((), out[-1:], out)
        ],
    ),
    *cases('select_scatter_grad', [((5, 3), (5,), (5, 3))], SELECT),
    *cases('select_scatter_grad', [((500, 300), (500,), (500, 300))], SELECT),
    *cases('diagonal_scatter_grad', [((5, 3), (2,), (5, 3))], DIAGONAL),
    *cases('diagonal_scatter_grad', [((500, 300), (299,), (500, 300))],
           DIAGONAL),
    *cases('index_scatter_grad', [(*row, row[0]) for row in SLICES], LINEAR),
    *cases('scatter_grad', [(*row[1:], row[0]) for row in SLICES], OVERWRITE),
]  # fmt: skip
# x has the shape of the result.
FORWARDS = [
    *cases(
        'masked_scatter',
        [(x, m, (prod(x),)) for x, m, out in BROADCASTS if x == out],
    ),
    *cases(
        'masked_fill',
        [(x, m, v) for x, m, o in BROADCASTS if x == o for v in ((), x)],
    ),
    *cases('index_scatter', SLICES, LINEAR),
    *cases('index_reduce', SLICES, MUL),
    *cases('scatter', SLICES, OVERWRITE),
]


def call(case, dtype, aliased, others=True):
    """The results. Where `aliased`, one of them is written over its input."""
    entry = ENTRIES[case.kernel]
    source, target = INPLACE[case.kernel]
    tensors = operands(case, dtype)
    outputs = {}
    for name in (out.name for out in entry.outputs):
        wanted = others or name == target
        outputs[name] = output(name, tensors, dtype) if wanted else None
    if aliased:
        kept = tensors[source].shared()
        before = kept.numpy()
        tensors[source].resize(outputs[target].shape)
        outputs[target] = tensors[source]
    attrs = [case.attrs[attr.name] for attr in entry.attrs]
    kernel_probe.run(
        case.kernel, dtype, tensors.values(), attrs, outputs.values()
    )
    if aliased and kept.shape != outputs[target].shape:
        # a sum: one thread would write what another is still to read
        np.testing.assert_array_equal(kept.numpy(), before)
    return {name: out.numpy() for name, out in outputs.items() if out}


def test_every_kernel_that_writes_over_an_input_has_a_case():
    assert {case.kernel for case in GRADIENTS + FORWARDS} == set(INPLACE)


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('case', GRADIENTS, ids=str)
def test_gradient_written_over_the_gradient_of_the_result(case, dtype):
    want = call(case, dtype, aliased=False)
    got = call(case, dtype, aliased=True)
    assert list(got) == list(want)
    for name in want:
        np.testing.assert_array_equal(got[name], want[name], name)
    alone = call(case, dtype, aliased=True, others=False)
    assert list(alone) == ['x_grad']
    np.testing.assert_array_equal(alone['x_grad'], want['x_grad'])


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('case', FORWARDS, ids=str)
def test_result_written_over_x(case, dtype):
    want = call(case, dtype, aliased=False)['out']
    assert want.any()
    np.testing.assert_array_equal(call(case, dtype, aliased=True)['out'], want)


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('kernel', ['masked_fill', 'masked_scatter'])
@pytest.mark.parametrize('out', [(5, 3), (500, 3)])
def test_x_that_is_smaller_than_the_result_is_refused(kernel, dtype, out):
    x = Tensor(np.arange(3).astype(dtype).reshape(1, 3))
    mask = Tensor(np.ones(out, bool))
    value = Tensor(np.ones((out if kernel == 'masked_scatter' else ()), dtype))
    x.resize(out)
    with pytest.raises(RuntimeError) as error:
        kernel_probe.run(kernel, dtype, [x, mask, value], [], [x])
    size = np.dtype(dtype).itemsize
    assert "Tensor's dimension is out of bound" in str(error.value)
    assert f'{prod(out) * size} > memory_size():{3 * size}.' in str(error.value)
    x.resize((1, 3))
    assert x.numpy().tolist() == [[0, 1, 2]]
