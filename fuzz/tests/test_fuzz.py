"""Tests of the fuzzer: a run of it, and that it finds what is planted."""

import ctypes
import json
import time

import numpy as np
import pytest
from fuzz import __main__ as command
from fuzz.cases import APIS, WAYS, Case, from_line, to_line
from fuzz.compare import Near, to_bfloat16
from fuzz.guard import guarded_copy, place
from fuzz.run import run
from fuzz.shrink import shrink
from fuzz.worker import Worker

import paddle

LAYOUTS = ('', 'transposed', 'stepped', 'inner', 'offset', 'expanded')


def masked_case(**fields):
    """A small call of masked_scatter in which every element is replaced."""
    attrs = {'mask': [3, 4], 'density': 1.0, 'runs': False, 'spare': 0}
    fields = {'shape': [3, 4], 'attrs': attrs, 'dtype': 'float32', **fields}
    return Case(api='masked_scatter', way='call', **fields)


def plant(monkeypatch, api, change):
    """Replaces a function of paddle by one that gets its result first."""
    right = getattr(paddle, api)

    def wrong(*args, **kwargs):
        return change(right(*args, **kwargs), *args)

    monkeypatch.setattr(paddle, api, wrong)


def reported(capsys):
    return [
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith('FAIL')
    ]


def test_twenty_seconds_without_a_failure(monkeypatch, capsys):
    runs = []
    real = command.Fuzz.summary

    def summary(self, seconds):
        runs.append(self)
        return real(self, seconds)

    monkeypatch.setattr(command.Fuzz, 'summary', summary)
    status = command.main(['--seconds', '20', '--seed', '2026'])
    assert reported(capsys) == []
    assert status == 0
    (fuzz,) = runs
    assert set(fuzz.ran) == {(api, way) for api in APIS for way in WAYS}
    assert sum(fuzz.ran.values()) > 10 * fuzz.skipped > 0


@pytest.mark.parametrize('api', APIS)
def test_one_wrong_element_is_found_and_its_line_repeats_it(
    api, monkeypatch, capsys
):
    def one_off(out, *args):
        flat = out.numpy().reshape(-1)
        if not flat.size or flat.dtype in ('bool', 'uint16'):
            return out
        flat[-1] = flat[-1] + 1
        return paddle.to_tensor(flat).reshape(out.shape)

    plant(monkeypatch, api, one_off)
    assert command.main(['--seconds', '6', '--only', api]) == 1
    line = reported(capsys)[0]
    assert line.startswith(f'FAIL {api} ')
    assert command.main(['--replay', line]) == 1
    (again,) = reported(capsys)
    assert again == line


def test_replay_of_a_right_call_passes(capsys):
    assert command.main(['--replay', to_line(masked_case())]) == 0
    assert 'passes' in capsys.readouterr().out


def test_reading_one_element_too_many_is_a_crash_and_the_run_goes_on(
    monkeypatch,
):
    def read_behind(out, x, mask, value):
        ctypes.string_at(value.data_ptr() + value.size * 4, 1)
        return out

    plant(monkeypatch, 'masked_scatter', read_behind)
    with Worker() as worker:
        assert worker.run(masked_case()) == []
        (problem,) = worker.run(masked_case(guard='end'))
        assert problem.startswith('crash: SIG')
        assert worker.run(masked_case()) == []


def test_a_call_that_hangs_is_a_failure(monkeypatch):
    plant(monkeypatch, 'masked_scatter', lambda out, *_: time.sleep(60))
    with Worker(timeout=0.5) as worker:
        assert worker.run(masked_case()) == ['no answer in 0.5 s']


def test_a_changed_input_is_found(monkeypatch):
    def write_value(out, x, mask, value):
        value.scale_(2.0)
        return out

    plant(monkeypatch, 'masked_scatter', write_value)
    assert 'value: an input was changed' in run(masked_case())


def test_a_call_without_the_error_it_has_to_raise_is_found(monkeypatch):
    monkeypatch.setattr(paddle, 'masked_scatter', lambda x, mask, value: x)
    short = masked_case(fault='short_source').changed(way='invalid')
    assert run(short) == ['short_source: expected an error']


def test_a_wrong_gradient_is_found(monkeypatch):
    plant(monkeypatch, 'masked_scatter', lambda out, *_: out * 1.5)
    grad = masked_case(values='finite', grads_of=['source'])
    problems = run(grad.changed(way='grad'))
    assert [p.split(':')[0] for p in problems] == [
        'gradient of source',
        'second-order gradient',
    ]


def test_shrink_keeps_what_is_needed_to_fail():
    case = masked_case(guard='end', threads=2, layouts={'x': 'stepped'})

    def fails_with_two_columns(smaller):
        return ['result: differs'] if smaller.shape[1] >= 2 else []

    smaller, problem = shrink(case, 'result: 12', fails_with_two_columns)
    assert smaller.shape == smaller.attrs['mask'] == [1, 2]
    assert (smaller.guard, smaller.threads, smaller.layouts) == ('', 1, {})
    assert problem == 'result: differs'


def test_cases_survive_their_line_and_depend_on_the_seed_alone():
    def lines(seed):
        drawn = command.cases(seed, APIS)
        return [to_line(next(drawn)) for _ in range(200)]

    first = lines(3)
    assert first == lines(3)
    assert first != lines(4)
    for line in first:
        assert to_line(from_line(line)) == line
        assert json.loads(line)['api'] in APIS


def test_a_line_without_a_case_is_refused():
    with pytest.raises(ValueError, match='no case'):
        from_line('FAIL masked_scatter')


@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('side', ['', 'start', 'end'])
def test_placed_tensors_hold_the_array(layout, side):
    array = np.arange(24, dtype='float32').reshape(2, 3, 4)
    if layout == 'expanded':
        array[1:] = array[:1]
    placed = place(array, layout, side)
    np.testing.assert_array_equal(placed.tensor.numpy(), array)
    assert placed.tensor.is_contiguous() == (layout in ('', 'offset'))
    assert not placed.changed()


@pytest.mark.parametrize('layout', LAYOUTS[:-1])
@pytest.mark.parametrize('side', ['', 'start', 'end'])
def test_a_write_into_a_placed_tensor_is_seen(layout, side):
    placed = place(np.zeros((2, 3, 4), 'float32'), layout, side)
    placed.tensor[0, 1, 2] = 100.0
    assert placed.changed()
    assert not placed.changed_outside()


def test_a_write_beside_a_view_is_seen():
    placed = place(np.zeros((2, 3), 'float32'), 'inner', 'end')
    placed.base_now()[0, 0] = 7
    assert placed.changed_outside()


def test_guarded_copy_ends_and_begins_at_the_forbidden_page():
    array = np.arange(5, dtype='int16')
    end = guarded_copy(array, 'end')
    assert (end.ctypes.data + end.nbytes) % 4096 == 0
    assert guarded_copy(array, 'start').ctypes.data % 4096 == 0
    np.testing.assert_array_equal(end, array)


def test_near_allows_the_bound_and_one_rounding():
    near = Near(np.array([1.0, np.inf, np.nan]), np.array([1e-3, 0.0, 0.0]))
    halves = np.array([1.001, np.inf, np.nan], 'float16')
    assert near.fault(halves, 'float16') == ''
    assert '1 of 3' in near.fault(halves + np.float16(0.01), 'float16')
    assert 'expected float16(3,)' in near.fault(halves[:2], 'float16')


def test_bfloat16_is_rounded_to_even():
    numbers = [1.0, 1.00390625, 1.01171875, 3.4e38, -np.inf, np.nan]
    bits = [0x3F80, 0x3F80, 0x3F82, 0x7F80, 0xFF80, 0x7FFF]
    assert to_bfloat16(numbers).tolist() == bits
