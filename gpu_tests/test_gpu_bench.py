"""The benchmark's sums and texts, and that every kind of case runs."""

import json

import pytest

pytest.importorskip('torch')

from gpu_tests import bench, bench_cases, bench_report, device
from gpu_tests.bench_cases import case

no_gpu = pytest.mark.no_gpu
FACTS = {'device': 'NVIDIA H200', 'date': '2026-01-02T03:04:05', 'commit': 'c'}


def row(case, ours, copy, theirs, agrees=True):
    times = {'ours': ours, 'copy': copy, 'torch': theirs}
    goals = bench_cases.goals(case)
    return bench_report.result_of(case, 8 << 26, times, agrees, goals)


def select_scatter(size=26):
    return case('select_scatter', size, axis=0)


def masked_scatter(dtype, layout='random'):
    return case('masked_scatter', 26, dtype, density=0.5, layout=layout)


def index_scatter(axis, index, **more):
    details = {'reduce': 'sum', 'axis': axis, 'index': index, **more}
    return case('index_scatter', 26, **details)


@no_gpu
def test_names_of_cases_are_unique_and_cover_the_sizes():
    cases = bench_cases.all_cases()
    assert len({case.name for case in cases}) == len(cases)
    sizes = {case.size for case in cases if case.op == 'masked_scatter'}
    assert {10, 20, 26, 30} <= sizes
    assert {case.dtype for case in cases} == {'float32', 'bfloat16'}


@no_gpu
def test_row_has_bandwidth_and_ratios():
    found = row(select_scatter(), ours=0.5, copy=0.4, theirs=1.0)
    assert found['gb_per_s'] == pytest.approx((8 << 26) / 0.5e6)
    assert found['of_copy'] == pytest.approx(0.8)
    assert found['ratio_torch'] == pytest.approx(2.0)


@no_gpu
@pytest.mark.parametrize(
    'case, ours, theirs, expected',
    [
        (select_scatter(), 1.0, 2.0, 'met'),
        (select_scatter(), 1.2, 2.0, 'MISSED'),
        (select_scatter(24), 1.2, 2.0, ''),
        (index_scatter(0, 'random'), 1.9, 2.0, 'met'),
        (index_scatter(0, 'random'), 2.1, 2.0, 'MISSED'),
        (index_scatter(0, 'skewed'), 1.1, 2.0, 'MISSED'),
        (index_scatter(0, 'skewed', rows='1-D'), 1.9, 2.0, 'met'),
        (case('select_scatter_grad', 26, axis=0), 1.2, 2.0, 'MISSED'),
        (masked_scatter('float32'), 1.18, 9.0, 'MISSED'),
        (masked_scatter('float32'), 1.0, 2.0, 'MISSED'),  # PyTorch is near
        (masked_scatter('bfloat16'), 1.3, 9.0, 'met'),
        (masked_scatter('float32', 'one row'), 1.4, 9.0, 'met'),
    ],
)
def test_goals(case, ours, theirs, expected):
    assert row(case, ours, 1.0, theirs)['goal'] == expected


@no_gpu
def test_files_hold_the_rows(tmp_path):
    rows = [
        row(select_scatter(), 1.0, 1.0, 2.0),
        row(index_scatter(1, 'random'), 1.0, 1.0, 1.5, agrees=False),
    ]
    data, page = bench_report.write(tmp_path / 'results', FACTS, rows)
    assert data.name == 'gpu_nvidia_h200_2026-01-02.json'
    assert json.loads(data.read_text()) == {'facts': FACTS, 'results': rows}
    lines = page.read_text().splitlines()
    assert '1 goals met, 1 missed.' in lines
    assert '## select_scatter, float32' in lines
    assert any('| axis 0 | 1 ms | 537 | 100% |' in x for x in lines)
    assert any('1.5x DIFFERS | MISSED |' in line for line in lines)


def test_every_kind_of_case_runs_and_agrees(tmp_path, capsys):
    small = ['--sizes', '10', '12', '--turns', '1', '--out', str(tmp_path)]
    assert bench.main(small) == 0, capsys.readouterr().out
    found = json.loads(next(tmp_path.glob('*.json')).read_text())
    assert {r['op'] for r in found['results']} == {
        case.op for case in bench_cases.all_cases()
    }


@no_gpu
def test_no_gpu_is_a_skip(capsys):
    if device.missing():
        assert bench.main([]) == 77
        assert capsys.readouterr().out.startswith('skipped: ')
