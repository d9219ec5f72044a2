"""The benchmark's processes on tiny tensors, and its checks; no time is judged."""

import os
from dataclasses import replace
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pytest
from bench.run import bare_loop, cases, processes, runner, torch_side, worker
from bench.run.cases import find

EFFORT = {'turns': 2, 'turn': 0.001}
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
    return {name: processes.Side(name, 1) for name in SIDES}


@pytest.mark.parametrize('mode', cases.MODES)
@pytest.mark.parametrize('label', WAYS)
def test_sides_agree_and_torch_is_timed_by_its_fastest_way(sides, label, mode):
    found = runner.run_case(sides, tiny(label, mode), EFFORT)
    ours, torch = (found['sides'][side] for side in SIDES)
    assert ours['ms'] > 0 and [*torch['ways']] == WAYS[label].split()
    assert 'way' not in ours
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
        sides['ours'].ask(worker.prepare, case)


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
    wrong, close = right + (right == 41), right * np.float32(1 + 1e-6)
    few = runner.TOLERANCE['float32']
    assert runner.difference([right], [close], few) == ''
    assert '41' in runner.difference([right] * 2, [right, wrong], few)
    for others in ([close], [right.reshape(10, 10)], [right] * 2):
        assert runner.difference([right], others, (0, 0))
    assert runner.difference([right > 41], [wrong > 41], (0, 0))


def test_way_that_raises_is_left_out():
    program = worker.Program(torch_side, tiny('masked_fill'))
    program.ways = {'none': lambda x: x + None, 'same': lambda x: x}
    program.choose()
    assert program.way['way'] == 'same' and 'none' not in program.way['ways']
    program.ways['same'] = program.ways['none']
    with pytest.raises(TypeError, match='unsupported operand'):
        program.choose()


def test_failure_and_death_of_a_side_are_told_apart(sides):
    wrong = replace(find('select_scatter, axis 0'), shape=())
    with pytest.raises(worker.SideError, match='Error'):
        sides['ours'].ask(worker.prepare, wrong)
    side = sides['torch']
    side.pool.submit(os.abort)
    with pytest.raises(worker.SideError, match='torch ended in most_used'):
        side.ask(worker.most_used)
    assert side.ask(worker.most_used) > 0


@pytest.mark.parametrize(
    # x and mask; x and as many updates, and their index
    ('label', 'read'), [('masked_fill', 5 * 256), ('scatter', 8 * 256 + 8 * 16)]
)  # fmt: skip
def test_the_limit_counts_every_input_once_and_the_output(sides, label, read):
    found = sides['ours'].ask(worker.prepare, tiny(label))
    assert (found['read'], found['written']) == (read, 4 * 256)
    assert bare_loop.milliseconds(1 << 20, 1 << 20, 1) > 0


def test_peak_memory_of_a_call_is_measured(sides):
    case = replace(find('masked_scatter'), shape=(2048, 2048))
    found = runner.run_peak(sides, case)['sides']
    # less than a byte for each element
    assert 0 <= found['ours']['bytes'] < 1 << 22


@pytest.mark.parametrize('name', SIDES)
def test_large_outputs_take_no_page_faults_if_asked_for(name, monkeypatch):
    for variable, value in processes.PAGE_FAULT_FREE.items():
        monkeypatch.setenv(variable, value)
    side = processes.Side(name, 1)
    side.ask(worker.prepare, find('select_scatter, axis 0'))
    counts = [side.ask(getrusage, RUSAGE_SELF).ru_minflt]
    for _ in range(4):
        side.ask(worker.seconds, 0.001)
        counts.append(side.ask(getrusage, RUSAGE_SELF).ru_minflt)
    side.close()
    # a call whose output is on fresh pages of 4 KiB takes 16384
    assert min(after - before for before, after in zip(counts, counts[1:])) < 32


def test_every_call_in_place_gets_the_same_x():
    program = worker.Program(torch_side, tiny('masked_fill', 'inplace'))
    seen = []
    program.function = lambda x: seen.append(float(x.sum())) or x.zero_()
    assert program.turn(0.002) > 0
    assert len(seen) > 10 and len(set(seen)) == 1
