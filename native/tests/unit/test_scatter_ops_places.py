"""The composed forms of the functions, without kernels.

test_composed_calls tests their results and gradients; this module tests edge cases
and errors.
"""

import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np
import pytest
from programs import run_program, static_mode, to_static

import paddle
from paddle.base import core
from paddle.tensor import manipulation


def without_kernels():
    """Simulate a place without kernels."""
    return mock.patch.object(
        manipulation, '_has_scatter_kernels', return_value=False
    )


def test_values_are_cast():
    x, values = paddle.zeros([2, 3], 'int32'), paddle.to_tensor([1.5, -2.5])
    with without_kernels():
        out = paddle.select_scatter(x, values, 1, 0)
    assert out.tolist() == [[1, 0, 0], [-2, 0, 0]]


def test_only_dims_of_the_diagonal_must_be_known():
    with (
        static_mode(),
        without_kernels(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        x = paddle.static.data('x', [-1, -1, 3, 4])
        y = paddle.static.data('y', [-1, -1, 3])
        out = paddle.diagonal_scatter(x, y, 0, 2, 3)
        assert list(out.shape) == [-1, -1, 3, 4]


@pytest.mark.parametrize('index', [3, -4])
def test_index_out_of_range_raises_at_run_time(index):
    def build(variables):
        x, values = variables.values()
        return [paddle.select_scatter(x, values, 0, index)]

    arrays = {'x': np.zeros((3, 2)), 'values': np.ones(2)}
    with static_mode(), without_kernels(), pytest.raises(IndexError):
        run_program(build, arrays, known_dims=False)


def test_invalid_arguments_raise_as_with_kernels():
    tests = unittest.defaultTestLoader.loadTestsFromNames(
        [
            'test_masked_scatter_api.TestComposedMaskedScatterErrors',
            'test_select_scatter_api.TestSelectScatterErrors',
            'test_diagonal_scatter_api.TestDiagonalScatterErrors',
        ]
    )
    with without_kernels():
        result = unittest.TextTestRunner().run(tests)
    assert result.testsRun >= 10
    assert result.wasSuccessful()


def test_only_the_exporting_thread_composes():
    def composes():
        return not manipulation._has_scatter_kernels()

    with (
        pytest.raises(KeyError),
        ThreadPoolExecutor(1) as other,
        manipulation._compose_scatter_ops(),
    ):
        assert composes()
        assert not other.submit(composes).result()
        raise KeyError
    assert not composes()


def test_nested_exports_compose_until_the_outer_export_ends():
    with manipulation._compose_scatter_ops():
        with manipulation._compose_scatter_ops():
            pass
        assert not manipulation._has_scatter_kernels()
    assert manipulation._has_scatter_kernels()


def test_export_traces_a_traced_function_again():
    def scatter_positive(x):
        return paddle.masked_scatter(x, x > 0, x)

    for specs in (None, [paddle.static.InputSpec([3], 'float32', 'x')]):
        traced = to_static(scatter_positive, input_spec=specs, full_graph=True)
        traced(paddle.ones([3]))
        with manipulation._compose_scatter_ops():
            inside = traced.concrete_program.main_program
        outside = traced.concrete_program.main_program
        assert 'masked_scatter' not in str(inside)
        assert 'masked_scatter' in str(outside)


def test_cpu_and_gpu_have_kernels():
    # Only an XPU build has the class.
    class XPUPlace:
        pass

    places = [(core.CPUPlace(), True), (XPUPlace(), False)]
    if core.is_compiled_with_cuda():
        places += [(core.CUDAPlace(0), True), (core.CUDAPinnedPlace(), True)]
    for place, has_kernels in places:
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            assert manipulation._has_scatter_kernels() is has_kernels
