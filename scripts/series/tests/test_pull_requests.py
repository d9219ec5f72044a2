"""Each pull request applies and finds what it leans on by itself.

The patches are applied with git am to what is known of the base, and after each
of them every include of ours, every module that a test imports and every name
that a Python function reads has to be found. All of them together give the tree
that the exporter made, in any order. Planted faults show that each check finds
what it is for.
"""

import ast
import re
from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import touched_files
from scripts.series.python_hunks import missing_names
from scripts.series.tree_edits import PYTHON_FILE, apply_patch
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[3]
PATCHES = ROOT / 'patches'
HEADERS = default_include(ROOT)
SERIES = load_series(ROOT)
NAMES = SERIES.pull_requests
ORDERS = {
    'as listed': NAMES,
    'backwards': NAMES[::-1],
    'odd ones first': NAMES[1::2] + NAMES[::2],
}
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
TEST_IMPORT = re.compile(r'(?m)^(?:from|import) ((?:scatter|masked|index)_\w+)')
PADDLES_TESTS = 'test/legacy_test/'
CPP = ('.h', '.cc', '.cu')
# Not in the wheel, but read in versions before and after the base.
BASE_INCLUDES = {'paddle/phi/kernels/funcs/common_shape.h'}
IDENTITY = {
    'GIT_COMMITTER_NAME': 'replay',
    'GIT_COMMITTER_EMAIL': 'replay@localhost',
}


@pytest.fixture(scope='module')
def base():
    return base_tree(SERIES, wheel_dirs(ROOT))


@pytest.fixture
def folder(base, tmp_path):
    """A repository of the known part of the base."""
    init_repo(tmp_path / 'tree', base, SERIES.author)
    return tmp_path / 'tree'


def apply(folder, patch):
    """git am; returns the paths that the patch touches."""
    path = PATCHES / patch.file_name
    git(folder, 'am', '-q', '--keep-non-patch', str(path), env=IDENTITY)
    return list(touched_files(path))


def apply_lists(names, folder):
    """Applies pull requests in the order of `names`, each patch once."""
    listed = [p.number for name in names for p in SERIES.pull_request(name)]
    for number in dict.fromkeys(listed):
        apply(folder, SERIES.patches[number - 1])


def closure_faults(patches, folder):
    """Applies a pull request's patches, and says what is missing after each."""
    return [
        f'{patch.file_name}: {path} {fault}'
        for patch in patches
        for path in apply(folder, patch)
        for fault in missing_in(folder, path)
    ]


def missing_in(folder, path):
    """What a file includes, imports or reads that is not there."""
    text = (folder / path).read_text('utf-8')
    if path.endswith(CPP):
        for header in set(INCLUDED.findall(text)) - BASE_INCLUDES:
            if not any((top / header).is_file() for top in (folder, HEADERS)):
                yield f'includes {header}, which is not there'
    elif path.startswith(PADDLES_TESTS):
        for module in TEST_IMPORT.findall(text):
            if not (folder / PADDLES_TESTS / f'{module}.py').is_file():
                yield f'imports {module}, which is not there'
    elif path == PYTHON_FILE:
        compile(text, path, 'exec', dont_inherit=True)
        for name in sorted(missing_names(text)):
            yield f'reads {name}: not defined'


@pytest.mark.parametrize('name', NAMES)
def test_pull_request_alone_finds_what_it_leans_on(folder, name):
    patches = SERIES.pull_request(name)
    assert closure_faults(patches, folder) == []
    titles = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert titles == [p.subject for p in patches]


@pytest.mark.parametrize('names', ORDERS.values(), ids=ORDERS)
def test_pull_requests_give_the_exported_tree_in_any_order(base, folder, names):
    apply_lists(names, folder)
    tree = dict(base)
    for patch in SERIES.patches:
        apply_patch(tree, patch, ROOT)
    assert set(git(folder, 'ls-files').split()) == set(tree)
    for path, text in tree.items():
        assert (folder / path).read_bytes() == text.encode('utf-8'), path


def functions(text):
    """{name: dumps of its definitions} of a module's top level."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found


def test_python_functions_are_ours_and_the_others_are_untouched(base, folder):
    apply_lists(NAMES, folder)
    ours = {}
    for path in (ROOT / 'python_api').glob('*.py'):
        ours |= functions(path.read_text('utf-8'))
    after = functions((folder / PYTHON_FILE).read_text('utf-8'))
    assert after == {**functions(base[PYTHON_FILE]), **ours}


# -- planted faults -----------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'lost', 'message'),
    [
        (
            'masked_scatter',
            'gpu-add-mask_op_funcs',
            'masked_scatter_kernel.cu includes '
            'paddle/phi/kernels/funcs/scatter_ops/gpu/masked_zero.cu.h, '
            'which is not there',
        ),
        (
            'masked_fill',
            'test-add-scatter_test_utils',
            'test_masked_fill_kernel.py imports scatter_op_utils',
        ),
    ],
)
def test_a_patch_that_is_left_out_is_missed(folder, name, lost, message):
    patches = [p for p in SERIES.pull_request(name) if p.name != lost]
    faults = closure_faults(patches, folder)
    assert any(message in fault for fault in faults), faults
