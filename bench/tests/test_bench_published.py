"""The published tables show the published CSV file."""

from bench import report
from bench.run.cases import OPERATORS, all_cases
from bench.run.processes import ROOT


def test_published_tables_show_the_csv_file():
    for name, text in report.texts(report.read()).items():
        assert (ROOT / name).read_text('utf-8') == text


def test_published_rows_are_measured_cases():
    rows = report.read()
    keys = [tuple(row[column] for column in report.KEY) for row in rows]
    assert len(set(keys)) == len(rows)
    assert {key[:4] for key in keys} <= {case.key for case in all_cases()}
    assert not any('dirty' in row['commit'] for row in rows)


def test_ratios_are_over_our_time_and_columns_without_values_are_omitted():
    case, *_ = OPERATORS
    rows = []
    for memory, torch_ms in zip(report.MEMORY, ('8.5', '1')):
        key = dict(zip(report.KEY, (*case.key, '2', memory)))
        times = {'ours_ms': '2', 'torch_ms': torch_ms, 'release_ms': ''}
        rows.append({**report.read()[0], **key, **times})
    column = report.Results(rows).column
    columns = {
        'PyTorch': column('torch'),
        'page-fault-free': column('torch', None, report.PAGE_FAULT_FREE),
        'released': column('release'),
    }
    assert report.table([case], columns).splitlines() == [
        '|PyTorch|page-fault-free|',
        '|---|---:|',
        '|4.25x|0.5x|',
    ]
