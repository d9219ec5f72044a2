"""The fuzzer passes on the build and detects injected faults."""

import ctypes
import itertools
import time

import numpy as np
import pytest
from fuzz import __main__ as command
from fuzz import bits, large
from fuzz.draw import APIS, draw
from fuzz.worker import LARGE_APIS, Worker, run

import paddle


def flip_bit(out, *_):
    """Flip one bit, a relative error of 2**-15 in float32."""
    flat = out.numpy().reshape(-1)
    flat.view('uint8')[-3:][:1] ^= 1
    return paddle.to_tensor(flat, dtype=out.dtype).reshape(out.shape)


def write_value(out, x, mask, value):
    value.scale_(2.0)
    return out


def read_past_value(out, x, mask, value):
    ctypes.string_at(value.data_ptr() + value.size * value.element_size(), 1)
    return out


def write_outside_view(out, x, *_):
    """Write the first element that a strided view skips."""
    ctypes.memset(x.data_ptr() + x.element_size(), 0x55, x.element_size())
    return out


def double_gradient(out, *_):
    return out + (out - out.detach())


def inject(monkeypatch, api, wrong):
    """Wrap a function of paddle; `wrong` modifies its result."""
    right = getattr(paddle, api)

    def injected(*args, **kwargs):
        return wrong(right(*args, **kwargs), *args)

    monkeypatch.setattr(paddle, api, injected)


def first_case(api, is_suitable):
    """Return the first suitable case of several float32 elements."""
    for number in itertools.count():
        case = draw(7, number, api)
        sizes = [array.size for array in case.arrays.values()]
        if case.dtype == 'float32' and min(sizes) > 1 and is_suitable(case):
            return case


def test_random_cases_pass(capsys):
    status = command.main(['--seconds', '5', '--seed', '2026'])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert int(printed.split()[0]) > 100


def is_plain(case):
    is_linear = case.api != 'scatter' or case.reduce == 'sum'
    return is_linear and not case.wrt and not case.inplace


def has_x_grad(case):
    return 'x' in case.wrt and not case.arrays['mask'].all()


def is_strided_in_place(case):
    is_strided = case.layouts.get('x') == 'stepped'
    return case.inplace and is_strided and not case.wrt


def is_guarded_at_end(case):
    return case.guard == 'end' and not case.layouts


MASKED = 'masked_scatter'
FAULTS = (
    *((api, flip_bit, 'result: 1 of', is_plain) for api in APIS),
    (MASKED, double_gradient, 'gradient of ', has_x_grad),
    (MASKED, write_value, 'value: an input was changed', is_plain),
    (MASKED, read_past_value, 'a crash', is_guarded_at_end),
    (MASKED, lambda *_: time.sleep(60), 'no answer', is_plain),
    (MASKED, write_outside_view, 'outside the view', is_strided_in_place),
)


@pytest.mark.parametrize('api, wrong, problem, is_suitable', FAULTS)
def test_printed_command_reproduces_an_injected_fault(
    api, wrong, problem, is_suitable, monkeypatch, capsys
):
    match = first_case(api, is_suitable)
    case = *match.seed, api
    assert Worker().run(*case) == []
    with monkeypatch.context() as injected:
        inject(injected, api + '_' * match.inplace, wrong)
        problems = Worker(timeout=2).run(*case)
    assert problem in ' '.join(problems)
    command.report(case, problems)
    printed = capsys.readouterr().out.splitlines()[0].split('fuzz ')[1]
    assert command.main(printed.split()) == 0
    assert capsys.readouterr().out.startswith('1 cases')


def test_bits_detects_a_flipped_bit(tmp_path, monkeypatch, capsys):
    options = ['--cases', '15', '--against', str(tmp_path / 'digests')]
    assert bits.main([*options[:2], '--write', options[3]]) == 0
    assert bits.main(options) == 0
    inject(monkeypatch, 'diagonal_scatter', flip_bit)
    assert bits.main(options) == 1
    assert '--only diagonal_scatter --case' in capsys.readouterr().out


@pytest.fixture
def short_axes(monkeypatch):
    """Shorten the large axes."""
    sizes = dict.fromkeys((1, 2), (3000, 70_001))
    monkeypatch.setattr(large, 'SIZES', sizes)


@pytest.mark.parametrize('api', LARGE_APIS)
def test_spread_cases_pass(api, short_axes):
    problems = {number: run(7, number, api) for number in range(150)}
    assert {n: texts for n, texts in problems.items() if texts} == {}


def overwrite_zero(out, *_):
    flat = np.from_dlpack(out).reshape(-1)
    at = np.flatnonzero(flat == 0)
    flat[at[len(at) // 2 + 1]] = 1
    return out


@pytest.mark.parametrize('api', LARGE_APIS)
def test_overwritten_zero_is_reported(api, short_axes, monkeypatch):
    function = api.removeprefix('large_')
    cases = (large.draw(7, n, function).case for n in itertools.count())
    case = next(case for case in cases if not case.wrt)
    inject(monkeypatch, function + '_' * case.inplace, overwrite_zero)
    (problem,) = run(*case.seed, api)
    assert 'beside the places' in problem


def test_large_cases_are_skipped_without_memory(monkeypatch, capsys):
    monkeypatch.setattr(large, '_read_proc_bytes', lambda *_: 0)
    for options in (['--large'], ['--only', LARGE_APIS[0], '--case', '0']):
        assert command.main(['--seconds', '1', *options]) == 0
        summary, skipped = capsys.readouterr().out.splitlines()
        assert summary.startswith('0 cases')
        assert int(skipped.split()[0]) > 0
