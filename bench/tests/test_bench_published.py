"""The published tables and rows match the CSV file and the cases."""

from bench import report
from bench.run.cases import OPERATORS, list_cases
from bench.run.processes import ROOT


def test_published_tables_match_the_csv_file():
    for name, text in report.render_pages(report.read_rows()).items():
        assert (ROOT / name).read_text('utf-8') == text


def test_published_rows_name_existing_cases_once():
    rows = report.read_rows()
    keys = [tuple(row[column] for column in report.KEY) for row in rows]
    assert len(set(keys)) == len(rows)
    assert {key[:4] for key in keys} <= {case.key for case in list_cases()}
    assert not any('dirty' in row['commit'] for row in rows)


def test_table_divides_by_our_time_and_omits_empty_columns():
    case, *_ = OPERATORS
    rows = []
    for memory, torch_ms in zip(report.MEMORY, ('8.5', '1')):
        key = dict(zip(report.KEY, (*case.key, '2', memory)))
        times = {'ours_ms': '2', 'torch_ms': torch_ms, 'release_ms': ''}
        rows.append({**report.read_rows()[0], **key, **times})
    column = report.Results(rows).make_column
    columns = {
        'PyTorch': column('torch'),
        'page-fault-free': column('torch', None, report.PAGE_FAULT_FREE),
        'released': column('release'),
    }
    assert report.format_table([case], columns).splitlines() == [
        '|PyTorch|page-fault-free|',
        '|---|---:|',
        '|4.25x|0.5x|',
    ]
