"""The API pages match the docstrings, and injected faults are reported."""

import shutil
from pathlib import Path

import pytest

from scripts.dev import export_api_docs

ROOT = Path(__file__).resolve().parents[3]
FUNCTION = 'python_api/select_scatter.py'
CHINESE = 'docs/api/select_scatter_cn.rst'


def test_pages_match_the_docstrings():
    assert export_api_docs.main(['--check']) == 0


@pytest.mark.parametrize(
    ('path', 'old', 'new', 'message'),
    [
        (FUNCTION, 'copy of ``x``', 'piece of ``x``',
         'select_scatter.rst: differs from the docstring'),
        (CHINESE, 'axis, index', 'dim, index', 'axis, index, name=None)`'),
        (CHINESE, 'COPY-FROM', 'COPY',
         'expected `COPY-FROM: paddle.select_scatter`, found `the end`'),
        (CHINESE, '- 零元素：', '', 'expected `- `, found'),
    ],
)  # fmt: skip
def test_check_reports_fault(
    tmp_path, capsys, monkeypatch, path, old, new, message
):
    for folder in ('python_api', 'docs/api'):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / path).read_text(encoding='utf-8')
    assert old in text
    (tmp_path / path).write_text(text.replace(old, new), encoding='utf-8')
    monkeypatch.setattr(export_api_docs, 'ROOT', tmp_path)
    assert export_api_docs.main(['--check']) == 1
    assert message in capsys.readouterr().err
