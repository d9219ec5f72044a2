"""Gradients whose outputs come with the dims and the dtype of something else.

A program of the old IR gives InferMeta the first inputs of a gradient kernel,
whatever the YAML's `param` says, so that most outputs have the dims of another
input. The kernels size them by what they are the gradients of.
"""

import numpy as np
import pytest

from native.tests.kernel_cases import (
    ENTRIES,
    GRADIENTS,
    operands,
    result_shapes,
    run,
    without_memory,
)

SMALL = [
    c for c in GRADIENTS if max(map(max, filter(len, c.shapes.values()))) < 99
]


def of_old_ir(case):
    """What InferMeta makes of the first inputs."""
    names = [tensor.name for tensor in ENTRIES[case.kernel].tensors]
    return [case.shapes[name] for name in names[: len(result_shapes(case))]]


def fixed(*shape):
    return lambda case: [shape] * len(result_shapes(case))


def results(case, shapes, dtype='float32'):
    """Those of outputs that come with these shapes and this dtype; None is not
    wanted."""
    outputs = [
        None if shape is None else without_memory(shape, dtype)
        for shape in shapes
    ]
    return run(case, 'float32', operands(case, 'float32').values(), outputs)


def test_every_gradient_of_these_operators_has_a_case():
    kernels = {e.kernel for e in ENTRIES.values() if e.is_backward}
    assert {case.kernel for case in SMALL} == kernels


@pytest.mark.parametrize('given', [of_old_ir, fixed(), fixed(2), fixed(9, 9)])
@pytest.mark.parametrize('case', SMALL, ids=str)
def test_outputs_get_the_shapes_of_what_they_are_gradients_of(case, given):
    want = results(case, result_shapes(case))
    assert [a.shape for a in want] == result_shapes(case)
    for declared in ('float32', 'int8', 'complex128'):
        for found, right in zip(results(case, given(case), declared), want):
            np.testing.assert_array_equal(found, right, strict=True)


@pytest.mark.parametrize(
    'case', [c for c in SMALL if len(result_shapes(c)) == 2], ids=str
)
def test_each_gradient_is_sized_without_the_other(case):
    want = results(case, result_shapes(case))
    # x_grad of scatter has the shape of another gradient, which it must be given
    for place in range('x' not in case.shapes, 2):
        shapes = [None, None]
        shapes[place] = ()
        found = results(case, shapes)[place]
        np.testing.assert_array_equal(found, want[place])
