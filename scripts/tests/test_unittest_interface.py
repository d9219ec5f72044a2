"""The unit tests use only what Paddle's own test folder offers them.

In Paddle's tree they meet its op_test.py, in the wheel target our harness; they
are the same files. So each may only import what both have, and unittest has to
find its tests. Calls of OpTest that Paddle's would not take are refused by the
harness.
"""

import ast
import re
import sys
from pathlib import Path

import pytest

UNITTESTS = Path(__file__).resolve().parents[2] / 'unittests'
FROM_OP_TEST = {
    'OpTest', 'convert_float_to_uint16', 'convert_uint16_to_float',
    'skip_check_grad_ci', 'get_device_place', 'get_places',
}  # fmt: skip
# What Paddle's python/unittest_py/requirements.txt brings to test machines, of
# that which is of use here; anything else needs a way without it.
INSTALLED = {'numpy', 'paddle', 'scipy', 'hypothesis', 'parameterized'}
INSTALLED |= sys.stdlib_module_names


def faults_of(name, tree, own):
    """Of the imports at the top; one in a try or a function is optional."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            modules = [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [(node.module or '.', [x.name for x in node.names])]
        else:
            continue
        where = f'{name}.py:{node.lineno}'
        for module, names in modules:
            if module == 'op_test':
                for unknown in sorted(set(names) - FROM_OP_TEST):
                    yield f'{where}: op_test of Paddle may not have {unknown}'
                if not names:
                    yield f'{where}: import names from op_test, not the module'
            elif module.split('.')[0] not in INSTALLED | own:
                yield f'{where}: {module} is not on every test machine'


def lost_tests(tree):
    """What pytest would run, and unittest, which Paddle uses, does not."""
    for node in tree.body:
        function = isinstance(node, ast.FunctionDef)
        bare_class = isinstance(node, ast.ClassDef) and not node.bases
        if (function or bare_class) and node.name.lower().startswith('test'):
            yield f'{node.name} is not in a unittest.TestCase'
    programs = ("if __name__ == '__main__':", 'unittest.main()')
    if not all(line in ast.unparse(tree) for line in programs):
        yield 'the file does not call unittest.main()'


def files(pattern):
    paths = sorted(UNITTESTS.glob(pattern))
    assert paths, f'no file {pattern} in {UNITTESTS}'
    return paths


def test_unit_tests_use_only_the_known_interface():
    trees = {
        path.stem: ast.parse(path.read_text(encoding='utf-8'))
        for path in files('*.py')
    }
    for name, tree in trees.items():
        assert list(faults_of(name, tree, set(trees))) == []
        if name.startswith('test_'):
            assert list(lost_tests(tree)) == [], name


# Names that Paddle's own test/legacy_test has, or had.
TAKEN = {
    'test_masked_scatter', 'test_masked_fill', 'test_masked_fill_op',
    'test_select_scatter', 'test_select_scatter_op', 'test_scatter_op',
    'test_diagonal_scatter', 'test_put_along_axis_op', 'test_inplace',
    'test_index_add_op', 'test_index_fill', 'test_slice_scatter',
    'op_test', 'utils', 'testsuite', 'prim_op_test', 'auto_parallel_op_test',
}  # fmt: skip
# What a test file is about: test_<op>_<aspect>, and a word more where a file
# would be too long. kernel is an OpTest whose name with op is taken in Paddle;
# rule is an SPMD rule, and ranks is about distributed Tensors.
ASPECTS = {
    'op', 'kernel', 'values', 'grad', 'errors', 'inplace', 'rule', 'ranks',
}  # fmt: skip


def test_test_names_are_free_in_paddle():
    assert {path.stem for path in files('*.py')} & TAKEN == set()


def name_fault(stem, apis):
    """Why a test file has a wrong name, or None."""
    aspects = '|'.join(sorted(ASPECTS))
    pattern = rf'test_({"|".join(apis)})_({aspects})(_[a-z]+)?'
    parts = re.fullmatch(pattern, stem)
    if parts is None:
        return f'{stem}: test_<op>_<aspect>, with one of {aspects}'
    op, aspect, _ = parts.groups()
    if aspect == 'kernel' and f'test_{op}_op' not in TAKEN:
        return f'{stem}: test_{op}_op is free'
    return None


def test_test_names_say_operator_and_aspect():
    sources = (*UNITTESTS.parent.glob('ops_yaml/*.yaml'),
               *UNITTESTS.parent.glob('python_api/*.py'))  # fmt: skip
    apis = {path.stem for path in sources} | {'scatter_ops', 'distributed'}
    faults = [name_fault(path.stem, apis) for path in files('test_*.py')]
    assert [fault for fault in faults if fault] == []


def test_a_wrong_name_is_reported():
    for stem in ('test_fold_native_op', 'test_fold', 'test_other_values'):
        assert 'test_<op>_<aspect>' in name_fault(stem, {'fold'})
    assert 'test_fold_op is free' in name_fault('test_fold_kernel', {'fold'})
    assert name_fault('test_fold_values', {'fold'}) is None


def test_a_lost_test_is_reported():
    for source, fault in (
        ('def test_fold(): ...', 'test_fold is not in'),
        ('class TestFold: ...', 'TestFold is not in'),
        ('class TestFold(unittest.TestCase): ...', 'does not call'),
    ):
        assert fault in ' '.join(lost_tests(ast.parse(source)))


GOOD = """\
import unittest
import numpy as np
from op_test import OpTest
import paddle
try:
    import torch
except ImportError:
    torch = None
"""


@pytest.mark.parametrize(
    'old, new, message',
    [
        ('', '', ''),
        ('import OpTest', 'import OpTest, Harness', 'may not have Harness'),
        ('from op_test import OpTest', 'import op_test', 'not the module'),
        ('import numpy as np', 'import pytest', 'pytest is not on every'),
        ('import numpy as np', 'import numeric_gradient', 'not on every'),
    ],
)
def test_planted_use_is_reported(old, new, message):
    assert GOOD.count(old) >= 1
    tree = ast.parse(GOOD.replace(old, new))
    faults = list(faults_of('test_fold', tree, set()))
    assert [message in fault for fault in faults] == [True] * bool(new), faults
