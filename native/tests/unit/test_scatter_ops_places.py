"""Where the scatter functions have no kernels, or must do without them.

Values, gradients and programs of what they are composed of are in the tables of
unittests/ (ComposedTests); here are its edges and what it refuses, beside the
kernels.
"""

import unittest
from unittest import mock

import numpy as np
import pytest
from op_table_graph import run_program, static_mode
from scatter_test_utils import INT_DTYPES, assert_same_bits

import paddle
from paddle.base import core
from paddle.tensor import manipulation

PUT = paddle.put_along_axis


def no_kernels():
    """A place without the kernels."""
    return mock.patch.object(
        manipulation, '_has_scatter_kernels', return_value=False
    )


@pytest.mark.parametrize('dtype', INT_DTYPES)
@pytest.mark.parametrize('reduce', ['amax', 'amin'])
def test_limits_of_integers(dtype, reduce):
    info = np.iinfo(dtype)
    value = info.min if reduce == 'amax' else info.max
    x, index = paddle.zeros([3], dtype), paddle.to_tensor([1, 1])
    updates = paddle.to_tensor(np.full(2, value, dtype))
    arguments = x, index, updates, False, -1, reduce
    expected = paddle.scatter(*arguments)
    with no_kernels():
        assert_same_bits(paddle.scatter(*arguments), expected.numpy())


def put_past_nans(rows, index, updates, *args, **kwargs):
    """As of a device whose comparisons pass over NaNs."""
    if rows.dtype != paddle.float32 or 'add' in args:
        return PUT(rows, index, updates, *args, **kwargs)
    numbers = map(paddle.nan_to_num, (rows, updates))
    out = PUT(next(numbers), index, next(numbers), *args, **kwargs)
    zeros, ones = paddle.zeros_like(rows), paddle.ones_like(updates)
    return paddle.where(PUT(zeros, index, ones, 0, 'add') > 0, out, rows)


@pytest.mark.parametrize('put', [PUT, put_past_nans])
@pytest.mark.parametrize('reduce', ['amax', 'amin'])
@pytest.mark.parametrize('own', [True, False])
def test_a_nan_wins(reduce, own, put):
    nan = float('nan')
    x = paddle.to_tensor([1.0, nan, 2.0, nan])
    index = paddle.to_tensor([0, 2, 2, 3])
    updates = paddle.to_tensor([0.0, nan, 5.0, 3.0])
    with no_kernels(), mock.patch.object(paddle, 'put_along_axis', put):
        out = paddle.scatter(x, index, updates, False, 0, reduce, own)
    first = {'amax': 1.0 if own else 0.0, 'amin': 0.0}[reduce]
    last = nan if own else 3.0
    np.testing.assert_array_equal(out.numpy(), [first, nan, nan, last])


def test_values_are_cast():
    x, values = paddle.zeros([2, 3], 'int32'), paddle.to_tensor([1.5, -2.5])
    with no_kernels():
        out = paddle.select_scatter(x, values, 1, 0)
    assert out.tolist() == [[1, 0, 0], [-2, 0, 0]]


def test_only_the_rows_and_columns_need_be_known():
    with (
        static_mode(),
        no_kernels(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        x = paddle.static.data('x', [-1, -1, 3, 4])
        y = paddle.static.data('y', [-1, -1, 3])
        out = paddle.diagonal_scatter(x, y, 0, 2, 3)
        assert list(out.shape) == [-1, -1, 3, 4]


@pytest.mark.parametrize('index', [3, -4])
def test_an_index_is_checked_when_the_size_is_known(index):
    def build(variables):
        x, values = variables.values()
        return [paddle.select_scatter(x, values, 0, index)]

    arrays = {'x': np.zeros((3, 2)), 'values': np.ones(2)}
    with static_mode(), no_kernels(), pytest.raises(IndexError):
        run_program(build, arrays, known_dims=False)


def test_a_product_needs_an_index_of_known_length():
    with (
        static_mode(),
        no_kernels(),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        x = paddle.static.data('x', [5, 3, 2], 'float64')
        index = paddle.static.data('index', [-1], 'int64')
        updates = paddle.static.data('updates', [5, -1, 2], 'float64')
        text = "reduce='mul' along axis 1 of dtype .*float64.*guard"
        with pytest.raises(NotImplementedError, match=text):
            paddle.scatter(x, index, updates, False, 1, 'mul')


def test_wrong_arguments_are_refused_as_by_the_kernels():
    tests = unittest.defaultTestLoader.loadTestsFromNames(
        [
            'test_masked_scatter_values.TestMaskedScatterErrors',
            'test_select_scatter_values.TestSelectScatterErrors',
            'test_diagonal_scatter_values.TestDiagonalScatterErrors',
            'test_scatter_values.TestScatterErrors',
            'test_scatter_values.TestScatterWrongTensors',
        ]
    )
    with no_kernels():
        result = unittest.TextTestRunner().run(tests)
    assert result.testsRun > 20
    assert result.wasSuccessful()


def test_places():
    # those of other devices can be made in their builds only
    class XPUPlace:
        pass

    places = [(core.CPUPlace(), True), (XPUPlace(), False)]
    if core.is_compiled_with_cuda():
        places += [(core.CUDAPlace(0), True), (core.CUDAPinnedPlace(), True)]
    for place, served in places:
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            assert manipulation._has_scatter_kernels() is served
