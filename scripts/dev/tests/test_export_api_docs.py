"""The API pages follow the docstrings."""

from pathlib import Path

import pytest

from scripts.dev.export_api_docs import main
from scripts.series.tests.series_samples import write_files

ROOT = Path(__file__).resolve().parents[3]
FOLD = '''\
def _helper(x):
    pass


def fold(x: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    r"""
    Folds ``x``.

    Twice, if need be.

    Args:
        x (Tensor): What to fold,
            of any shape.
        axis (int, optional): Where. Default: 0.
        name (str|None, optional): Name.

    Returns:
        Tensor, folded.

    Raises:
        ValueError: ``x`` is flat.

    Note:
        - Empty: nothing to fold.
        - NaN: stays,
          wherever it is.

    Examples:
        .. code-block:: python

            >>> fold(x)
    """
'''
CHINESE = '''\
.. py:function:: paddle.fold(x, axis=0, name=None)

参数
::::::::::::

    - **x** (Tensor) - 。
    - **axis** (int，可选) - 。
    - **name** (str，可选) - 。

返回
::::::::::::

异常
::::::::::::

说明
::::::::::::

- 空下标：。
- NaN：。

代码示例
::::::::::::

COPY-FROM: paddle.fold
'''
CHINESE_PAGE = 'docs/api/fold_cn.rst'


@pytest.fixture
def project(tmp_path):
    write_files(tmp_path, {'python_api/fold.py': FOLD, CHINESE_PAGE: CHINESE})
    assert main(['--root', str(tmp_path)]) == 0
    return tmp_path


def check(project, capsys):
    status = main(['--root', str(project), '--check'])
    return status, capsys.readouterr().err


def test_pages_of_this_project_follow_the_docstrings(capsys):
    assert check(ROOT, capsys) == (0, '')


def test_changed_docstring_is_drift(project, capsys):
    write_files(project, {'python_api/fold.py': FOLD.replace('Twice', 'Once')})
    status, text = check(project, capsys)
    assert status == 1
    assert 'fold.rst: not what the docstring says' in text


@pytest.mark.parametrize(
    'old, new, message',
    [
        (
            'axis=0',
            'axis=1',
            'expected `.. py:function:: paddle.fold(x, axis=0',
        ),
        (
            '**axis**',
            '**dim**',
            'lists x, dim, name, the function takes x, axis',
        ),
        ('COPY-FROM', 'COPY', 'no `COPY-FROM: paddle.fold`'),
        ('- 空下标：。\n', '', 'expected 参数, 返回, 异常, 说明, 空下标, NaN'),
        ('异常', '错误', 'found 参数, 返回, 错误, 说明'),
    ],
)
def test_planted_fault_of_a_chinese_page_is_reported(
    project, capsys, old, new, message
):
    write_files(project, {CHINESE_PAGE: CHINESE.replace(old, new)})
    status, text = check(project, capsys)
    assert status == 1
    assert message in text


def test_missing_chinese_page_is_reported(project, capsys):
    (project / CHINESE_PAGE).unlink()
    assert 'fold_cn.rst: missing' in check(project, capsys)[1]


def test_a_file_of_helpers_has_no_page(project, capsys):
    write_files(project, {'python_api/checks.py': 'def _check(x):\n    pass\n'})
    assert check(project, capsys) == (0, '')


def test_function_of_any_arguments_is_shown_as_its_wrapper(project, capsys):
    text = FOLD.replace('def fold(', 'def _fold_wrapper(')
    text += '\n\ndef fold(*args, **kwargs):\n    pass\n'
    write_files(project, {'python_api/fold.py': text})
    assert check(project, capsys) == (0, '')


@pytest.mark.parametrize(
    'text, message',
    [
        ('def other():\n    pass\n', 'defines no function fold'),
        ('def fold():\n    pass\n', 'fold has no docstring'),
    ],
)
def test_function_without_a_page_is_refused(project, capsys, text, message):
    write_files(project, {'python_api/fold.py': text})
    status, shown = check(project, capsys)
    assert status == 1
    assert message in shown
