"""Where the functions call kernels, and where Paddle's own operators compose them.

Random calls of the composed forms, which have first-order gradients. unittests/ tests
their edge cases and errors.
"""

from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from drawn_calls import call_with_gradients, describe, draw_cases
from fuzz import reference
from fuzz.arrays import GRAD_DTYPES, to_paddle
from fuzz.compare import find_mismatch
from programs import to_static

import paddle
from paddle.base import core
from paddle.tensor import manipulation

COMPOSED_APIS = 'masked_scatter', 'select_scatter', 'diagonal_scatter'


def is_supported(case):
    """Some of Paddle's operators have no gradient for empty Tensors; the composed
    forms cast bfloat16, which changes NaN payloads."""
    if case.dtype == 'bfloat16' and case.kind == 'any':
        return False
    sizes = [array.size for array in case.arrays.values()]
    return not case.wrt or (case.dtype in GRAD_DTYPES and min(sizes) > 0)


@pytest.fixture
def no_kernels(monkeypatch):
    kernel = mock.Mock(side_effect=AssertionError('a kernel is called'))
    for name in (*COMPOSED_APIS, 'masked_scatter_'):
        monkeypatch.setattr(manipulation._C_ops, name, kernel)
    monkeypatch.setattr(manipulation, '_use_scatter_ops', lambda: False)


@pytest.mark.parametrize('api', COMPOSED_APIS)
def test_composed_calls(no_kernels, api):
    for case in draw_cases(api, 150, is_supported):
        tensors = [to_paddle(array) for array in case.arrays.values()]
        for name, tensor in zip(case.arrays, tensors):
            tensor.stop_gradient = name not in case.wrt
        out_grad = case.out_grad()
        out, *grads = call_with_gradients(
            case, tensors, to_paddle(out_grad), paddle.grad
        )
        expected = {'result': reference.forward(case)}
        if grads:
            gradients = reference.gradients(case, out_grad)
            expected |= {name: gradients[name] for name in case.wrt}
        for actual, (name, array) in zip([out, *grads], expected.items()):
            problem = find_mismatch(actual.numpy(), array, case.dtype)
            assert problem == '', (name, describe(case))


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
            assert manipulation._use_scatter_ops() is has_kernels
