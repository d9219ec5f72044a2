"""The benchmark's checks, sums and options, not times."""

import numpy as np
import pytest
from bench import __main__ as command
from bench.report import floors, page, table
from bench.run import cases, compare, timing, without
from bench_samples import result, run_data


def difference(one, *others):
    """What the check says of one output against others."""
    summaries = [compare.summary(other) for other in others]
    return compare.same_outputs(
        [compare.summary(one)], summaries, str(one.dtype)
    )


def test_check_finds_a_single_wrong_element_and_allows_rounding():
    right = np.arange(100, dtype=np.float32)
    wrong = right.copy()
    wrong[41] += 1
    assert difference(right, right * np.float32(1 + 1e-6)) == ''
    assert 'output 0: values differ by up to 1' in difference(right, wrong)
    assert 'shape' in difference(right, right.reshape(10, 10))
    assert '1 outputs against 2' in difference(right, right, right)
    assert difference(right * 0, -right * 0) == ''
    whole = np.arange(200_000)
    wrong = whole.copy()
    wrong[12_347] += 1  # not among the elements that are sampled
    assert difference(whole, wrong) == 'output 0: values differ'


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


def test_floors_are_half_of_the_earlier_figures_and_the_goals():
    before = [result(torch=20.0), result('masked_fill', torch=8.0)]
    before.append(result('masked_fill/fwd/float32/512x512', torch=80.0))
    found = [result(bare=1.0), result('masked_fill', torch=4.0)]
    judged = dict(floors.judge(found, before))
    name, other = (r['name'] for r in found)
    assert judged == {
        f'4 x torch, at least 5: {name}': False,
        f'2 x torch, at least 2: {other}': True,
        '2.83 x torch, at least 8: table, mean': False,
        '2 x torch, at least 1: table, least': True,
        f'0.5 of the loop, as fast, at least 0.769: {name}': False,
    }


def test_text_below_the_table_says_what_failed_and_is_slower():
    new = [result(others=0.5), result('masked_fill', torch=1.0)]
    new.append(result('select_scatter, axis 0'))
    new[2]['sides']['release'] = {'failed': 'why'}
    text = '\n'.join(page.after(run_data(new), [result(torch=20.0)]))
    assert '- 0.5x: masked_fill/fwd' in text and 'MISS 4 x torch' in text
    assert 'release: why' in text and 'WARNING: during 1 of 3' in text
    slow = result('histogram/fwd/float32/1000000', ratio_without=1.5)
    of_header = page.after(run_data([slow], ['rows.h']))
    assert 'rows.h pays: up to 1.5x.' in of_header
    marked, other, _ = (table.line(r, r['sides']) for r in new)
    assert marked.endswith('*') and not other.endswith('*')


def test_cases_of_the_same_name_are_the_same_call():
    found = {}
    for group in cases.groups():
        for case in cases.all_cases(group):
            params = {key: case[key] for key in cases.OPS[case.op]}
            assert found.setdefault(case.name, params) == params


@pytest.mark.parametrize('header', cases.headers())
def test_speed_header_is_left_out_and_nothing_else(header):
    texts = without.core_texts(without.headers()[header])
    assert header not in ''.join(texts.values())
    for path, text in texts.items():
        whole = (without.ROOT / 'native/include' / path).read_text()
        assert text != whole
        lines = iter(whole.splitlines())
        assert all(line in lines for line in text.splitlines())


def test_command_selects_by_pattern_and_size(capsys):
    assert command.main(['--list', '--filter', 'diagonal', '--sizes', '6']) == 0
    names = capsys.readouterr().out.split('\n')[:-1]
    assert names
    assert all('diagonal_scatter' in n and '/8x8' in n for n in names)


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
