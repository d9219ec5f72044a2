"""The unit tests use only what Paddle's own test folder offers them.

In Paddle's tree they meet its op_test.py, in the wheel target our harness; they are
the same files. So each may only import what both have, unittest has to find its
tests, and no file of Paddle's may have its name. Calls of OpTest that Paddle's
would not take are refused by the harness.
"""

import ast
import sys
from pathlib import Path

import pytest

UNITTESTS = Path(__file__).resolve().parents[2] / 'unittests'
FILES = sorted(UNITTESTS.glob('*.py'))
assert FILES
FROM_OP_TEST = {
    'OpTest', 'convert_float_to_uint16', 'skip_check_grad_ci', 'get_places',
}  # fmt: skip
# What Paddle's python/unittest_py/requirements.txt brings to test machines, of
# that which is of use here; anything else needs a way without it.
INSTALLED = {'numpy', 'paddle', 'scipy', 'hypothesis', 'parameterized'}
INSTALLED |= {*sys.stdlib_module_names, *(path.stem for path in FILES)}
# Names that Paddle's own test/legacy_test has, or had.
TAKEN = {
    'test_masked_scatter', 'test_masked_fill', 'test_masked_fill_op',
    'test_select_scatter', 'test_select_scatter_op', 'test_scatter_op',
    'test_diagonal_scatter', 'test_put_along_axis_op', 'test_inplace',
    'test_index_add_op', 'test_index_fill', 'test_slice_scatter',
    'op_test', 'utils', 'testsuite', 'prim_op_test', 'auto_parallel_op_test',
}  # fmt: skip


def fits(node):
    """Whether a statement works there; an import in a try is optional."""
    if isinstance(node, ast.Import):
        names = {alias.name.split('.')[0] for alias in node.names}
        return names <= INSTALLED
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        if node.module == 'op_test':
            return names <= FROM_OP_TEST
        return node.module.split('.')[0] in INSTALLED
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        # pytest would run it, and unittest only what is in a TestCase
        is_test = node.name.lower().startswith('test')
        return not is_test or getattr(node, 'bases', ())
    return True


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_file_runs_in_paddles_test_folder(path):
    assert path.stem not in TAKEN
    tree = ast.parse(path.read_text(encoding='utf-8'))
    for node in tree.body:
        assert fits(node), f'{path.name}:{node.lineno}: {ast.unparse(node)}'
    if path.stem.startswith('test_'):
        assert ast.unparse(tree.body[-1]).endswith('unittest.main()')
