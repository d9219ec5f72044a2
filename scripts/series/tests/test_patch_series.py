"""Every prefix of the patch series is self-contained.

The patches are applied by git am to the known part of the base. After each,
every include, every name that a Python function reads and every SPMD rule has
to exist. After each pull request, every top-level function, type and constant
of a new C++ file or of python_api/ has to occur more often than it is defined,
except in headers that operators share: maintainers don't merge unused code.
Injected faults test each check.
"""

import ast
import re
import sysconfig
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from scripts.common.files import PADDLE_INCLUDE
from scripts.common.programs import run
from scripts.series.manifest import OP_FILES, PYTHON_FILE, RULES, load_series
from scripts.series.patch_repo import commit, git, init_repo, write_tree
from scripts.series.tree_edits import SPMD_TESTS, apply_patch
from scripts.series.upstream_tree import make_base_tree

ROOT = Path(__file__).resolve().parents[3]
SERIES = load_series(ROOT)
BASE = make_base_tree(SERIES)
# From 1000 added lines on, upstream requires named approvers.
MAX_CODE_LINES = 1000
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
SHARED = r'funcs/scatter_ops/(shared/|cpu/parallel\.h|gpu/device)|/out_like_x'
# The wheel does not ship it; versions before and after the base have it.
BASE_INCLUDES = {'paddle/phi/kernels/funcs/common_shape.h'}
CPP = ('.h', '.cc', '.cu')
# The name of a function, whose return type starts the line; a type; an alias; a
# constant; a macro.
DEFINITION = re.compile(
    r'(?m)^\w[\w:<>, *&]*[ *&]([A-Z]\w+)\('
    r'|^(?:class|struct|enum class|union) (?:\w+\((?:[^)]*)\) )?(\w+)'
    r'|^using (\w+) ='
    r'|^(?:inline |static )?constexpr [\w:]+ (k\w+)'
    r'|^#define (\w+)'
)
# Functions that Paddle's generated code calls; kernels occur in their
# registration.
CALLEES = re.compile(r'\w+(InferSymbolicShape|InferMeta|InferSpmdReverse)$')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
INSTANTIATION = (
    r'PD_KERNEL_INSTANTIATION\(phi::%s,\s*CPU,\s*phi::CPUContext,\s*'
    r'FUNCTION_KERNEL_INSTANTIATION,([^)]*)\);'
)
TYPES = (ROOT / 'kernels/funcs/scatter_ops/shared/types.h').read_text('utf-8')
ALL_DTYPES = re.search(r'SCATTER_OPS_ALL_DTYPES((?:.*\\\n)*.*)', TYPES)[1]
# As nm demangles them.
CPP_NAMES = {
    'int8_t': 'signed char', 'uint8_t': 'unsigned char', 'int16_t': 'short',
    'int64_t': 'long',
}  # fmt: skip
RUFF = (
    Path(sysconfig.get_paths()['scripts'], 'ruff'), 'check', '--isolated',
    '--no-cache', '--select', 'F821', '--output-format', 'concise',
)  # fmt: skip


def find_missing(folder, path):
    """Yield what a file needs and the tree does not have."""
    text = (folder / path).read_text('utf-8')
    if path.endswith(CPP):
        tops = (folder, PADDLE_INCLUDE)
        for header in set(INCLUDED.findall(text)) - BASE_INCLUDES:
            if not any((top / header).is_file() for top in tops):
                yield f'includes {header}, which does not exist'
    if path in OP_FILES.values():
        registered = (folder / RULES).read_text('utf-8')
        for rule in re.findall(r'spmd_rule : (\w+)', text):
            if f'({rule})' not in registered.replace('phi::distributed::', ''):
                yield f'has {rule}, which is not registered'
    if path.startswith(f'{SPMD_TESTS}test_'):
        tests = (folder / SPMD_TESTS / 'CMakeLists.txt').read_text('utf-8')
        if f' MODULES {PurePosixPath(path).stem})' not in tests:
            yield 'is not run by CMakeLists.txt'
    if path == PYTHON_FILE:
        known = find_undefined_names(BASE[PYTHON_FILE])
        yield from (f'reads {x}' for x in find_undefined_names(text) - known)


def find_undefined_names(text):
    """Return the undefined names that a Python module reads."""
    output = run(*RUFF, '-', input=text).stdout
    return set(re.findall(r'F821 Undefined name `(\w+)`', output))


def list_definitions(path, text):
    """Return the names that a file defines, except the APIs of Python."""
    if path.endswith(CPP):
        return [''.join(groups) for groups in DEFINITION.findall(text)]
    names = [getattr(node, 'name', '') for node in ast.parse(text).body]
    return [name for name in names if name.startswith('_')]


def find_unused(folder, shared):
    """Return the names that new code, except `shared` files, never uses."""
    names, words = Counter(), Counter()
    for path in git(folder, 'diff', '--name-only', 'base').splitlines():
        text = (folder / path).read_text('utf-8')
        if path.startswith('test/'):
            continue
        if path.endswith(CPP):
            text = COMMENT.sub('', text)
        elif path.endswith('.py'):
            text = ast.unparse(ast.parse(text))  # without comments
        words.update(re.findall(r'\w+', text))
        if path == PYTHON_FILE or not (path in BASE or shared.search(path)):
            names.update(list_definitions(path, text))
    return sorted(
        name
        for name in names
        if words[name] <= names[name] and not CALLEES.match(name)
    )


@pytest.fixture(scope='module')
def series(tmp_path_factory):
    """Return (repository with the whole series, expected tree, faults)."""
    folder, tree = tmp_path_factory.mktemp('series') / 'tree', dict(BASE)
    init_repo(folder, BASE)
    faults = []
    for name, patches in SERIES.pull_requests.items():
        for patch in patches:
            path = ROOT / 'patches' / patch.file_name
            git(folder, 'am', '-q', '--keep-non-patch', path)
            apply_patch(tree, patch, ROOT)
            for path in git(folder, 'diff', '--name-only', 'HEAD~').split():
                missing = find_missing(folder, path)
                faults += [f'{patch.name}: {path} {x}' for x in missing]
        # The first operator that needs a shared header adds all of it.
        shared = 'a^' if patch is SERIES.patches[-1] else SHARED
        names = find_unused(folder, re.compile(shared))
        faults += [f'{name}: {word} is unused' for word in names]
    return folder, tree, faults


def test_every_prefix_is_self_contained(series):
    folder, tree, faults = series
    assert faults == [], '\n'.join(faults)
    subjects = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert subjects == [p.message.partition('\n')[0] for p in SERIES.patches]
    assert set(git(folder, 'ls-files').split()) == set(tree)
    for path, text in tree.items():
        assert (folder / path).read_bytes() == text.encode('utf-8'), path


@pytest.mark.parametrize('patch', SERIES.patches, ids=lambda patch: patch.name)
def test_patch_adds_fewer_lines_than_need_an_approver(patch):
    path = ROOT / 'patches' / patch.file_name
    rows = git(ROOT, 'apply', '--numstat', path).splitlines()
    code = [row.split()[0] for row in rows if '\ttest/' not in row]
    assert sum(map(int, code)) < MAX_CODE_LINES


def find_lost_kernels(edits, symbols):
    """Return the released kernels that are replaced and not instantiated.

    Custom operators may call them, since the headers of kernels ship.
    """
    added = '\n'.join(re.findall(r'(?m)^\+(.*)', edits))
    lost = []
    for name in re.findall(r'(?m)^-.*\bphi::(\w+Kernel)\b', edits):
        macro = re.search(INSTANTIATION % name, added)
        types = macro[1] if macro else ''
        types = types.replace('SCATTER_OPS_ALL_DTYPES', ALL_DTYPES)
        kept = {CPP_NAMES.get(x, x) for x in re.findall(r'[\w:<>]+', types)}
        pattern = rf'\bphi::{name}<([^(]*), phi::CPUContext>\('
        released = set(re.findall(pattern, symbols)) or {'no symbol'}
        lost += [f'{name}<{dtype}>' for dtype in sorted(released - kept)]
    return lost


def test_replaced_kernels_stay_instantiated():
    library = PADDLE_INCLUDE.parent / 'libs/libphi_core.so'
    symbols = run('nm', '-DC', '--defined-only', library).stdout
    paths = sorted(ROOT.glob('patches/*.patch'))
    edits = '\n'.join(path.read_text('utf-8') for path in paths)
    assert find_lost_kernels(edits, symbols) == []
    renamed = edits.replace('INSTANTIATION(phi::MaskedFillGrad', 'Other(')
    assert 'MaskedFillGradKernel<bool>' in find_lost_kernels(renamed, symbols)
    shorter = edits.replace('+                        double,\n', '')
    assert 'ScatterKernel<double>' in find_lost_kernels(shorter, symbols)


# -- injected faults ----------------------------------------------------------

# (changed file, text in it, its replacement, checked file, fault)
FAULTS = [
    ('paddle/phi/kernels/gpu/masked_scatter_kernel.cu', 'gpu/masked_scatter.cu.h',
     'gpu/later.cu.h', '', 'gpu/later.cu.h, which does not exist'),
    (OP_FILES['backward_op'], ' IndexReduceGradInferSpmd', ' LaterInferSpmd',
     '', 'LaterInferSpmd, which is not registered'),
    (f'{SPMD_TESTS}CMakeLists.txt', 'test_scatter_ops_rule)', 'test_later)',
     f'{SPMD_TESTS}test_scatter_ops_rule.py', 'not run by CMakeLists.txt'),
    (PYTHON_FILE, 'import reprlib\n', '', '', 'reads reprlib'),
]  # fmt: skip


@pytest.mark.parametrize(('path', 'old', 'new', 'checked', 'fault'), FAULTS)
def test_find_missing_reports(series, path, old, new, checked, fault):
    folder = series[0]
    original = (folder / path).read_text('utf-8')
    assert old in original
    write_tree(folder, {path: original.replace(old, new)})
    (missing,) = find_missing(folder, checked or path)
    assert fault in missing
    write_tree(folder, {path: original})


def test_find_unused_reports_unused_names(tmp_path):
    init_repo(tmp_path / 'tree', {'base.txt': ''})
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
    python = (
        'def _a():\n  _b()\n\n\ndef _b():\n  pass\n\n\ndef api():\n  pass\n'
    )
    write_tree(tmp_path / 'tree', {'a.h': text, PYTHON_FILE: python})
    commit(tmp_path / 'tree', 'Add', 'me <me@localhost>', '2000-01-02')
    names = ['Alias', 'Inline', 'Template', 'Twice', 'Type', '_a', 'kConstant']
    assert find_unused(tmp_path / 'tree', re.compile('a^')) == names
