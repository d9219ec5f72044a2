"""The API pages match the docstrings, and injected faults are reported."""

import shutil
from pathlib import Path

import pytest

from scripts.dev.export_api_docs import main

ROOT = Path(__file__).resolve().parents[3]
FUNCTION = 'python_api/select_scatter.py'
CHINESE = 'docs/api/select_scatter_cn.rst'


def test_pages_match_the_docstrings():
    assert main(['--check']) == 0


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
def test_check_reports_fault(tmp_path, capsys, path, old, new, message):
    for folder in ('python_api', 'docs/api'):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / path).read_text(encoding='utf-8')
    assert old in text
    (tmp_path / path).write_text(text.replace(old, new), encoding='utf-8')
    assert main(['--root', str(tmp_path), '--check']) == 1
    assert message in capsys.readouterr().err
