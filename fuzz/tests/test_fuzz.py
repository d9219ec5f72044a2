"""The fuzzer passes on the build, calls every kernel and detects injected faults."""

import ctypes
import itertools
import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from fuzz import __main__ as command
from fuzz.arrays import ALL_DTYPES, GRAD_DTYPES
from fuzz.draw import APIS, draw
from fuzz.reference import LINEAR_REDUCES
from fuzz.run import check, guarded_copy

import paddle
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]


def test_random_cases_pass(capsys):
    status = command.main(['--seconds', '5', '--seed', '2026'])
    assert status == 0, capsys.readouterr().out[-2000:]


def test_every_kernel_is_called_for_every_dtype():
    folders = ('ops_yaml', 'native/kernels/base_ops')
    files = itertools.chain(*(schema.load_dir(ROOT / f) for f in folders))
    # The statistics exclude gradients, which are counted by API below.
    names = {e.kernel for f in files for e in f.entries if not e.is_backward}
    names |= {f'gradient of {api}' for api in APIS}
    names |= {f'second order of {api}' for api in APIS} - {
        'second order of masked_fill'
    }
    missing = {*itertools.product(names, ALL_DTYPES)}
    missing.remove(('index_reduce', 'bool'))
    missing |= {('gradient of index_reduce', d) for d in GRAD_DTYPES}
    paddle.set_flags({'FLAGS_low_precision_op_list': 1})
    for number, api in zip(range(3000), itertools.cycle(APIS)):
        case = draw(1, number, api)
        paddle.base.core.clear_low_precision_op_list()
        assert check(case) == []
        called = {*paddle.base.core.get_low_precision_op_list()}
        if case.wrt:
            linear = case.reduce in LINEAR_REDUCES
            called.add(f'gradient of {api if linear else "index_reduce"}')
        if case.second_order:
            called.add(f'second order of {api}')
        missing -= {(name, case.dtype) for name in called}
    assert not missing


def read_byte(address):
    ctypes.string_at(address, 1)


@pytest.mark.parametrize(('side', 'outside'), [('start', -1), ('end', 5)])
def test_access_outside_an_array_crashes(side, outside):
    array = guarded_copy(np.zeros(5, 'int8'), side)
    for at, crashes in ((2, False), (outside, True)):
        context = multiprocessing.get_context('fork')
        child = context.Process(target=read_byte, args=[array.ctypes.data + at])
        child.start()
        child.join()
        assert (child.exitcode != 0) == crashes


def flip_bit(out, *_):
    flat = out.numpy().reshape(-1)
    flat.view('uint8')[-3:][:1] ^= 1
    return paddle.to_tensor(flat, dtype=out.dtype).reshape(out.shape)


def write_value(out, x, mask, value):
    value.scale_(2.0)
    return out


def write_outside_view(out, x, *_):
    """Write the first element that a strided view skips."""
    ctypes.memset(x.data_ptr() + x.element_size(), 0x55, x.element_size())
    return out


def double_gradient(out, *_):
    return out + (out - out.detach())


def is_plain(case):
    return not (case.wrt or case.inplace) and case.reduce in ('assign', 'sum')


def has_gradients(case):
    return len(case.wrt) > 1 and not case.inplace


def is_stepped_in_place(case):
    return case.inplace and not case.wrt and case.layouts.get('x') == 'stepped'


@pytest.mark.parametrize(
    ('api', 'wrong', 'problem', 'is_suitable'),
    [
        *((api, flip_bit, 'result: 1 of', is_plain) for api in APIS),
        ('scatter', double_gradient, 'updates: ', has_gradients),
        ('masked_scatter', write_value, 'value: memory', is_plain),
        (
            'masked_scatter_',
            write_outside_view,
            'x: memory',
            is_stepped_in_place,
        ),
    ],
)
def test_injected_fault_is_reported(
    api, wrong, problem, is_suitable, monkeypatch, capsys, tmp_path
):
    right, name = getattr(paddle, api), api.rstrip('_')
    for number in itertools.count():
        case = draw(7, number, name)
        sizes = [array.size for array in case.arrays.values()]
        if case.dtype == 'float32' and min(sizes) > 1 and is_suitable(case):
            break
    options = ['--seed', '7', '--only', name, '--case', str(number)]
    bits = str(tmp_path / 'bits')
    assert command.main(options) == 0
    assert command.main([*options, '--write', bits]) == 0
    monkeypatch.setattr(
        paddle,
        api,
        lambda *args, **kwargs: wrong(right(*args, **kwargs), *args),
    )
    assert command.main(options) == 1
    assert problem in capsys.readouterr().out
    if wrong is flip_bit:
        assert command.main([*options, '--against', bits]) == 1
