"""Calls of several threads at once, which run while none of them has the GIL."""

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
