"""Tests of the benchmark tool: its checks, sums and texts, not times."""

import re

import numpy as np
import pytest
from bench import __main__ as command
from bench.report import floors, page, summary, table, words
from bench.run import cases, compare, instructions, memory, timing
from bench.run.worker import summary as output_summary
from bench_samples import result, run_data, whole_run


def difference(one, *others):
    """What the check says of one output against others."""
    summaries = [output_summary(other) for other in others]
    return compare.same_outputs(
        [output_summary(one)], summaries, str(one.dtype)
    )


def test_check_finds_a_single_wrong_element_and_allows_rounding():
    right = np.arange(100, dtype=np.float32)
    wrong = right.copy()
    wrong[41] += 1
    assert difference(right, right) == ''
    assert difference(right, right * np.float32(1 + 1e-6)) == ''
    assert 'output 0: values differ by up to 1' in difference(right, wrong)
    assert 'shape' in difference(right, right.reshape(10, 10))
    assert '1 outputs against 2' in difference(right, right, right)


def test_check_of_integers_allows_no_difference():
    right = np.arange(200_000, dtype=np.int64)
    wrong = right.copy()
    wrong[12_347] += 1  # not among the elements that are sampled
    assert difference(right, wrong) == 'output 0: values differ'


def test_check_takes_both_zeros_for_the_same():
    zeros = np.zeros(4, np.float32)
    assert output_summary(zeros)['digest'] == output_summary(-zeros)['digest']


def test_timing_renews_the_arguments_of_in_place_calls():
    made, fresh = [], []

    def make():
        made.append([])
        return made[-1]

    def call(argument):
        fresh.append(not argument)
        argument.append(1)

    arguments = timing.Arguments(make, list.clear)
    seconds, count = timing.turn(call, 0.002, arguments)
    assert seconds > 0 and len(fresh) > count > len(made)
    assert all(fresh)


def test_timing_does_not_wait_for_slow_renewing(monkeypatch):
    now = 0.0

    def passes(seconds):
        nonlocal now
        now += seconds

    monkeypatch.setattr(timing.time, 'perf_counter', lambda: now)
    arguments = timing.Arguments(object, lambda argument: passes(1.0))
    seconds, calls = timing.turn(lambda x: passes(0.01), 0.1, arguments)
    assert seconds == pytest.approx(0.01)
    assert calls == 2 + timing.MIN_SAMPLES


def test_timing_of_a_slow_call_takes_one_call(monkeypatch):
    clock = iter([0.0, 9.0])
    with monkeypatch.context() as patch:
        patch.setattr(timing.time, 'perf_counter', lambda: next(clock))
        assert timing.turn(lambda: None, 1.0) == (9.0, 1)


def test_memory_sees_a_temporary():
    def run():
        temporary = np.ones(32 << 20, np.uint8)
        return (temporary[: 1 << 20].copy(),)

    found = memory.beyond(run, lambda array: array.nbytes)
    # the kernel counts pages in batches
    assert found is None or 30 << 20 <= found <= 36 << 20


PLAIN = cases.case('masked_scatter')
GRAD, CLONE = cases.case('masked_scatter', 'grad'), cases.case('clone')
TINY, WHERE = (
    cases.case(op, shape=cases.square(6)) for op in ('scatter', 'where')
)
DOUBLE = cases.case('masked_scatter', 'fwd', 'float64')


@pytest.mark.parametrize(
    ('kind', 'case', 'other', 'ours', 'of_other', 'value'),
    [
        ('torch', PLAIN, None, 1.0, None, 8),
        ('release', PLAIN, None, 1.0, None, None),
        # for each byte
        ('bytes', DOUBLE, PLAIN, 5.0, 2.0, 1.25),
        ('over_where', TINY, WHERE, 0.005, 0.003, 2),  # in microseconds
        # without the copy that Paddle's engine makes
        ('torch_net', GRAD, CLONE, 5.0, 3.0, 4),
        ('torch_net', GRAD, CLONE, 5.0, 6.0, None),
    ],
)
def test_value_of_a_floor(kind, case, other, ours, of_other, value):
    found = {case.name: result(case=case, ours=ours, torch=8.0)}
    if other:
        found[other.name] = result(case=other, ours=of_other)
    floor = floors.Floor(kind, case, 1, other)
    assert floors.value_of(floor, found) == pytest.approx(value)


def test_floors_pass_miss_and_not_measured():
    start = words.of(PLAIN)
    for torch, passed in ((7.5, True), (6.5, False)):
        rows = floors.judge([result(case=PLAIN, ours=1.0, torch=torch)])
        found = {row['text']: row['passed'] for row in rows}
        assert found[f'{start}: at least 7 times as fast as PyTorch'] is passed
        at_release = f'{start}: at least 50 times as fast as released Paddle'
        assert found[at_release] is None


def test_summary_counts_all_but_the_yardsticks_and_lists_what_is_slower():
    shape = cases.square(6)
    tiny = result(case=cases.case('scatter', shape=shape), torch=1.0)
    where = result(case=cases.case('where', shape=shape), torch=0.1)
    found = summary.summarise([result(ours=1.0, torch=8.0), tiny, where])
    assert found['torch']['cases'] == 2
    assert found['torch']['geometric_mean'] == pytest.approx(2.0)
    assert [s['name'] for s in found['torch']['slower']] == [tiny['name']]
    assert found['release'] is None


def test_changes_show_a_loss_and_leave_out_noise():
    old = {'results': [result(ours=1.0), result('select_scatter', ours=1.0)]}
    new = {'results': [result(ours=2.0), result('select_scatter', ours=1.05)]}
    [(factor, before, after)] = summary.changes(old, new)
    assert factor == pytest.approx(0.5)
    assert before['name'] == after['name'] == result()['name']
    text = table.after(run_data([]), False, [(factor, before, after)])
    assert '  0.50x  masked_scatter/' in text and ': 1 ms to 2 ms\n' in text


def test_text_after_the_table_has_what_was_counted():
    data = run_data([result()])
    data['instructions'] = {'masked_fill': 10.0}
    data['results'][0]['sides']['release'] = {'failed': 'why'}
    text = table.after(data, False, None)
    assert re.search('(?m)^masked_fill +10.00$', text)
    assert '0 floors passed, 1 missed.\n' in text
    assert text.endswith('/headline, 2 threads, release: why\n')


def test_table_marks_a_busy_machine_and_missing_sides():
    line = table.line(result(others=0.5))
    assert line.endswith('*') and 'n/a' in line and '4x' in line
    by = result()
    by['sides']['torch']['way'] = 'index_put'
    assert table.line(by).endswith('  index_put')
    assert 'WARNING' in '\n'.join(table.busy_lines([result(others=0.5)]))
    assert table.busy_lines([result(others=0.01)]) == []


@pytest.mark.parametrize(
    ('ms', 'text'), [(2500.0, '2.5 s'), (12.34, '12.3 ms'), (0.004, '4 us')]
)
def test_durations(ms, text):
    assert table.duration(ms) == text


def test_report_is_one_page_with_every_part_and_no_outside_ones(tmp_path):
    data = whole_run()
    data['results'] += [
        result(case=cases.case('scatter', mode)) for mode in words.MODES
    ]
    page.write(tmp_path / 'page.html', data)
    text = (tmp_path / 'page.html').read_text()
    # ratios, workloads, tiny tensors, and two operators by size
    assert text.count('<svg') == text.count('</svg>') == 5
    assert '<td>1%</td><td>-</td><td>300%</td>' in text
    assert 'n/a<small>a reason</small>' in text
    assert '8 ms<small>by scatter_reduce</small>' in text
    assert 'A &lt;fast&gt; processor' in text
    assert [mode for mode in words.MODES.values() if mode not in text] == []
    # an SVG refers to its own parts only
    assert not re.search(r'(src|href)="(?!#)', text)
    assert 'Calls that models make' in text
    assert 'Calls that models make' not in page.render(run_data([result()]))


def test_command_selects_by_pattern_and_size(capsys):
    assert command.main(['--list', '--filter', 'diagonal', '--sizes', '6']) == 0
    names = capsys.readouterr().out.split()
    assert names
    assert all('diagonal_scatter/' in n and '/8x8/' in n for n in names)


@pytest.mark.parametrize(
    ('options', 'said'),
    [
        (['--filter', 'no such case'], 'bench: no case matches; see --list'),
        (['--compare', 'old.json'], 'bench: --compare: there is no file old'),
        (['--publish', '--quick'], 'bench: --publish measures all'),
        (['--publish', '--warm-malloc'], 'bench: --publish measures all'),
    ],
)
def test_command_says_what_cannot_be_done_before_it_measures(
    options, said, monkeypatch
):
    monkeypatch.setattr(command, 'collect', None)
    with pytest.raises(SystemExit, match=said):
        command.main(options)


def test_instructions_are_read_from_the_annotation():
    text = (
        '2,560 (30.1%)  loops.cc:loop_masked_fill [/tmp/loops]\n'
        '5,120 (60.2%)  ???:loop_scatter_sum [/tmp/loops]\n'
        '9,999 (99.9%)  ???:main [/tmp/loops]\n'
    )
    found = instructions.parse(text, 256)
    assert found == {'masked_fill': 10.0, 'scatter_sum': 20.0}
