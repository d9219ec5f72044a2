"""Calls that are answered without Python: which are, which are not, and that
nothing but the time tells them apart."""

import contextlib
import inspect
import sys
import threading
from unittest import mock

import numpy as np
import pytest

import paddle
from paddle import _native_calls

APIS = tuple(_native_calls.DIRECT)
OUT_OF_PLACE = [name for name in APIS if not name.endswith('_')]
assert len(OUT_OF_PLACE) == 5


def tensor(shape, dtype='float32', wants=False):
    count = int(np.prod(shape, dtype=int))
    data = np.arange(count).reshape(shape) % 7 + 1
    return paddle.to_tensor(data.astype(dtype), stop_gradient=not wants)


def arguments(name, wants=False):
    """Positional arguments that every function takes."""
    x = tensor([3, 4], wants=wants)
    mask = paddle.to_tensor(np.arange(12).reshape(3, 4) % 3 == 0)
    return {
        'masked_scatter': (x, mask, tensor([12])),
        'masked_fill': (x, mask, 2.5),
        'select_scatter': (x, tensor([4]), 0, -1),
        'diagonal_scatter': (x, tensor([3]), 1),
        'scatter': (x, paddle.to_tensor([2, 0]), tensor([2, 4])),
    }[name.removesuffix('_')]


def direct(name):
    function = _native_calls.DIRECT[name]
    return lambda *args, **kwargs: function(args, kwargs)


def python_function(name):
    return getattr(paddle, name).__wrapped__


def same(one, other):
    assert one.dtype == other.dtype and one.shape == other.shape
    np.testing.assert_array_equal(
        one.detach().numpy(), other.detach().numpy(), strict=True
    )


@pytest.mark.parametrize('name', APIS)
def test_plain_call_is_answered_as_by_the_python_function(name):
    found = direct(name)(*arguments(name))
    assert isinstance(found, paddle.Tensor) and found.stop_gradient
    same(found, python_function(name)(*arguments(name)))


@pytest.mark.parametrize('name', APIS)
def test_function_looks_like_the_python_function(name):
    for home in (paddle, paddle.tensor, paddle.Tensor):
        function = getattr(home, name)
        assert inspect.isfunction(function)
        assert function.__doc__ == python_function(name).__doc__
        assert inspect.signature(function) == inspect.signature(
            python_function(name)
        )


@pytest.mark.parametrize('name', OUT_OF_PLACE)
def test_gradients_are_recorded_and_are_those_of_the_python_function(name):
    grads = []
    for function in (direct(name), python_function(name)):
        given = arguments(name, wants=True)
        out = function(*given)
        assert not out.stop_gradient
        (out * tensor(out.shape)).sum().backward()
        grads.append(given[0].grad)
        with paddle.no_grad():
            assert function(*given).stop_gradient
    same(*grads)


@pytest.mark.parametrize(
    ('reduce', 'options'),
    [
        ('sum', {'axis': 1}),
        ('mean', {'include_self': True}),
        ('mul', {}),
        ('amax', {'axis': -1}),
        ('amin', {'include_self': True, 'axis': 1}),
        ('add', {}),
    ],
)
@pytest.mark.parametrize('name', ['scatter', 'scatter_'])
def test_options_of_scatter_choose_the_same_operator(name, reduce, options):
    results = []
    for function in (direct(name), python_function(name)):
        x, index = tensor([4, 4]), paddle.to_tensor([2, 0, 2, 1])
        results.append(
            function(x, index, tensor([4, 4]), False, reduce=reduce, **options)
        )
    same(*results)


NUMBERS = {
    'float32': (0.1, 0.0, -0.0, 0, 1e300, float('nan'), 2**60),
    'float64': (7,),
    'int32': (-5, 2.5),
    'int64': (2**53 + 1,),
    'bool': (3,),
    'float16': (1.01,),
}


@pytest.mark.parametrize('name', ['masked_fill', 'masked_fill_'])
@pytest.mark.parametrize('dtype', NUMBERS)
def test_number_is_rounded_as_by_the_python_function(name, dtype):
    mask = paddle.to_tensor([True, False, True])
    for value in NUMBERS[dtype] * 2:  # the second time the number is known
        found, wanted = (
            function(tensor([3], dtype), mask, value)
            for function in (direct(name), python_function(name))
        )
        same(found, wanted)
        assert found.numpy().tobytes() == wanted.numpy().tobytes()  # -0.0


def test_scatter_that_has_no_effect_warns_each_time():
    x, index, updates = arguments('scatter')
    for _ in range(2):
        with pytest.warns(UserWarning, match='has no effect'):
            paddle.scatter(x, index, updates, reduce='mul')


def not_served(name, *args, **kwargs):
    assert direct(name)(*args, **kwargs) is NotImplemented


def test_arguments_of_other_types_are_left_to_python():
    x, mask, value = arguments('masked_scatter')
    not_served('masked_scatter', x.numpy(), mask, value)
    not_served('masked_scatter', x, mask.astype('int32'), value)
    not_served('masked_scatter', x, mask, value.astype('float64'))
    not_served('masked_scatter', x.astype('int64'), mask, value)
    not_served('masked_scatter', x, mask)
    not_served('masked_scatter', x, mask, value, None, None)
    not_served('masked_scatter', input=x, mask=mask, value=value)
    not_served('masked_fill', x, mask, '1.0')
    not_served('masked_fill', x, mask, True)
    not_served('masked_fill', tensor([3, 4], 'int32'), mask, 2**40)
    row = tensor([4])
    not_served('select_scatter', x, row, 0, True)
    not_served('select_scatter', x, row, 0, paddle.to_tensor(1))
    not_served('select_scatter', x, row, 0, 2**70)
    index, updates = paddle.to_tensor([2, 0]), tensor([2, 4])
    not_served('scatter', x, 0, index, updates)
    not_served('scatter', x, index, updates, None)
    not_served('scatter', x, index, updates, True, 'a name')
    not_served('scatter', x, index, updates, reduce='sum', include_self=True)
    not_served('scatter', x, index, updates, reduce='add')
    not_served('scatter', x, index, updates, False, reduce='max')
    not_served('scatter', x, index, updates, out=x)
    not_served('scatter', x, index, updates, False, True)
    not_served('scatter', x, index, updates, 1)
    not_served('scatter', x, index, updates, False, overwrite=False)


def test_wrong_calls_are_left_to_python_which_names_the_fault():
    x, mask = tensor([3, 4]), paddle.to_tensor([True, False, True])
    index = paddle.to_tensor([0, 9])
    for name, args, error in (
        ('masked_fill', (x, mask, 1.0), ValueError),
        ('select_scatter', (x, tensor([4]), 0, 3), IndexError),
        ('scatter_', (x, index, tensor([2, 4])), IndexError),
    ):
        not_served(name, *args)
        with pytest.raises(error, match='mask|index'):
            getattr(paddle, name)(*args)
    same(x, tensor([3, 4]))


def test_tensor_that_does_not_lie_as_it_is_read():
    turned = tensor([4, 3]).transpose([1, 0])
    assert not turned.is_contiguous()
    row = tensor([4])
    same(
        direct('select_scatter')(turned, row, 0, 0),
        paddle.select_scatter(paddle.to_tensor(turned.numpy()), row, 0, 0),
    )
    mask = paddle.ones([3, 4], 'bool')
    not_served('masked_fill_', turned, mask, 1.0)


def test_in_place_call_that_records_is_left_to_python():
    x, mask, value = arguments('masked_scatter_')
    value.stop_gradient = False
    not_served('masked_scatter_', x, mask, value)
    leaf = tensor([3, 4], wants=True)
    with pytest.raises(ValueError, match="Leaf Var .* can't use inplace"):
        paddle.masked_fill_(leaf, mask, 1.0)


def test_in_place_call_counts_as_a_change():
    x, mask, _ = arguments('masked_fill_')
    before = x.inplace_version
    assert paddle.masked_fill_(x, mask, 1.0) is x
    assert x.inplace_version == before + 1


@contextlib.contextmanager
def auto_cast():
    state = paddle.base.core._get_amp_attrs()
    state._amp_level = paddle.base.core.AmpLevel.O1
    yield
    state._amp_level = paddle.base.core.AmpLevel.O0


@contextlib.contextmanager
def checks():
    paddle.set_flags({'FLAGS_check_nan_inf': True})
    yield
    paddle.set_flags({'FLAGS_check_nan_inf': False})


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def profiler():
    cpu = [paddle.profiler.ProfilerTarget.CPU]
    return paddle.profiler.Profiler(targets=cpu, on_trace_ready=id)


@pytest.mark.parametrize('mode', [auto_cast, checks, static_mode, profiler])
def test_other_modes_are_left_to_python(mode):
    given = arguments('masked_fill')
    with mode():
        found = direct('masked_fill')(*given)
    assert found is NotImplemented
    assert direct('masked_fill')(*given) is not NotImplemented


def test_operator_that_somebody_replaced_is_called():
    given = arguments('select_scatter')
    with mock.patch.object(
        paddle._C_ops, 'select_scatter', return_value='theirs'
    ):
        assert paddle.select_scatter(*given) == 'theirs'
    given = arguments('scatter')
    options = {'overwrite': False, 'axis': 0, 'include_self': True}
    with mock.patch.object(
        paddle._C_ops, 'index_scatter', return_value='theirs'
    ):
        assert paddle.scatter(*given, **options) == 'theirs'
        assert direct('scatter')(*given) is not NotImplemented


# ---- several threads: the kernels run without the GIL


def fill_with_many_numbers(stop):
    x = paddle.zeros([4])
    mask = paddle.ones([4], 'bool')
    number = 0
    while not stop.is_set():
        number += 1
        paddle.masked_fill(x, mask, float(number))


def test_fill_number_outlives_the_calls_of_other_threads():
    x = paddle.zeros([1 << 15])
    mask = paddle.ones([1 << 15], 'bool')
    stop = threading.Event()
    other = threading.Thread(target=fill_with_many_numbers, args=(stop,))
    other.start()
    found = set()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # they take turns all the time
    try:
        for _ in range(6000):
            found.add(paddle.masked_fill(x, mask, -1.5).numpy()[7])
    finally:
        sys.setswitchinterval(before)
        stop.set()
        other.join()
    assert found == {-1.5}


def test_auto_cast_that_another_thread_starts_meanwhile_stays():
    def start_auto_cast(tensor):
        state._amp_level = paddle.base.core.AmpLevel.O1
        return tensor

    state = paddle.base.core._get_amp_attrs()
    value = paddle.ones([6])
    value.stop_gradient = False
    strided = paddle.zeros([3, 2]).T
    mask = paddle.ones([2, 3], 'bool')
    # a hook runs in the middle of the call, as another thread might
    hooks = paddle.autograd.saved_tensors_hooks(start_auto_cast, lambda t: t)
    try:
        with hooks:
            paddle.masked_scatter_(strided, mask, value)
        assert state._amp_level == paddle.base.core.AmpLevel.O1
    finally:
        state._amp_level = paddle.base.core.AmpLevel.O0
