"""The unit tests run unchanged in Paddle's test/legacy_test.

There they import Paddle's op_test.py, here the stub in unittests/harness, which
rejects the calls that the original rejects. CMakeLists.txt and ruff reject
imports that Paddle's test machines lack.
"""

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).resolve().parents[2].glob('unittests/*.py'))
assert FILES
# Names of modules in past or present versions of Paddle's test/legacy_test.
RESERVED_NAMES = {
    'test_masked_scatter', 'test_masked_fill', 'test_masked_fill_op',
    'test_select_scatter', 'test_select_scatter_op', 'test_scatter_op',
    'test_diagonal_scatter', 'test_put_along_axis_op', 'test_inplace',
    'test_index_add_op', 'test_index_fill', 'test_slice_scatter',
    'op_test', 'utils', 'testsuite', 'prim_op_test', 'auto_parallel_op_test',
}  # fmt: skip


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_new_module_runs_all_tests_with_unittest(path):
    assert path.stem not in RESERVED_NAMES
    body = ast.parse(path.read_text(encoding='utf-8')).body
    # unittest does not run functions outside a TestCase.
    names = {x.name for x in body if isinstance(x, ast.FunctionDef)}
    assert [name for name in names if name.startswith('test')] == []
    if path.stem.startswith('test_'):
        assert ast.unparse(body[-1]).endswith('unittest.main()')
