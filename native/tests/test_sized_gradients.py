"""Gradients whose outputs come with the dims and the dtype of something else.

A program of the old IR gives InferMeta the first inputs of a gradient kernel,
whatever the YAML's `param` says, so that most outputs have the dims of another
input. The kernels size them by what they are the gradients of.
"""

import numpy as np
import pytest

from native.tests import kernel_probe
from native.tests.kernel_cases import (
    DIAGONAL,
    ENTRIES,
    LINEAR,
    MUL,
    OVERWRITE,
    SELECT,
    array,
    cases,
    operands,
)
from native.tests.kernel_probe import Tensor

# x, mask, value and the gradient of the result
MASKED = [
    ((5, 3), (5, 3), (17,), (5, 3)),
    ((1, 3), (5, 1), (17,), (5, 3)),
    ((5, 3), (3,), (16,), (5, 3)),
    ((0, 3), (1,), (4,), (0, 3)),
    ((1, 3), (0, 1), (4,), (0, 3)),
]
FILLED = [
    (x, mask, value, out)
    for x, mask, _, out in MASKED
    for value in ((), (3,), out)
]
# x, the strided part and the gradient of the result
SELECTED = [((5, 3), (5,), (5, 3)), ((0, 3), (0,), (0, 3))]
ON_DIAGONAL = [((5, 3), (2,), (5, 3)), ((0, 3), (0,), (0, 3))]
# x, index, updates and the gradient of the result
INDEXED = [
    ((5, 3), (4,), (4, 3), (5, 3)),
    ((5, 3), (2,), (4, 3), (5, 3)),
    ((5, 3), (0,), (4, 3), (5, 3)),
    ((5, 0), (4,), (4, 0), (5, 0)),
    ((5, 3), (0,), (0, 3), (5, 3)),
]
EXTREMES = [{**attrs, 'reduce': 'amax'} for attrs in MUL]


def twice(rows, first, second):
    """The same for a second order, whose two gradients come behind."""
    return [(*row, row[first], row[second]) for row in rows]


CASES = [
    *cases('masked_fill_grad', FILLED),
    *cases('masked_scatter_grad', MASKED),
    *cases('masked_scatter_double_grad', twice(MASKED, 0, 2)),
    *cases('select_scatter_grad', SELECTED, SELECT),
    *cases('select_scatter_double_grad', twice(SELECTED, 0, 1), SELECT),
    *cases('diagonal_scatter_grad', ON_DIAGONAL, DIAGONAL),
    *cases('diagonal_scatter_double_grad', twice(ON_DIAGONAL, 0, 1), DIAGONAL),
    *cases('index_scatter_grad', INDEXED, LINEAR),
    *cases('index_scatter_double_grad', twice(INDEXED, 0, 2), LINEAR),
    *cases('index_reduce_grad', INDEXED, [*MUL, *EXTREMES]),
    *cases('scatter_grad', [row[1:] for row in INDEXED], OVERWRITE),
    *cases(
        'scatter_double_grad',
        [row[1:] for row in twice(INDEXED, 0, 2)],
        OVERWRITE,
    ),
]


def own_shapes(case):
    """What the outputs are to have: that of an input, or of the result."""
    found = []
    for output in ENTRIES[case.kernel].outputs:
        like = output.name.removesuffix('_grad')
        out = 'grad_out' if 'grad_out' in case.shapes else 'out_grad'
        found.append(case.shapes.get(like, case.shapes[out]))
    return found


def of_old_ir(case):
    """What InferMeta makes of the first inputs."""
    names = [tensor.name for tensor in ENTRIES[case.kernel].tensors]
    return [case.shapes[name] for name in names[: len(own_shapes(case))]]


def fixed(*shape):
    return lambda case: [shape] * len(own_shapes(case))


def run(case, shapes, dtype, declared=None):
    """The results of outputs that come with these shapes and this dtype."""
    outputs = [
        Tensor(np.empty(shape, declared or dtype), memory=False)
        for shape in shapes
    ]
    attrs = [case.attrs[a.name] for a in ENTRIES[case.kernel].attrs]
    inputs = operands(case, dtype).values()
    kernel_probe.run(case.kernel, dtype, inputs, attrs, outputs)
    return [out.numpy() for out in outputs]


def test_every_gradient_of_these_operators_has_a_case():
    kernels = {e.kernel for e in ENTRIES.values() if e.is_backward}
    assert {case.kernel for case in CASES} == kernels


@pytest.mark.parametrize('given', [of_old_ir, fixed(), fixed(2), fixed(9, 9)])
@pytest.mark.parametrize('case', CASES, ids=str)
def test_outputs_get_the_shapes_of_what_they_are_gradients_of(case, given):
    want = run(case, own_shapes(case), 'float32')
    assert [a.shape for a in want] == own_shapes(case)
    for declared in (None, 'int8', 'complex128'):
        got = run(case, given(case), 'float32', declared)
        for found, right in zip(got, want):
            assert found.dtype == right.dtype
            np.testing.assert_array_equal(found, right, strict=True)


@pytest.mark.parametrize(
    'case',
    [c for c in CASES if len(own_shapes(c)) == 2 and 'x' in c.shapes],
    ids=str,
)
def test_each_gradient_is_sized_without_the_other(case):
    want = run(case, own_shapes(case), 'float32')
    for place, name in enumerate(o.name for o in ENTRIES[case.kernel].outputs):
        outputs = [None, None]
        outputs[place] = Tensor(array(name, (), 'float32'), memory=False)
        attrs = [case.attrs[a.name] for a in ENTRIES[case.kernel].attrs]
        inputs = operands(case, 'float32').values()
        kernel_probe.run(case.kernel, 'float32', inputs, attrs, outputs)
        np.testing.assert_array_equal(outputs[place].numpy(), want[place])
