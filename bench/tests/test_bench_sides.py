"""All sides agree on small tensors, and a side that differs is detected."""

from dataclasses import replace
from resource import RUSAGE_SELF, getrusage
from unittest import mock

import numpy as np
import pytest
from bench.run import cases, runner, torch_side, worker
from bench.run.runner import FOLDERS, start_side


def shrink(case):
    """Return a small case with distinct axis sizes that PyTorch defines."""
    shape = tuple(12 + axis for axis in range(len(case.shape)))
    unique = case.reduce == 'assign'
    index = 'permutation' if unique else case.index
    return replace(case, shape=shape, updates=None, index=index)


SMALL_CASES = {str(case): case for case in map(shrink, cases.list_cases())}
FILL = SMALL_CASES['masked_fill/forward/float32/12x13']
SUM = SMALL_CASES['scatter, sum/forward/float32/12x13']


@pytest.fixture(scope='module')
def sides():
    return {name: start_side(name, 1) for name in FOLDERS}


@pytest.mark.parametrize('case', SMALL_CASES.values(), ids=str)
def test_prepare_agrees_with_pytorch(sides, case):
    assert {*runner.prepare(sides, case)} >= {'ours', 'torch'}


def test_run_case_times_every_side_and_the_baseline(sides, monkeypatch):
    monkeypatch.setattr(runner, 'ROUND_SECONDS', 0.001)
    case = replace(FILL, shape=(512, 512))
    row = runner.run_case(sides, case, 1, 'as installed')
    assert row['torch_call'] in ('masked_fill', 'where')
    columns = 'ours_ms', 'torch_ms', 'release_ms', 'baseline_ms'
    assert all(float(row[column]) > 0 for column in columns)


def test_select_fastest_skips_slow_and_failing_candidates():
    call = worker.Call(torch_side, FILL)
    call.candidates = {
        'raises': lambda x: x + None,
        'slow': lambda x: [x.clone() for _ in range(100)],
        'fast': lambda x: x,
    }
    call.select_fastest()
    assert call.name == 'fast'


def test_assert_agree_rejects_one_wrong_element_but_not_rounding():
    right = np.arange(100, dtype=np.float32)
    runner.assert_agree([right * np.float32(1 + 1e-6)], [right], 'float32')
    for wrong in ([right + (right == 41)], [right[:1]], [right, right]):
        with pytest.raises(AssertionError):
            runner.assert_agree(wrong, [right], 'float32')


def test_prepare_drops_a_differing_release_and_raises_for_others(sides):
    def prepare(name):
        side = mock.Mock()
        side.submit = lambda function, _: sides[name].submit(function, SUM)
        return runner.prepare({**sides, name: side}, FILL)

    assert [*prepare('release')] == ['ours', 'torch']
    with pytest.raises(AssertionError, match='Not equal'):
        prepare('torch')


@pytest.mark.parametrize('name', ['ours', 'torch'])
def test_page_fault_free_side_causes_no_page_faults(name):
    side = start_side(name, 1, 'page-fault-free')
    large = replace(cases.OPERATORS[2], shape=(4096, 4096))
    side.submit(worker.prepare, large).result()
    counts = []
    for _ in range(5):
        side.submit(worker.time_call, 0.001).result()
        counts.append(side.submit(getrusage, RUSAGE_SELF).result().ru_minflt)
    # An output on fresh pages of 4 KiB causes 16,384.
    assert min(b - a for a, b in zip(counts, counts[1:])) < 32
