"""Every prefix of the patch series is self-contained.

The patches are applied by git am to the known part of the base. After each,
every include, every name that a Python function reads and every line that a
file needs in Paddle's files has to exist. After each pull request, every
top-level function, type and constant of a new C++ file or of python_api/ has to
occur more often than it is defined, except in headers that operators share:
maintainers don't merge unused code. Injected faults test each check.
"""

import ast
import re
import sysconfig
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from scripts.common.programs import run
from scripts.common.wheel_headers import find_include
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.tree_edits import (
    OP_FILES,
    PYTHON_FILE,
    SPMD,
    SPMD_TESTS,
    SYMBOLIC,
    apply_patch,
    read_source,
)
from scripts.series.upstream_tree import find_site_packages, make_base_tree

ROOT = Path(__file__).resolve().parents[3]
HEADERS = find_include(ROOT)
SERIES = load_series(ROOT)
BASE = make_base_tree(SERIES, find_site_packages(ROOT))
# From 1000 added lines on, upstream requires named approvers.
MAX_CODE_LINES = 1000
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
SHARED = r'funcs/scatter_ops/(shared/|cpu/parallel\.h|gpu/device)|/out_like_x'
# The wheel does not ship it; versions before and after the base have it.
BASE_INCLUDES = {'paddle/phi/kernels/funcs/common_shape.h'}
# An entry up to its interfaces or its SPMD rule.
ENTRY = r'(?m)^- (?:op|backward_op) : (\w+)((?:\n  .*)*?\n *%s)'
SYMBOLIC_OP = re.compile(ENTRY % 'interfaces : .*InferSymbolicShape')
SPMD_OP = re.compile(ENTRY % r'spmd_rule : (\w+)')
CPP = ('.h', '.cc', '.cu')
# The name of a function, whose return type starts the line; a type; an alias; a
# constant; a macro.
DEFINITION = re.compile(
    r'^(?=\w)(?:(?:inline|static|constexpr|__global__|__device__|__host__'
    r'|HOSTDEVICE|PADDLE_API|[A-Z_]+_TARGET|[A-Z_]+_INLINE) )*'
    r'(?!return|using|namespace|typedef|else|case|class|struct|enum|template)'
    r'[\w:<>, \*&]+[ \*&]([A-Z]\w+)\('
    r'|^(?:class|struct|enum class|union) (?:\w+\((?:[^)]*)\) )?(\w+)'
    r'|^using (\w+) ='
    r'|^(?:inline |static )?constexpr [\w:]+ (k\w+)'
    r'|^#define (\w+)',
    re.MULTILINE,
)
# Functions that Paddle's generated code calls; kernels occur in their
# registration.
CALLEES = re.compile(r'\w+(InferSymbolicShape|InferMeta|InferSpmdReverse)$')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
RUFF = (
    Path(sysconfig.get_paths()['scripts'], 'ruff'), 'check', '--isolated',
    '--no-cache', '--select', 'F821', '--output-format', 'concise',
)  # fmt: skip


def find_undefined_names(path):
    """Return the undefined names that a Python module reads."""
    output = run(*RUFF, path).stdout
    return set(re.findall(r'F821 Undefined name `(\w+)`', output))


@pytest.fixture(scope='module')
def known_undefined(tmp_path_factory):
    path = tmp_path_factory.mktemp('base') / 'module.py'
    path.write_text(BASE[PYTHON_FILE], 'utf-8')
    return find_undefined_names(path)


def apply_and_check(folder, patch):
    """Apply a patch; return the faults of the files that it changes."""
    path = ROOT / 'patches' / patch.file_name
    git(folder, 'am', '-q', '--keep-non-patch', path)
    return [
        f'{path.name}: {touched} {fault}'
        for touched in list_changed_files(folder, 1)
        for fault in find_missing(folder, touched)
    ]


def list_changed_files(folder, count):
    """List the files that the last `count` patches change."""
    return git(folder, 'diff', '--name-only', f'HEAD~{count}').splitlines()


def find_missing(folder, path):
    """Yield the missing includes and lines that a file needs."""
    text = (folder / path).read_text('utf-8')
    if path.endswith(CPP):
        for header in set(INCLUDED.findall(text)) - BASE_INCLUDES:
            if not any((top / header).is_file() for top in (folder, HEADERS)):
                yield f'includes {header}, which does not exist'
    for pattern, line in list_needed_lines(path, text):
        if not any(line in p.read_text('utf-8') for p in folder.glob(pattern)):
            yield f'needs `{" ".join(line.split())}` in {pattern}'


def list_needed_lines(path, text):
    """Yield (glob of Paddle's files, text that one of them has to contain)."""
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
            camel = ''.join(map(str.capitalize, name.split('_')))
            for form in [camel, f'{camel}_'][: 1 + ('\n  inplace :' in keys)]:
                declaration = f'\nOP_DECLARE_INFER_SYMBOLIC_SHAPE({form})\n'
                yield f'{SYMBOLIC}*', declaration
                yield f'{SYMBOLIC}*', f'\nbool {form}OpInferSymbolicShape('


def find_unused_after(folder, patches, shared):
    """Return unused names of new code, except tests and `shared` files."""
    texts = {
        path: (folder / path).read_text('utf-8')
        for path in list_changed_files(folder, len(patches))
        if not path.startswith('test/') and path != PYTHON_FILE
    }
    callers = [path for path in texts if path in BASE]
    if shared:
        callers += [path for path in texts if re.search(shared, path)]
    caller_text = '\n'.join(texts.pop(path) for path in callers)
    for source in (x for patch in patches for x in patch.api_sources):
        text = read_source(ROOT, source, patches[-1].later)
        texts[source] = ast.unparse(ast.parse(text))  # without comments
    return find_unused(texts, caller_text)


def list_definitions(path, text):
    """Return the names that a file defines, except the APIs of Python."""
    if path.endswith(CPP):
        return [''.join(groups) for groups in DEFINITION.findall(text)]
    names = [getattr(node, 'name', '') for node in ast.parse(text).body]
    return [name for name in names if name.startswith('_')]


def find_unused(texts, callers=''):
    """Return the names that `texts`, {path: text}, and `callers` never use."""
    code = {
        path: COMMENT.sub('', text) if path.endswith(CPP) else text
        for path, text in texts.items()
    }
    names = Counter(n for x in code.items() for n in list_definitions(*x))
    words = Counter(re.findall(r'\w+', '\n'.join([*code.values(), callers])))
    return sorted(
        name
        for name in names
        if words[name] <= names[name] and not CALLEES.match(name)
    )


@pytest.fixture(scope='module')
def series(known_undefined, tmp_path_factory):
    """Return (repository with the whole series, expected tree, faults)."""
    folder, tree = tmp_path_factory.mktemp('series') / 'tree', dict(BASE)
    init_repo(folder, BASE)
    faults, prefix = [], []
    for name, patches in SERIES.pull_requests.items():
        for patch in patches:
            faults += apply_and_check(folder, patch)
            apply_patch(tree, patch, ROOT)
            prefix.append(patch)
            names = find_undefined_names(folder / PYTHON_FILE) - known_undefined
            faults += [f'{patch.name}: undefined {name}' for name in names]
        # The first operator that needs a shared header adds all of it.
        shared = '' if prefix == SERIES.patches else SHARED
        names = find_unused_after(folder, prefix, shared)
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


# -- injected faults ----------------------------------------------------------


def test_apply_and_check_reports_omitted_patch(tmp_path):
    folder = tmp_path / 'tree'
    init_repo(folder, BASE)
    omitted = 'gpu-add-masked_scatter'
    patches = [p for p in SERIES.patches if p.name != omitted]
    faults = '\n'.join(f for p in patches for f in apply_and_check(folder, p))
    header = 'paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h'
    assert f'includes {header}, which does not exist' in faults


# (file, part of a line in it, file that needs the line)
NEEDED_LINES = [
    (f'{SYMBOLIC}binary_infer_sym.h', 'SHAPE(IndexScatter_)', OP_FILES['op']),
    (f'{SYMBOLIC}masked_scatter_infer_sym.cc', 'Scatter_Op', OP_FILES['op']),
    (f'{SYMBOLIC}index_reduce_infer_sym.cc', 'IndexReduce_Op', OP_FILES['op']),
    (f'{SPMD}rules.h', 'scatter_ops.h', f'{SPMD}scatter_ops.h'),
    (f'{SPMD}scatter_ops.h', 'MaskedFillInferSpmdReverse', f'{SPMD}rules.cc'),
    (f'{SPMD}rules.cc', '    select_scatter,', OP_FILES['op']),
    (f'{SPMD}rules.cc', 'IndexReduceGradI', OP_FILES['backward_op']),
    (f'{SPMD_TESTS}CMakeLists.txt', '(test_scatter_ops_rule',
     f'{SPMD_TESTS}test_scatter_ops_rule.py'),
]  # fmt: skip


def test_find_missing_reports_lines_of_paddle_files(series):
    folder = series[0]
    for path, text, dependent in NEEDED_LINES:
        original = (folder / path).read_text('utf-8')
        assert text in original
        (folder / path).write_text(original.replace(text, 'gone'))
        (fault,) = find_missing(folder, dependent)
        assert fault.startswith('needs `'), fault
        (folder / path).write_text(original)


def test_missing_import_is_undefined(series, known_undefined, tmp_path):
    path = tmp_path / 'module.py'
    text = (series[0] / PYTHON_FILE).read_text('utf-8')
    path.write_text(text.replace('import reprlib\n', ''), 'utf-8')
    assert find_undefined_names(path) - known_undefined == {'reprlib'}


def test_find_unused_reports_unused_names():
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
    names = ['Alias', 'Inline', 'Template', 'Twice', 'Type', 'kConstant']
    assert find_unused({'a.h': text}) == names
    text = 'def _a():\n  pass\n\n\ndef _b():\n  _a()\n\n\ndef api():\n  pass\n'
    assert find_unused({'ours.py': text}) == ['_b']
