"""The series is a line: every prefix of it stands by itself.

The patches are applied with git am to what is known of the base, and after each
of them every include of ours, every module that a test imports and every line that a
file needs in Paddle's own has to be found. At the end of each pull request nothing
may be there that nothing uses, but in headers that operators share. Planted faults show that each check finds its own.
"""

import ast
import re
from pathlib import Path, PurePosixPath

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.tests.definitions import CPP, unused
from scripts.series.tree_edits import (
    OP_FILES,
    PYTHON_FILE,
    SPMD,
    SPMD_TESTS,
    SYMBOLIC,
    apply_patch,
    source_text,
)
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[3]
HEADERS = default_include(ROOT)
SERIES = load_series(ROOT)
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
TEST_IMPORT = re.compile(
    r'(?m)^(?:from|import) ((?:scatter|masked|index|view|spmd)_\w+)'
)
TESTS = ('test/legacy_test/', SPMD_TESTS)
SHARED = r'funcs/scatter_ops/(shared/|cpu/run\.h|gpu/device)|/out_like_x'
# Not in the wheel, but read in versions before and after the base.
BASE_INCLUDES = {'paddle/phi/kernels/funcs/common_shape.h'}
# Of Paddle's own entries no more than some lines are there.
SYMBOLIC_OP = re.compile(
    r'(?m)^- op : (\w+)((?:\n  .*)*\n  interfaces : .*InferSymbolicShape'
    r'(?:.*\n  )*.*)'
)
# What git am asks for.
IDENTITY = ('-c', 'user.name=replay', '-c', 'user.email=replay@localhost')


@pytest.fixture(scope='module')
def base():
    return base_tree(SERIES, wheel_dirs(ROOT))


def closure_faults(folder, patch):
    """Applies a patch, and says what is missing then."""
    path = ROOT / 'patches' / patch.file_name
    git(folder, *IDENTITY, 'am', '-q', '--keep-non-patch', str(path))
    return [
        f'{path.name}: {touched} {fault}'
        for touched in touched_files(folder, 1)
        for fault in missing_in(folder, touched)
    ]


def touched_files(folder, count):
    """What the last patches have touched."""
    return git(folder, 'diff', '--name-only', f'HEAD~{count}').splitlines()


def missing_in(folder, path):
    """What a file includes, imports or needs that is not there."""
    text = (folder / path).read_text('utf-8')
    if path.endswith(CPP):
        for header in set(INCLUDED.findall(text)) - BASE_INCLUDES:
            if not any((top / header).is_file() for top in (folder, HEADERS)):
                yield f'includes {header}, which is not there'
    elif path.startswith(TESTS):
        for module in TEST_IMPORT.findall(text):
            if not any((folder / x / f'{module}.py').is_file() for x in TESTS):
                yield f'imports {module}, which is not there'
    for pattern, line in needed(path, text):
        if not any(line in p.read_text('utf-8') for p in folder.glob(pattern)):
            yield f'needs `{" ".join(line.split())}` in {pattern}'


def needed(path, text):
    """(files of Paddle's, what has to stand in one of them): tests and rules are
    known by it, and generated code calls symbolic shapes."""
    stem = PurePosixPath(path).stem
    if path.startswith(f'{SPMD_TESTS}test_'):
        line = f'({stem} MODULES {stem})\n'
        yield f'{SPMD_TESTS}CMakeLists.txt', line
    if path.startswith(SPMD) and path.endswith('_ops.h'):
        yield f'{SPMD}rules.h', f'#include "{path}"\n'
    if path == f'{SPMD}rules.cc':
        for name in re.findall(r'phi::distributed::(?!Flatten)(\w+)', text):
            yield f'{SPMD}*.h', name
    entries = text if path == OP_FILES['op'] else ''
    for name, keys in SYMBOLIC_OP.findall(entries):
        plain = ''.join(map(str.capitalize, name.split('_')))
        for form in [plain, f'{plain}_'][: 1 + ('\n  inplace :' in keys)]:
            declared = f'\nOP_DECLARE_INFER_SYMBOLIC_SHAPE({form})\n'
            yield f'{SYMBOLIC}*', declared
            yield f'{SYMBOLIC}*', f'\nbool {form}OpInferSymbolicShape('


def unused_after(folder, patches, base, shared):
    """What is not used in new files that are no tests, in files of the base that
    the patches change, and in the new Python functions. Files that match `shared`
    may have more."""
    texts = {
        path: (folder / path).read_text('utf-8')
        for path in touched_files(folder, len(patches))
        if not path.startswith('test/') and path != PYTHON_FILE
    }
    callers = '\n'.join(texts.pop(path) for path in [*texts] if path in base)
    if shared:
        found = [path for path in texts if re.search(shared, path)]
        callers += '\n'.join(texts.pop(path) for path in found)
    for source in (x for patch in patches for x in patch.api_sources):
        text = source_text(ROOT, source, patches[-1].later)
        texts[source] = ast.unparse(ast.parse(text))  # without comments
    return unused(texts, callers)


@pytest.fixture(scope='module')
def line(base, tmp_path_factory):
    """(a repository with all of the line, the same as exported, faults on the way)"""
    folder, tree = tmp_path_factory.mktemp('line') / 'tree', dict(base)
    init_repo(folder, base, SERIES.author)
    faults, applied = [], []
    for name, patches in SERIES.pull_requests.items():
        for patch in patches:
            faults += closure_faults(folder, patch)
            apply_patch(tree, patch, ROOT)
            applied.append(patch)
        # What operators share comes whole with the first that needs some of it.
        is_last = applied == SERIES.patches
        found = unused_after(folder, applied, base, '' if is_last else SHARED)
        faults += [f'{name}: nothing uses {what}' for what in found]
    return folder, tree, faults


def test_every_prefix_stands_by_itself(line):
    folder, tree, faults = line
    assert faults == [], "\n".join(faults)
    titles = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert titles == [p.subject for p in SERIES.patches]
    assert set(git(folder, 'ls-files').split()) == set(tree)
    for path, text in tree.items():
        assert (folder / path).read_bytes() == text.encode('utf-8'), path


# -- planted faults -----------------------------------------------------------


def test_patches_that_are_left_out_are_missed(base, tmp_path):
    init_repo(tmp_path / 'tree', base, SERIES.author)
    lost = ('gpu-add-masked_scatter', 'test-add-scatter_test_utils')
    patches = [p for p in SERIES.patches if p.name not in lost]
    faults = [f for p in patches for f in closure_faults(tmp_path / 'tree', p)]
    assert any(
        'includes paddle/phi/kernels/funcs/scatter_ops/gpu/dev' in f
        for f in faults
    )
    assert any('imports scatter_op_utils, which is' in f for f in faults)


# (what is spoiled, a line of it, the file that needs the line)
LINES = [
    (f'{SYMBOLIC}binary_infer_sym.h', 'SHAPE(IndexScatter_)', OP_FILES['op']),
    (f'{SYMBOLIC}masked_scatter_infer_sym.cc', 'MaskedScatter_Op', OP_FILES['op']),
    (f'{SYMBOLIC}index_reduce_infer_sym.cc', 'IndexReduce_Op', OP_FILES['op']),
    (f'{SPMD}rules.h', 'scatter_ops.h', f'{SPMD}scatter_ops.h'),
    (f'{SPMD}scatter_ops.h', 'MaskedFillInferSpmdReverse', f'{SPMD}rules.cc'),
    (f'{SPMD_TESTS}CMakeLists.txt', '(test_scatter_ops_rule',
     f'{SPMD_TESTS}test_scatter_ops_rule.py'),
]  # fmt: skip


def test_a_line_that_is_missing_in_a_file_of_paddle_is_found(line):
    folder = line[0]
    for spoiled, text, path in LINES:
        good = (folder / spoiled).read_text('utf-8')
        (folder / spoiled).write_text(good.replace(text, 'gone'))
        (fault,) = missing_in(folder, path)
        assert fault.startswith('needs `'), fault
        (folder / spoiled).write_text(good)


def test_what_nothing_uses_is_found():
    text = """\
inline int Used() { return 1; }
int x = Used();
inline int64_t Inline(int a) {}
template <typename T>
static T* Template(T* a) {}
struct Type {};
// Type is here
using Alias = int;
constexpr int64_t kConstant = 3;
void Twice(int a) {}
void Twice(long a) {}
"""
    left = ['Alias', 'Inline', 'Template', 'Twice', 'Type', 'kConstant']
    assert unused({'a.h': text}) == left
    text = 'def _a():\n  pass\n\n\ndef _b():\n  _a()\n\n\ndef api():\n  pass\n'
    assert unused({'ours.py': text}) == ['_b']
