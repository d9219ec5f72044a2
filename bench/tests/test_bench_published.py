"""The published tables and rows match the CSV file and the cases."""

from bench import report
from bench.run.cases import list_cases
from bench.run.runner import ROOT


def test_published_tables_match_the_csv_file():
    for name, text in report.render_pages(report.read_rows()).items():
        assert (ROOT / name).read_text('utf-8') == text


def test_published_rows_name_existing_cases_once():
    rows = report.read_rows()
    keys = [tuple(row[column] for column in report.KEY) for row in rows]
    assert len(set(keys)) == len(rows)
    assert {key[:4] for key in keys} <= {case.key for case in list_cases()}
    assert not any('dirty' in row['commit'] for row in rows)
