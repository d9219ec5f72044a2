"""Calls of several threads at once: the kernels run without the GIL."""

import sys
import threading

import pytest

import paddle

THREADED_CALLS = 6000


@pytest.fixture
def hasty_threads():
    """Lets the threads of Python take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def fill_with_many_numbers(stop):
    x = paddle.zeros([4])
    mask = paddle.ones([4], 'bool')
    number = 0
    while not stop.is_set():
        number += 1
        paddle.masked_fill(x, mask, float(number))


@pytest.mark.usefixtures('hasty_threads')
def test_fill_number_outlives_the_calls_of_other_threads():
    x = paddle.zeros([1 << 15])
    mask = paddle.ones([1 << 15], 'bool')
    stop = threading.Event()
    other = threading.Thread(target=fill_with_many_numbers, args=(stop,))
    other.start()
    found = set()
    try:
        for _ in range(THREADED_CALLS):
            found.add(paddle.masked_fill(x, mask, -1.5).numpy()[7])
    finally:
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
