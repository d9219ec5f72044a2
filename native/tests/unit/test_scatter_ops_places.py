"""Where the functions call kernels, and where Paddle's own operators compose them.

unittests/ compare the composed forms with numpy.
"""

from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from programs import to_static

import paddle
from paddle.base import core
from paddle.tensor import manipulation


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
@mock.patch.multiple(paddle._C_ops, masked_scatter=None, masked_scatter_=None)
def test_composed_masked_scatter_calls_no_kernel():
    x = paddle.to_tensor([-1.0, 2.0])
    assert paddle.masked_scatter(x, x > 0, x).tolist() == [-1, -1]
    assert paddle.masked_scatter_(x, x > 0, x).tolist() == [-1, -1]


def test_only_the_exporting_thread_composes():
    def composes():
        return not manipulation._use_scatter_ops()

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
        assert not manipulation._use_scatter_ops()
    assert manipulation._use_scatter_ops()


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


def test_other_places_have_no_kernels():
    # Only an XPU build has the class.
    class XPUPlace:
        pass

    for place, has_kernels in (core.CPUPlace(), True), (XPUPlace(), False):
        with mock.patch.object(
            manipulation, '_current_expected_place_', return_value=place
        ):
            assert manipulation._use_scatter_ops() is has_kernels
