"""Gradient kernels resize outputs that have wrong dims and dtypes.

A legacy IR program passes the first inputs of a gradient kernel to InferMeta and
ignores `param` of the YAML, so most outputs have the dims of another input.
"""

import numpy as np
import pytest

from native.tests.kernel_cases import (
    ENTRIES,
    GRADIENTS,
    operands,
    result_shapes,
    run,
    unallocated,
)

SMALL = [
    c for c in GRADIENTS if max(map(max, filter(len, c.shapes.values()))) < 99
]


def legacy_ir(case):
    """Return the shapes that InferMeta infers from the first inputs."""
    names = [tensor.name for tensor in ENTRIES[case.kernel].tensors]
    return [case.shapes[name] for name in names[: len(result_shapes(case))]]


def fixed(*shape):
    return lambda case: [shape] * len(result_shapes(case))


def results(case, shapes, dtype='float32'):
    """Run with outputs of these initial shapes and dtype; None is not computed."""
    outputs = [
        None if shape is None else unallocated(shape, dtype) for shape in shapes
    ]
    return run(case, 'float32', operands(case, 'float32').values(), outputs)


def test_every_gradient_kernel_has_a_case():
    kernels = {e.kernel for e in ENTRIES.values() if e.is_backward}
    missing = kernels - {case.kernel for case in SMALL}
    assert not missing, f'native/tests/kernel_cases.py: no case of {missing}'


@pytest.mark.parametrize('dims', [legacy_ir, fixed(), fixed(2), fixed(9, 9)])
@pytest.mark.parametrize('case', SMALL, ids=str)
def test_gradients_are_resized_to_their_inputs(case, dims):
    expected = results(case, result_shapes(case))
    assert [a.shape for a in expected] == result_shapes(case)
    for declared in ('float32', 'int8', 'complex128'):
        actual = results(case, dims(case), declared)
        for one, other in zip(actual, expected):
            np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize(
    'case', [c for c in SMALL if len(result_shapes(c)) == 2], ids=str
)
def test_single_gradient_is_resized(case):
    expected = results(case, result_shapes(case))
    # x_grad of scatter has the shape of out_grad, which is always passed.
    for place in range('x' not in case.shapes, 2):
        shapes = [None, None]
        shapes[place] = ()
        actual = results(case, shapes)[place]
        np.testing.assert_array_equal(actual, expected[place])
