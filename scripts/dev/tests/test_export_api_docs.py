"""The API pages follow the docstrings; faults are planted into copies of them."""

import shutil
from pathlib import Path

import pytest

from scripts.dev.export_api_docs import main

ROOT = Path(__file__).resolve().parents[3]
FUNCTION = 'python_api/select_scatter.py'
CHINESE = 'docs/api/select_scatter_cn.rst'


@pytest.fixture
def project(tmp_path):
    for folder in ('python_api', 'docs/api'):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def check(project, capsys):
    status = main(['--root', str(project), '--check'])
    return status, capsys.readouterr().err


def test_pages_of_this_project_follow_the_docstrings(capsys):
    assert check(ROOT, capsys) == (0, '')


@pytest.mark.parametrize(
    ('path', 'old', 'new', 'message'),
    [
        (FUNCTION, 'copy of ``x``', 'piece of ``x``',
         'select_scatter.rst: not what the docstring says'),
        (FUNCTION, '"""', "'''", 'select_scatter has no docstring'),
        (FUNCTION, 'def select_scatter(', 'def select(',
         'defines no function select_scatter'),
        (CHINESE, 'axis, index', 'dim, index',
         'expected `paddle.select_scatter(x, values, axis, index, name=None)`'),
        (CHINESE, '**axis**', '**dim**', 'expected `axis`, found `dim`'),
        (CHINESE, '**TypeError**', '', 'expected `TypeError`, found `说明`'),
        (CHINESE, 'COPY-FROM', 'COPY',
         'expected `COPY-FROM: paddle.select_scatter`, found `the end`'),
        (CHINESE, '- 零元素：', '', 'expected `零元素`, found `梯度`'),
        (CHINESE, '异常', '错误', 'expected `异常`, found `错误`'),
    ],
)  # fmt: skip
def test_planted_fault_is_reported(project, capsys, path, old, new, message):
    text = (project / path).read_text(encoding='utf-8')
    assert old in text
    if new == "'''":  # no docstring at all
        head, _, rest = text.partition('    r"""')
        text = head + '    pass\n' + rest.partition('"""\n')[2]
    (project / path).write_text(text.replace(old, new), encoding='utf-8')
    status, told = check(project, capsys)
    assert status == 1
    assert message in told


def test_pages_are_written_again(project, capsys):
    text = (project / FUNCTION).read_text(encoding='utf-8')
    changed = text.replace('copy of ``x``', 'piece of ``x``')
    (project / FUNCTION).write_text(changed, encoding='utf-8')
    assert main(['--root', str(project)]) == 0
    assert check(project, capsys) == (0, '')


def test_missing_chinese_page_is_reported(project, capsys):
    (project / CHINESE).unlink()
    assert 'select_scatter_cn.rst: missing' in check(project, capsys)[1]
