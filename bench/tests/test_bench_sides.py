"""The benchmark's processes on tiny tensors, and its checks; no time is judged."""

import os
import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
from bench.run import (
    bare_loop,
    cases,
    processes,
    runner,
    torch_side,
    without,
    worker,
)
from bench.run.compare import difference
from bench_samples import find

EFFORT = {'turns': 2, 'turn': 0.001, 'side': 60.0}
SIDES = ('ours', 'torch')
WAYS = {
    'scatter': 'index_copy scatter index_put',
    'scatter, sum, axis 1': 'index_add scatter_add scatter_reduce',
    'scatter, amax': 'index_reduce scatter_reduce',
    'masked_fill': 'masked_fill where',
    'masked_fill, Tensor value': 'masked_fill where',
    'masked_scatter': 'masked_scatter index_put where',
}


def tiny(label, mode='fwd', **changes):
    """A case of 16x16 elements."""
    return replace(find(label), mode=mode, shape=(16, 16), **changes)


@pytest.fixture(scope='module')
def sides():
    found = {name: processes.Side(name, sys.executable, 1) for name in SIDES}
    yield found
    for side in found.values():
        side.close()


@pytest.mark.parametrize('mode', cases.MODES)
@pytest.mark.parametrize('label', WAYS)
def test_sides_agree_and_torch_is_timed_by_its_fastest_way(sides, label, mode):
    found = runner.run_case(sides, tiny(label, mode), EFFORT)
    ours, torch = (found['sides'][side] for side in SIDES)
    assert len(ours['turns']) == len(torch['turns']) == EFFORT['turns']
    assert [*torch['ways']] == WAYS[label].split() and 'way' not in ours
    assert torch['way'] == min(torch['ways'], key=torch['ways'].get)
    assert found['ratio_torch'] > 0 and 0 <= found['others'] <= 1


def test_every_operator_and_kind_of_input_runs(sides):
    seen = {}
    for case in cases.all_cases():
        params = tuple(p for p in case.params if p[0] != 'updates')
        key = (case.op, case.mode, case.dtype == 'bool', params)
        few = tuple(min(size, 12 + at) for at, size in enumerate(case.shape))
        updates = dict(case.params).get('updates')
        params += (('updates', min(updates, 5)),) if updates else ()
        seen.setdefault(key, replace(case, shape=few, params=params))
    for case in seen.values():
        sides['ours'].ask('prepare', case)


def test_cases_of_the_same_name_are_the_same_call():
    found = {}
    for group in cases.groups():
        for case in cases.all_cases(group):
            params = {key: case[key] for key in cases.OPS[case.op]}
            assert found.setdefault(case.name, params) == params


def test_side_that_differs_is_not_timed(sides, monkeypatch):
    case = tiny('masked_scatter')
    monkeypatch.setattr(runner, 'difference', lambda *_: 'values differ')
    found = runner.run_case(sides, case, EFFORT)
    failed = {'failed': 'differs from ours: values differ'}
    assert found['sides']['torch'] == failed
    assert found['ratio_torch'] is None


def test_single_wrong_element_is_found_and_rounding_is_allowed():
    right = np.arange(100, dtype=np.float32)
    wrong = right + (right == 41)
    rounded = right * np.float32(1 + 1e-6)
    assert difference([right], [rounded], 'float32') == ''
    said = difference([right] * 2, [right, wrong], 'float32')
    assert said == 'output 1: values differ by up to 1'
    for others in ([right.reshape(10, 10)], [right] * 2):
        assert difference([right], others, 'float32')
    assert difference([right > 41], [wrong > 41], 'bool')


def no_such_dtype(x):
    raise RuntimeError('no such dtype')


def test_way_that_is_wrong_is_an_error_and_one_that_raises_is_left_out():
    program = worker.Program(torch_side, tiny('masked_fill'))
    program.ways = {'same': lambda x: x, 'wrong': lambda x: x + 1}
    with pytest.raises(ValueError, match='wrong is not as same: output 0: val'):
        program.choose()
    program.ways = {'none': no_such_dtype, 'same': lambda x: x}
    program.choose()
    assert program.way['way'] == 'same' and 'none' not in program.way['ways']
    program.ways = {'none': no_such_dtype, 'other': lambda x: x + None}
    with pytest.raises(RuntimeError, match='no such dtype'):
        program.choose()


def test_failure_and_death_of_a_side_are_told_apart(sides):
    wrong = replace(find('select_scatter, axis 0'), shape=())
    with pytest.raises(processes.SideError, match='Error'):
        sides['ours'].ask('prepare', wrong)
    side = sides['torch']
    os.kill(side.process.pid, signal.SIGKILL)
    with pytest.raises(
        processes.SideError, match='torch ended in version, .* code -9'
    ):
        side.ask('version')
    assert side.ask('version') == side.version


def test_the_limit_counts_every_input_once_and_the_output(sides):
    # x and mask; x and the slice; x and as many updates, and their index
    for label, read in (
        ('masked_fill', 5 * 256),
        ('select_scatter, axis 0', 4 * 256 + 4 * 16),
        ('scatter', 8 * 256 + 8 * 16),
    ):
        found = sides['ours'].ask('prepare', tiny(label))
        assert (found['read'], found['written']) == (read, 4 * 256)
    assert bare_loop.milliseconds(1 << 20, 1 << 20, 1) > 0


def test_peak_memory_of_a_call_is_measured(sides):
    case = replace(find('masked_scatter'), shape=(1024, 1024))
    found = runner.run_peak(sides, case)['sides']
    # less than a byte for each element
    assert 0 <= found['ours']['bytes'] < 512 << 10


def test_every_call_in_place_gets_the_same_x():
    program = worker.Program(torch_side, tiny('masked_fill', 'inplace'))
    seen = []
    program.function = lambda x: seen.append(float(x.sum())) or x.zero_()
    seconds, count = program.turn(0.002)
    assert seconds > 0 and len(seen) > count and len(set(seen)) == 1


@pytest.mark.parametrize('header', cases.headers())
def test_speed_header_is_left_out_and_nothing_else(header):
    texts = without.core_texts(without.headers()[header])
    assert header not in ''.join(texts.values())
    for path, text in texts.items():
        whole = (without.ROOT / 'native/include' / path).read_text()
        assert text != whole
        lines = iter(whole.splitlines())
        assert all(line in lines for line in text.splitlines())
