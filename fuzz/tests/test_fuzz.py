"""The fuzzer passes on the build, calls every kernel and detects injected faults."""

import ctypes
import itertools
from pathlib import Path

import pytest
from fuzz.__main__ import main
from fuzz.arrays import ALL_DTYPES, GRAD_DTYPES
from fuzz.draw import APIS, draw
from fuzz.reference import LINEAR_REDUCES
from fuzz.run import check

import paddle
from scripts.op_rules.schema import load_dir

ROOT = Path(__file__).resolve().parents[2]


def test_every_kernel_is_called_for_every_dtype():
    entries = load_dir(ROOT / 'ops_yaml')
    entries |= load_dir(ROOT / 'native/kernels/base_ops')
    # The statistics exclude gradients, which are counted by API below.
    names = {e.kernel for e in entries.values() if not e.is_backward}
    names |= {f'gradient of {api}' for api in APIS}
    names |= {f'second order of {a}' for a in APIS if a != 'masked_fill'}
    missing = {*itertools.product(names, ALL_DTYPES)}
    missing.remove(('index_reduce', 'bool'))
    missing |= {('gradient of index_reduce', d) for d in GRAD_DTYPES}
    paddle.set_flags({'FLAGS_low_precision_op_list': 1})
    for number in range(4000):
        case = draw(1, number)
        paddle.base.core.clear_low_precision_op_list()
        check(case)
        called = {*paddle.base.core.get_low_precision_op_list()}
        if case.wrt:
            linear = case.reduce in LINEAR_REDUCES
            op = case.api if linear else 'index_reduce'
            called.add(f'gradient of {op}')
        if case.second_order:
            called.add(f'second order of {case.api}')
        missing -= {(name, case.dtype) for name in called}
    assert not missing


def flip_bit(tensor, skipped=0):
    """Change a byte; with `skipped`, one that a strided view may skip."""
    if tensor.size > skipped:
        address = tensor.data_ptr() + skipped * tensor.element_size()
        ctypes.c_uint8.from_address(address).value ^= 1


def double_gradient(out):
    return out + (out - out.detach()) if out.dtype == paddle.float32 else out


@pytest.mark.parametrize(
    ('function', 'wrong', 'problem'),
    [
        *((api, lambda out, *_: flip_bit(out), 'result') for api in APIS),
        ('scatter', lambda out, *_: double_gradient(out), '\nx\n'),
        ('masked_scatter', lambda *args: flip_bit(args[-1]), 'memory'),
        ('masked_scatter_', lambda out, *_: flip_bit(out, 1), 'memory of x'),
    ],
)
def test_injected_fault_is_reported(function, wrong, problem, monkeypatch):
    api, right = function.rstrip('_'), getattr(paddle, function)

    def call(*args, **kwargs):
        out = right(*args, **kwargs)
        other = wrong(out, *args)
        return out if other is None else other

    monkeypatch.setattr(paddle, function, call)
    messages = []
    for number in range(200):
        options = f'--seed 7 --only {api} --first {number} --cases 1'
        try:
            main(options.split())
        except AssertionError as error:
            messages.append(str(error))
    assert any(problem in message for message in messages)
