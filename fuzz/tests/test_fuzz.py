"""The fuzzer passes on the build, and fails on what is injected in it."""

import ctypes
import itertools
import time

import numpy as np
import pytest
from fuzz import __main__ as command
from fuzz import bits, large
from fuzz.draw import APIS, draw
from fuzz.run import LARGE_APIS, run
from fuzz.worker import Worker

import paddle


def change(out, *_):
    """One bit is another one, which in float32 is worth 2**-15."""
    flat = out.numpy().reshape(-1)
    flat.view('uint8')[-3:][:1] ^= 1
    return paddle.to_tensor(flat, dtype=out.dtype).reshape(out.shape)


def write_source(out, x, mask, value):
    value.scale_(2.0)
    return out


def read_behind(out, x, mask, value):
    ctypes.string_at(value.data_ptr() + value.size * value.element_size(), 1)
    return out


def write_beside(out, x, *_):
    """Of a view with steps, the first element that is not its own."""
    ctypes.memset(x.data_ptr() + x.element_size(), 0x55, x.element_size())
    return out


def other_gradient(out, *_):
    return out + (out - out.detach())


def inject(monkeypatch, api, wrong):
    """Replaces a function of paddle by one that gets its result first."""
    right = getattr(paddle, api)

    def injected(*args, **kwargs):
        return wrong(right(*args, **kwargs), *args)

    monkeypatch.setattr(paddle, api, injected)


def first_case(api, suits):
    """In float32 and of several elements."""
    for number in itertools.count():
        case = draw(7, number, api)
        sizes = [array.size for array in case.arrays.values()]
        if case.dtype == 'float32' and min(sizes) > 1 and suits(case):
            return case


def test_hundreds_of_cases_without_a_failure(capsys):
    status = command.main(['--seconds', '10', '--seed', '2026'])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert int(printed.split()[0]) > 300


def of_value(case):
    summed = case.api != 'scatter' or case.reduce == 'sum'
    return summed and not case.wrt and not case.inplace


def of_x(case):
    return 'x' in case.wrt and not case.arrays['mask'].all()


def of_step(case):
    stepped = case.layouts.get('x') == 'stepped'
    return case.inplace and stepped and not case.wrt


def of_end(case):
    return case.guard == 'end' and not case.layouts


MASKED = 'masked_scatter'
INJECTED = (
    *((api, change, 'result: 1 of', of_value) for api in APIS),
    (MASKED, other_gradient, 'gradient of ', of_x),
    (MASKED, write_source, 'value: an input was changed', of_value),
    (MASKED, read_behind, 'a crash', of_end),
    (MASKED, lambda *_: time.sleep(60), 'no answer', of_value),
    (MASKED, write_beside, 'memory outside the view was changed', of_step),
)


@pytest.mark.parametrize('api, wrong, problem, suits', INJECTED)
def test_injected_fault_is_found_and_its_line_repeats_it(
    api, wrong, problem, suits, monkeypatch, capsys
):
    match = first_case(api, suits)
    case = *match.seed, api
    assert Worker().run(*case) == []
    with monkeypatch.context() as injected:
        inject(injected, api + '_' * match.inplace, wrong)
        problems = Worker(timeout=2).run(*case)
    assert problem in ' '.join(problems)
    command.report(case, problems)
    again = capsys.readouterr().out.splitlines()[0].split('fuzz ')[1]
    assert command.main(again.split()) == 0
    assert 'passes' in capsys.readouterr().out


def test_bits_of_the_same_build_and_one_other_bit(
    tmp_path, monkeypatch, capsys
):
    few = ['--cases', '15', '--against', str(tmp_path / 'known')]
    assert bits.main([*few[:2], '--write', few[3]]) == 0
    assert bits.main(few) == 0
    inject(monkeypatch, 'diagonal_scatter', change)
    assert bits.main(few) == 1
    assert '--only diagonal_scatter --case' in capsys.readouterr().out


@pytest.fixture
def short(monkeypatch):
    """Shorten the large axes."""
    sizes = dict.fromkeys((1, 2), (3000, 70_001))
    monkeypatch.setattr(large, 'SIZES', sizes)


@pytest.mark.parametrize('api', LARGE_APIS)
def test_spread_cases_without_a_failure(api, short):
    problems = {number: run(7, number, api) for number in range(150)}
    assert {n: faults for n, faults in problems.items() if faults} == {}


def write_elsewhere(out, *_):
    """Set one of the zeros."""
    flat = np.from_dlpack(out).reshape(-1)
    at = np.flatnonzero(flat == 0)
    flat[at[len(at) // 2 + 1]] = 1
    return out


@pytest.mark.parametrize('api', LARGE_APIS)
def test_element_written_elsewhere_is_found(api, short, monkeypatch):
    function = api.removeprefix('large_')
    cases = (large.draw(7, n, function).case for n in itertools.count())
    case = next(case for case in cases if not case.wrt)
    inject(monkeypatch, function + '_' * case.inplace, write_elsewhere)
    (problem,) = run(*case.seed, api)
    assert 'beside the places' in problem


def test_large_cases_without_memory_are_left_out(monkeypatch, capsys):
    monkeypatch.setattr(large, '_in_bytes', lambda *_: 0)
    assert command.main(['--seconds', '10', '--large']) == 0
    assert command.main(['--only', LARGE_APIS[0], '--case', '0']) == 0
    summary, left_out, repeated = capsys.readouterr().out.splitlines()
    assert summary.startswith('0 cases')
    assert int(left_out.split()[0]) > 0
    assert repeated.startswith('not run')
