"""The unit tests run in Paddle's own test folder as they do here.

There they meet its op_test.py, here our harness. CMakeLists.txt lets them import
nothing but that and each other, ruff no package that Paddle's test machines lack.
Calls of OpTest that Paddle's would not take are refused by the harness.
"""

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).resolve().parents[2].glob('unittests/*.py'))
assert FILES
# Names that Paddle's own test/legacy_test has, or had.
TAKEN = {
    'test_masked_scatter', 'test_masked_fill', 'test_masked_fill_op',
    'test_select_scatter', 'test_select_scatter_op', 'test_scatter_op',
    'test_diagonal_scatter', 'test_put_along_axis_op', 'test_inplace',
    'test_index_add_op', 'test_index_fill', 'test_slice_scatter',
    'op_test', 'utils', 'testsuite', 'prim_op_test', 'auto_parallel_op_test',
}  # fmt: skip


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_unittest_runs_all_of_a_new_file(path):
    assert path.stem not in TAKEN
    body = ast.parse(path.read_text(encoding='utf-8')).body
    # pytest would run what is in no TestCase, and unittest not
    names = {x.name for x in body if isinstance(x, ast.FunctionDef)}
    assert [name for name in names if name.startswith('test')] == []
    if path.stem.startswith('test_'):
        assert ast.unparse(body[-1]).endswith('unittest.main()')
