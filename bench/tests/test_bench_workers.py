"""Tests of the benchmark's processes on tiny tensors; no time is judged."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.run import cases, processes, runner, torch_side
from bench.run.compare import same_outputs
from bench.run.worker import Program, WaysDiffer

ROOT = Path(__file__).resolve().parents[2]
TINY = (16, 16)
EFFORT = runner.Effort(turns=2, turn=0.001, side=1.0)
SIDES = ('ours', 'torch')
SUMS = {'reduce': 'sum', 'axis': 1, 'updates': 40}
MEANS, ROWS = {'reduce': 'mean', 'include_self': True}, {'mask': 'row'}


@pytest.fixture(scope='module')
def crew():
    pythons = dict.fromkeys(SIDES, sys.executable)
    with processes.Crew(pythons, 1) as made:
        yield made


@pytest.mark.parametrize('mode', cases.MODES)
def test_case_is_checked_and_timed_on_both_sides(crew, mode):
    case = cases.case('masked_scatter', mode, shape=TINY)
    found = runner.run_case(crew, SIDES, case, EFFORT)
    assert found['check'] == {'torch': 'agrees'}
    for side in SIDES:
        assert len(found['sides'][side]['turns']) == EFFORT.turns
        assert found['sides'][side]['ms'] > 0
    assert found['ratio_torch'] > 0


@pytest.mark.parametrize('mode', cases.MODES)
@pytest.mark.parametrize(
    ('op', 'how', 'ways'),
    [
        ('scatter', {}, {'index_copy', 'scatter', 'index_put'}),
        ('scatter', SUMS, {'index_add', 'scatter_add', 'scatter_reduce'}),
        ('scatter', MEANS, {'index_reduce', 'scatter_reduce'}),
        ('masked_fill', {}, {'masked_fill', 'where'}),
        ('masked_fill', {'value': 'one'}, {'masked_fill', 'where'}),
        ('masked_scatter', ROWS, {'masked_scatter', 'index_put', 'where'}),
    ],
)
def test_torch_is_timed_by_the_fastest_of_its_ways(crew, op, how, ways, mode):
    case = cases.case(op, mode, shape=TINY, **how)
    found = runner.run_case(crew, SIDES, case, EFFORT)
    torch = found['sides']['torch']
    assert set(torch['ways']) == ways
    assert torch['way'] == min(torch['ways'], key=torch['ways'].get)
    assert found['ratio_torch'] > 0
    assert 'way' not in found['sides']['ours']


def chosen(**ways):
    """The way of a program with these in place of torch's."""
    program = Program(torch_side, cases.case('masked_fill', shape=TINY), 0)
    program.ways = ways
    program.choose('torch')
    return program.way


def same(x):
    return x


def no_such_dtype(x):
    raise RuntimeError('no such dtype')


def test_way_that_is_wrong_is_an_error_that_names_it():
    with pytest.raises(WaysDiffer, match='wrong is not as same: output 0: val'):
        chosen(same=same, wrong=lambda x: x + 1, other=same)


def test_way_that_does_not_exist_is_left_out():
    found = chosen(none=no_such_dtype, same=same)
    assert (found['way'], found['ways']['none']) == ('same', 'RuntimeError')
    with pytest.raises(RuntimeError, match='no such dtype'):
        chosen(none=no_such_dtype, other=lambda x: x + None)


def test_gradients_and_in_place_results_are_what_is_compared(crew):
    ours = crew.side('ours')
    plain, grad, inplace = (
        cases.case('masked_scatter', mode, shape=TINY)
        for mode in ('fwd', 'grad', 'inplace')
    )
    assert len(ours.ask('prepare', grad, 0)) == 3
    outputs = ours.ask('prepare', plain, 0)
    into_x = ours.ask('prepare', inplace, 0)
    assert same_outputs(outputs, into_x, 'float32') == ''
    other_seed = ours.ask('prepare', plain, 1)
    assert same_outputs(outputs, other_seed, 'float32') != ''


def test_side_that_differs_is_not_timed(crew, monkeypatch):
    monkeypatch.setattr(runner, 'same_outputs', lambda *_: 'values differ')
    case = cases.case('masked_scatter', shape=TINY)
    found = runner.run_case(crew, SIDES, case, EFFORT)
    failed = {'failed': 'differs from ours: values differ'}
    assert found['sides']['torch'] == failed
    assert found['ratio_torch'] is None


def test_failure_of_a_case_is_reported_with_its_text(crew):
    wrong = cases.case('select_scatter', shape=())
    with pytest.raises(processes.SideError, match='Error'):
        crew.side('ours').ask('prepare', wrong, 0)


def test_side_that_died_is_named_and_starts_again(crew):
    side = crew.side('torch')
    os.kill(side.process.pid, signal.SIGKILL)
    with pytest.raises(processes.SideDied, match='torch ended .signal 9'):
        side.ask('hello')
    assert side.ask('hello')['pid'] == side.process.pid


def test_case_that_does_not_fit_is_skipped_with_the_sizes(crew, monkeypatch):
    free = SimpleNamespace(available=1 << 20)
    monkeypatch.setattr(runner.psutil, 'virtual_memory', lambda: free)
    case = cases.case('masked_scatter')
    found = runner.run_case(crew, SIDES, case, EFFORT)
    assert 'GiB for 2 side' in found['skipped']
    assert found['sides'] == {}


def test_environment_of_a_case_reaches_a_process_of_its_own(crew):
    malloc = (('FLAGS_cpu_idle_memory_limit_in_mb', '0'),)
    other, usual = crew.side('ours', malloc), crew.side('ours')
    assert other.process.pid != usual.process.pid
    environ = Path(f'/proc/{other.process.pid}/environ').read_bytes()
    assert b'FLAGS_cpu_idle_memory_limit_in_mb=0' in environ.split(b'\0')
    crew.end_extra()
    assert other.process is None and usual.process.poll() is None


# A process that holds much and starts one that measures a call of nothing.
LARGE_PARENT = '''
import subprocess, sys
held = b"x" * (256 << 20)
call = "from bench.run import memory; print(memory.beyond(tuple, len))"
print(subprocess.check_output([sys.executable, "-c", call], text=True))
'''


def test_peak_memory_is_not_that_of_the_parent():
    shown = subprocess.check_output(
        [sys.executable, '-c', LARGE_PARENT], text=True, cwd=ROOT
    )
    assert shown.strip() == 'None' or int(shown) < 64 << 20


def test_peak_memory_of_a_call_is_measured(crew):
    case = cases.case('masked_scatter', shape=(1024, 1024))
    found = crew.side('torch').ask('peak', case, 0)
    assert found is None or 0 <= found < 64 << 20
