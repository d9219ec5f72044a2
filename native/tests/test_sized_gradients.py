"""Gradient kernels resize outputs that have wrong dims and dtypes.

A legacy IR program passes the first inputs of a gradient kernel to InferMeta and
ignores `param` of the YAML, so most outputs have the dims of another input.
"""

import numpy as np
import pytest

from native.tests.kernel_cases import CASES, unallocated

SMALL = [
    case
    for case in CASES
    if case.entry.is_backward and max(case.shapes['out']) < 99
]


def legacy_ir(case):
    """Return the shapes that InferMeta infers from the first inputs."""
    inputs = case.entry.tensors[: len(case.entry.outputs)]
    return [case.shape(tensor.name) for tensor in inputs]


def fixed(*shape):
    return lambda case: [shape] * len(case.result_shapes)


def results(case, shapes, dtype='float32'):
    """Run with outputs of these initial shapes and dtype; None is not computed."""
    outputs = [
        None if shape is None else unallocated(shape, dtype) for shape in shapes
    ]
    return case.run('float32', case.operands('float32').values(), outputs)


@pytest.mark.parametrize('dims', [legacy_ir, fixed(), fixed(2), fixed(9, 9)])
@pytest.mark.parametrize('case', SMALL, ids=str)
def test_gradients_are_resized_to_their_inputs(case, dims):
    expected = results(case, case.result_shapes)
    assert [a.shape for a in expected] == case.result_shapes
    for declared in ('float32', 'int8', 'complex128'):
        actual = results(case, dims(case), declared)
        for one, other in zip(actual, expected):
            np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize(
    'case', [c for c in SMALL if len(c.result_shapes) == 2], ids=str
)
def test_single_gradient_is_resized(case):
    expected = results(case, case.result_shapes)
    # x_grad of scatter has the shape of out_grad, which is always passed.
    for place in range(case.entry.tensors[0].name != 'x', 2):
        shapes = [None, None]
        shapes[place] = ()
        actual = results(case, shapes)[place]
        np.testing.assert_array_equal(actual, expected[place])
