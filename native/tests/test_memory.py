"""The allocator of CPU Tensors: what is kept, what goes back, and when."""

import gc
import os
import threading

import pytest

import paddle
from paddle import _native_lib as lib
from paddle import _native_memory
from paddle.base import core

FLAG = 'FLAGS_cpu_idle_memory_limit_in_mb'
# Flags that fill memory, a value of each and the byte that it means.
FILLS = {
    'FLAGS_init_allocated_mem': (True, 0xEF),
    'FLAGS_alloc_fill_value': (7, 7),
}
PAGE = os.sysconf('SC_PAGESIZE')


def set_limit(mib):
    paddle.set_flags({FLAG: mib})


@pytest.fixture(autouse=True)
def nothing_idle():
    flags = paddle.get_flags([FLAG, *FILLS])
    gc.collect()
    set_limit(1024)
    lib.empty_cache()
    assert lib.memory_usage()['reserved'] == 0
    yield
    paddle.set_flags(flags)


def usage(what):
    return lib.memory_usage()[what] >> 20


def kept():
    """MiB in use, idle, and idle but pinned by what is in use."""
    in_use, idle = usage('in_use'), usage('idle')
    return in_use, idle, usage('reserved') - in_use - idle


def stat(what, value='current'):
    return getattr(core, f'host_memory_stat_{value}_value')(what, 0) >> 20


def resident():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * PAGE >> 20


def tensor(mib):
    return paddle.full([mib, 1 << 18], 1.0)


# ---- what is kept


def test_a_freed_tensor_leaves_its_memory_to_the_next():
    first = tensor(8).data_ptr()
    assert kept() == (0, 8, 0)
    assert tensor(8).data_ptr() == first
    assert kept() == (0, 8, 0)


def test_a_tensor_takes_a_part_of_what_is_idle():
    tensor(8)
    part = tensor(2)
    assert kept() == (2, 0, 6)
    assert lib.empty_cache() == 0
    del part
    assert kept() == (0, 8, 0)
    assert lib.empty_cache() == 8 << 20
    assert kept() == (0, 0, 0)


def test_small_tensors_are_not_kept():
    tensors = [paddle.zeros([(1 << 17) - 1]), paddle.zeros([1 << 17])]
    assert lib.memory_usage()['in_use'] == 512 << 10
    del tensors


def test_by_default_an_eighth_of_the_memory_is_kept():
    set_limit(-1)
    everything = os.sysconf('SC_PHYS_PAGES') * PAGE >> 20
    assert 0 < usage('limit') <= min(everything // 8, 4096)


# ---- what goes back


def test_above_the_limit_all_that_is_idle_goes_back():
    set_limit(100)
    before = resident()
    for _ in range(64):  # 10 GiB
        tensors = [tensor(40) for _ in range(4)]
        del tensors
        assert usage('idle') <= 100
    # 160 MiB are freed a turn: 40, 80, none, 40
    assert kept() == (0, 40, 0)
    assert resident() - before < 120


def test_what_is_pinned_makes_nothing_else_go_back():
    set_limit(100)
    held = [tensor(64) for _ in range(3)]
    for i in range(3):
        held[i] = None
        held[i] = tensor(40)
    for _ in range(5):
        tensor(50)
        assert kept() == (120, 50, 72)
    del held
    assert kept() == (0, 0, 0)


def test_empty_cache_gives_all_back():
    tensors = tensor(30), tensor(270)
    before = resident()
    del tensors
    paddle.device.empty_cache()
    assert kept() == (0, 0, 0)
    assert before - resident() > 290
    assert paddle.device.cpu.empty_cache is paddle.device.empty_cache


def test_a_lower_limit_holds_from_the_next_tensor_on():
    tensor(80)
    set_limit(50)
    tensor(1)
    assert kept() == (0, 1, 0)


def test_tensors_of_either_kind_are_freed_after_the_switch():
    before = stat('Allocated')
    set_limit(0)
    off = tensor(20)
    assert kept() == (0, 0, 0)
    set_limit(100)
    on = tensor(30)
    set_limit(0)
    assert kept() == (30, 0, 0)
    del on, off
    assert kept() == (0, 0, 0)
    assert stat('Allocated') == before


# ---- statistics and flags


def test_statistics_tell_what_is_in_use_and_what_is_reserved():
    allocated, reserved = stat('Allocated'), stat('Reserved')
    core.host_memory_stat_reset_peak_value('Allocated', 0)
    x, y = tensor(8), tensor(24)
    del y
    assert stat('Allocated') - allocated == 8
    assert stat('Reserved') - reserved == 32
    assert stat('Allocated', 'peak') - allocated == 32
    lib.empty_cache()
    assert stat('Reserved') - reserved == 8
    del x


@pytest.mark.parametrize('flag', FILLS)
@pytest.mark.parametrize('size', [1 << 12, 1 << 22])
def test_flags_that_fill_memory_are_obeyed(flag, size):
    value, byte = FILLS[flag]
    paddle.set_flags({flag: value})
    for _ in range(2):  # fresh memory, and kept
        x = paddle.empty([size], 'uint8')
        assert (x == byte).all()
        x.fill_(0)
        del x


def test_the_summary_names_the_limit():
    for limit, said in (
        (77, '77 MiB of freed Tensors are kept at most'),
        (0, "Paddle's own allocator"),
    ):
        set_limit(limit)
        assert _native_memory.summary().startswith(said)
        assert FLAG in _native_memory.summary()


# ---- threads


def test_threads_cross_the_limit():
    set_limit(8)
    allocated = stat('Allocated')
    right = []

    def turns(seed):
        mine = []
        for i in range(400):
            rows = 1 + (i * seed) % 7
            mine.append(paddle.full([rows, 1 << 18], float(seed)))
            if i % 5 == 4:
                assert all(float(x[-1, -1]) == seed for x in mine)
                mine = mine[:1] if i % 50 == 4 else []
        right.append(seed)

    threads = [threading.Thread(target=turns, args=[s]) for s in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(right) == [1, 2, 3, 4]
    in_use, idle, pinned = kept()
    assert (in_use, pinned) == (0, 0)
    assert idle <= 8
    assert stat('Allocated') == allocated
