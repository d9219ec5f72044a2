"""Every prefix of the patch series is complete by itself.

The patches are applied by git am to the known part of the base. After each, every
include, every name that a Python function reads and every line that a file needs in
Paddle's own has to be there. After each pull
request nothing new is unused, but in headers that operators share. Injected faults
show that each check finds its own.
"""

import ast
import re
import sysconfig
from pathlib import Path, PurePosixPath

import pytest

from scripts.common.programs import run
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
BASE = base_tree(SERIES, wheel_dirs(ROOT))
# Upstream requires named approvers from here on.
MAX_CODE_LINES = 1000
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
SHARED = r'funcs/scatter_ops/(shared/|cpu/parallel\.h|gpu/device)|/out_like_x'
# Not in the wheel, but in versions before and after the base.
BASE_INCLUDES = {'paddle/phi/kernels/funcs/common_shape.h'}
# An entry as far as its interfaces or its rule.
ENTRY = r'(?m)^- (?:op|backward_op) : (\w+)((?:\n  .*)*?\n *%s)'
SYMBOLIC_OP = re.compile(ENTRY % 'interfaces : .*InferSymbolicShape')
SPMD_OP = re.compile(ENTRY % r'spmd_rule : (\w+)')
UNDEFINED = (
    Path(sysconfig.get_paths()['scripts'], 'ruff'), 'check', '--isolated',
    '--no-cache', '--select', 'F821', '--output-format', 'concise',
)  # fmt: skip


def undefined_names(path):
    """Names that a Python module reads and that nothing defines."""
    output = run(*UNDEFINED, path).stdout
    return set(re.findall(r'F821 Undefined name `(\w+)`', output))


@pytest.fixture(scope='module')
def known_undefined(tmp_path_factory):
    path = tmp_path_factory.mktemp('base') / 'module.py'
    path.write_text(BASE[PYTHON_FILE], 'utf-8')
    return undefined_names(path)


def closure_faults(folder, patch):
    """Applies a patch; the faults of the files that it changes."""
    path = ROOT / 'patches' / patch.file_name
    git(folder, 'am', '-q', '--keep-non-patch', path)
    return [
        f'{path.name}: {touched} {fault}'
        for touched in touched_files(folder, 1)
        for fault in missing_in(folder, touched)
    ]


def touched_files(folder, count):
    """The files that the last patches change."""
    return git(folder, 'diff', '--name-only', f'HEAD~{count}').splitlines()


def missing_in(folder, path):
    """Yields what a file includes or needs that is not there."""
    text = (folder / path).read_text('utf-8')
    if path.endswith(CPP):
        for header in set(INCLUDED.findall(text)) - BASE_INCLUDES:
            if not any((top / header).is_file() for top in (folder, HEADERS)):
                yield f'includes {header}, which is not there'
    for pattern, line in needed(path, text):
        if not any(line in p.read_text('utf-8') for p in folder.glob(pattern)):
            yield f'needs `{" ".join(line.split())}` in {pattern}'


def needed(path, text):
    """Yields (files of Paddle's, text that one of them has to have): tests and rules
    are registered there, and generated code calls symbolic shapes."""
    stem = PurePosixPath(path).stem
    if path.startswith(f'{SPMD_TESTS}test_'):
        yield f'{SPMD_TESTS}CMakeLists.txt', f'({stem} MODULES {stem})\n'
    if path.startswith(SPMD) and path.endswith('_ops.h'):
        yield f'{SPMD}rules.h', f'#include "{path}"\n'
    if path == f'{SPMD}rules.cc':
        for name in re.findall(r'phi::distributed::(?!Flatten)(\w+)', text):
            yield f'{SPMD}*.h', name
    if path in OP_FILES.values():
        for name, _, rule in SPMD_OP.findall(text):
            call = f'{name},\n    PD_INFER_SPMD(phi::distributed::{rule})'
            yield f'{SPMD}rules.cc', f'PD_REGISTER_SPMD_RULE(\n    {call}'
    if path == OP_FILES['op']:
        for name, keys in SYMBOLIC_OP.findall(text):
            plain = ''.join(map(str.capitalize, name.split('_')))
            for form in [plain, f'{plain}_'][: 1 + ('\n  inplace :' in keys)]:
                declared = f'\nOP_DECLARE_INFER_SYMBOLIC_SHAPE({form})\n'
                yield f'{SYMBOLIC}*', declared
                yield f'{SYMBOLIC}*', f'\nbool {form}OpInferSymbolicShape('


def unused_after(folder, patches, shared):
    """The unused names of new files that are no tests and of the new Python
    functions. Files that match `shared` may have some."""
    texts = {
        path: (folder / path).read_text('utf-8')
        for path in touched_files(folder, len(patches))
        if not path.startswith('test/') and path != PYTHON_FILE
    }
    callers = [path for path in texts if path in BASE]
    if shared:
        callers += [path for path in texts if re.search(shared, path)]
    called = '\n'.join(texts.pop(path) for path in callers)
    for source in (x for patch in patches for x in patch.api_sources):
        text = source_text(ROOT, source, patches[-1].later)
        texts[source] = ast.unparse(ast.parse(text))  # without comments
    return unused(texts, called)


@pytest.fixture(scope='module')
def line(known_undefined, tmp_path_factory):
    """(a repository with the whole series, the exported tree, the faults)"""
    folder, tree = tmp_path_factory.mktemp('line') / 'tree', dict(BASE)
    init_repo(folder, BASE)
    faults, applied = [], []
    for name, patches in SERIES.pull_requests.items():
        for patch in patches:
            faults += closure_faults(folder, patch)
            apply_patch(tree, patch, ROOT)
            applied.append(patch)
            missing = undefined_names(folder / PYTHON_FILE) - known_undefined
            faults += [f'{patch.name}: lacks {word}' for word in missing]
        # A shared header comes whole with the first operator that needs it.
        shared = '' if applied == SERIES.patches else SHARED
        names = unused_after(folder, applied, shared)
        faults += [f'{name}: nothing uses {word}' for word in names]
    return folder, tree, faults


def test_every_prefix_is_complete(line):
    folder, tree, faults = line
    assert faults == [], '\n'.join(faults)
    subjects = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert subjects == [p.message.partition('\n')[0] for p in SERIES.patches]
    assert set(git(folder, 'ls-files').split()) == set(tree)
    for path, text in tree.items():
        assert (folder / path).read_bytes() == text.encode('utf-8'), path


@pytest.mark.parametrize('patch', SERIES.patches, ids=lambda patch: patch.name)
def test_a_patch_can_be_reviewed(patch):
    path = ROOT / 'patches' / patch.file_name
    rows = git(ROOT, 'apply', '--numstat', path).splitlines()
    code = [row.split()[0] for row in rows if '\ttest/' not in row]
    assert sum(map(int, code)) < MAX_CODE_LINES


# -- injected faults ----------------------------------------------------------


def test_a_patch_that_is_left_out_is_missed(tmp_path):
    folder = tmp_path / 'tree'
    init_repo(folder, BASE)
    lost = 'gpu-add-masked_scatter'
    patches = [p for p in SERIES.patches if p.name != lost]
    faults = '\n'.join(f for p in patches for f in closure_faults(folder, p))
    header = 'paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h'
    assert f'includes {header}, which is not there' in faults


# (file, a line of it, the file that needs the line)
LINES = [
    (f'{SYMBOLIC}binary_infer_sym.h', 'SHAPE(IndexScatter_)', OP_FILES['op']),
    (f'{SYMBOLIC}masked_scatter_infer_sym.cc', 'MaskedScatter_Op', OP_FILES['op']),
    (f'{SYMBOLIC}index_reduce_infer_sym.cc', 'IndexReduce_Op', OP_FILES['op']),
    (f'{SPMD}rules.h', 'scatter_ops.h', f'{SPMD}scatter_ops.h'),
    (f'{SPMD}scatter_ops.h', 'MaskedFillInferSpmdReverse', f'{SPMD}rules.cc'),
    (f'{SPMD}rules.cc', '    select_scatter,', OP_FILES['op']),
    (f'{SPMD}rules.cc', 'IndexReduceGradI', OP_FILES['backward_op']),
    (f'{SPMD_TESTS}CMakeLists.txt', '(test_scatter_ops_rule',
     f'{SPMD_TESTS}test_scatter_ops_rule.py'),
]  # fmt: skip


def test_a_missing_line_in_a_file_of_paddle_is_found(line):
    folder = line[0]
    for path, text, dependent in LINES:
        good = (folder / path).read_text('utf-8')
        assert text in good
        (folder / path).write_text(good.replace(text, 'gone'))
        (fault,) = missing_in(folder, dependent)
        assert fault.startswith('needs `'), fault
        (folder / path).write_text(good)


def test_a_missing_import_is_found(line, known_undefined, tmp_path):
    path = tmp_path / 'module.py'
    text = (line[0] / PYTHON_FILE).read_text('utf-8')
    path.write_text(text.replace('import reprlib\n', ''), 'utf-8')
    assert undefined_names(path) - known_undefined == {'reprlib'}


def test_an_unused_name_is_found():
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
