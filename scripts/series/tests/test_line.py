"""The series is a line: every prefix of it stands by itself.

The patches are applied with git am to what is known of the base, and after each
of them every include of ours, every module that a test imports and every name
that a Python function reads has to be found. At the end of each pull request
nothing may be there that nothing uses. Planted faults show that each check finds
what it is for.
"""

import ast
import re
from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import added_files, touched_files
from scripts.series.python_hunks import missing_names
from scripts.series.tree_edits import PYTHON_FILE, apply_patch
from scripts.series.unused import unused
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[3]
PATCHES = ROOT / 'patches'
HEADERS = default_include(ROOT)
SERIES = load_series(ROOT)
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
TEST_IMPORT = re.compile(
    r'(?m)^(?:from|import) ((?:scatter|masked|index|view|spmd)_\w+)'
)
TESTS = ('test/legacy_test/', 'test/auto_parallel/spmd_rules/')
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


def closure_faults(patches, folder):
    """Applies patches, and says what is missing after each."""
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
    elif path.startswith(TESTS):
        for module in TEST_IMPORT.findall(text):
            if not any(
                (folder / top / f'{module}.py').is_file() for top in TESTS
            ):
                yield f'imports {module}, which is not there'
    elif path == PYTHON_FILE:
        compile(text, path, 'exec', dont_inherit=True)
        for name in sorted(missing_names(text)):
            yield f'reads {name}: not defined'


def unused_after(folder, patches, base):
    """What is not used in new files that are no tests, in files of the base that
    the patches change, and in the new Python functions."""
    paths = {p for patch in patches for p in touched_files(patch)}
    texts = {
        path: (folder / path).read_text('utf-8')
        for path in paths
        if not path.startswith('test/') and path != PYTHON_FILE
    }
    callers = '\n'.join(texts.pop(path) for path in [*texts] if path in base)
    known = functions(base[PYTHON_FILE])
    text = (folder / PYTHON_FILE).read_text('utf-8')
    texts['ours.py'] = '\n'.join(
        ast.unparse(node)
        for node in ast.parse(text).body
        if not isinstance(node, ast.FunctionDef)
        or ast.dump(node) not in known.get(node.name, ())
    )
    return unused(texts, callers)


def test_every_prefix_finds_what_it_leans_on(folder):
    assert closure_faults(SERIES.patches, folder) == []
    titles = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert titles == [p.subject for p in SERIES.patches]


def test_every_pull_request_uses_what_it_has(base, folder):
    faults, applied = [], []
    for name in SERIES.pull_requests:
        for patch in SERIES.pull_request(name):
            apply(folder, patch)
            applied.append(PATCHES / patch.file_name)
        found = unused_after(folder, applied, base)
        faults += [f'{name}: {what}' for what in found]
    assert faults == []


def test_the_line_gives_the_exported_tree(base, folder):
    tree = dict(base)
    for patch in SERIES.patches:
        apply(folder, patch)
        apply_patch(tree, patch, ROOT)
    assert set(git(folder, 'ls-files').split()) == set(tree)
    for path, text in tree.items():
        assert (folder / path).read_bytes() == text.encode('utf-8'), path


def test_the_last_prefix_has_the_sources_as_they_are(folder):
    for patch in SERIES.patches:
        apply(folder, patch)
    for patch in SERIES.patches:
        for path in added_files([PATCHES / patch.file_name]):
            source = path.replace('paddle/phi/kernels/', 'kernels/')
            if (ROOT / source).is_file():
                assert (folder / path).read_text('utf-8') == (
                    ROOT / source
                ).read_text('utf-8'), path


def functions(text):
    """{name: dumps of its definitions} of a module's top level."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found


def test_python_functions_are_ours_and_the_others_are_untouched(base, folder):
    for patch in SERIES.patches:
        apply(folder, patch)
    ours = {}
    for path in (ROOT / 'python_api').glob('*.py'):
        ours |= functions(path.read_text('utf-8'))
    after = functions((folder / PYTHON_FILE).read_text('utf-8'))
    assert after == {**functions(base[PYTHON_FILE]), **ours}


# -- planted faults -----------------------------------------------------------


@pytest.mark.parametrize(
    ('lost', 'message'),
    [
        ('gpu-add-masked_scatter', 'gpu/device.cu.h, which is'),
        ('test-add-scatter_test_utils', 'imports scatter_op_utils'),
    ],
)
def test_a_patch_that_is_left_out_is_missed(folder, lost, message):
    patches = [p for p in SERIES.patches if p.name != lost]
    faults = closure_faults(patches, folder)
    assert any(message in fault for fault in faults), faults


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('inline int Used() { return 1; }\nint x = Used();\n', []),
        ('inline int64_t Left(int a) {\n  return a;\n}\n', ['Left']),
        ('template <typename T>\nstatic T* Left(T* a) {\n}\n', ['Left']),
        ('struct Left {\n};\n// Left is here\n', ['Left']),
        ('using Left = int;\n', ['Left']),
        ('constexpr int64_t kLeft = 3;\n', ['kLeft']),
        ('void Twice(int a) {}\nvoid Twice(long a) {}\n', ['Twice']),
    ],
)
def test_what_nothing_uses_is_found(text, names):
    assert unused({'a.h': text}) == names


def test_python_helper_that_nothing_calls_is_found():
    text = 'def _a():\n    pass\n\n\ndef _b():\n    _a()\n\n\ndef api():\n    pass\n'
    assert unused({'ours.py': text}) == ['_b']
