"""The table passes on the build, and reports a wrong result and a missing call."""

import itertools

from fuzz import table

import paddle


def test_every_kernel_is_right_for_every_dtype():
    assert table.main() == 0


def test_reports_a_wrong_result_and_a_missing_call(monkeypatch, capsys):
    def injected(x, *_, **__):
        return paddle.assign(x)

    first = list(itertools.islice(table.table('int16'), 30))
    monkeypatch.setattr(table, 'ALL_DTYPES', ['int16'])
    monkeypatch.setattr(table, 'table', lambda dtype: first)
    monkeypatch.setattr(paddle, 'masked_fill_', injected)
    assert table.main() == 1
    output = capsys.readouterr().out
    assert 'masked_fill_ int16 [(8,), (8,), ' in output
    assert "never called: ['DiagonalScatterGradGradNode'," in output
    assert "'select_scatter'" in output
