"""Each pull request applies, finds what it leans on and compiles by itself.

The patches are applied with git am to what is known of the base, and after each
of them every include of ours, every module that a test imports and every name
that a Python function reads has to be found. Planted faults show that each check
finds what it is for.
"""

import dataclasses
import os
import re
from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series import check_intree_compile, export_patches
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import SeriesError, read_patch
from scripts.series.python_hunks import missing_names
from scripts.series.tests.glog_headers import needs_glog
from scripts.series.tests.series_samples import (
    make_series,
    write_files,
    write_project,
)
from scripts.series.tree_edits import PYTHON_FILE
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[3]
PATCHES = ROOT / 'patches'
INCLUDE = default_include(ROOT)
SERIES = load_series(ROOT)
NAMES = SERIES.pull_requests
ORDERS = {
    'as listed': NAMES,
    'backwards': NAMES[::-1],
    'odd ones first': NAMES[1::2] + NAMES[::2],
}
INCLUDED = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
TEST_IMPORT = re.compile(r'(?m)^(?:from|import) (\w+)')
PADDLES_TESTS = 'test/legacy_test/'
CPP = ('.h', '.cc', '.cu')
# Not in the wheel, but read in versions before and after the base.
BASE_INCLUDES = ('paddle/phi/kernels/funcs/common_shape.h',)
IDENTITY = {
    'GIT_COMMITTER_NAME': 'replay',
    'GIT_COMMITTER_EMAIL': 'replay@localhost',
}


def apply(folder, patch, patches):
    """git am; returns the patch with the paths that it touches."""
    path = (patches / patch.file_name).resolve()
    git(folder, 'am', '-q', '--keep-non-patch', str(path), env=IDENTITY)
    return read_patch(path)


def apply_lists(series, names, folder, patches):
    """Applies pull requests in the order of `names`, each patch once."""
    done = []
    for name in names:
        for patch in series.pull_request(name):
            if patch not in done:
                apply(folder, patch, patches)
                done.append(patch)
    return done


def closure_faults(series, name, folder, patches, include):
    """Applies one pull request, and says what is missing after each patch."""
    faults = []
    for patch in series.pull_request(name):
        touched = apply(folder, patch, patches).touched
        found = [
            *_missing_includes(folder, touched, include),
            *_missing_test_modules(folder, touched),
            *_missing_python_names(folder, touched),
        ]
        faults += [f'{name}: {patch.file_name}: {fault}' for fault in found]
    return faults


def _missing_includes(folder, touched, include):
    """Headers of Paddle's form that neither tree nor wheel have."""
    for path in touched:
        if not path.endswith(CPP):
            continue
        for header in INCLUDED.findall((folder / path).read_text('utf-8')):
            known = (
                (folder / header).is_file()
                or (include / header).is_file()
                or header in BASE_INCLUDES
            )
            if not known:
                yield f'{path} includes {header}, which is not there'


def _missing_test_modules(folder, touched):
    """Helpers of tests by the names that ours have."""
    for path in touched:
        if not path.startswith(PADDLES_TESTS):
            continue
        text = (folder / path).read_text('utf-8')
        for module in TEST_IMPORT.findall(text):
            ours = re.search(r'(scatter|masked|index)_', module)
            if ours and not (folder / PADDLES_TESTS / f'{module}.py').is_file():
                yield f'{path} imports {module}, which is not there'


def _missing_python_names(folder, touched):
    if PYTHON_FILE in touched:
        text = (folder / PYTHON_FILE).read_text('utf-8')
        for name in sorted(missing_names(text)):
            yield f'{Path(PYTHON_FILE).name} reads {name}: not defined'


def order_faults(series, names, base, folder, patches):
    """'' or why the pull requests do not apply in this order."""
    init_repo(folder, base, series.author)
    try:
        apply_lists(series, names, folder, patches)
    except SeriesError as error:
        return [f'{", ".join(names)}: {fault}' for fault in error.faults]
    return []


@pytest.fixture(scope='module')
def base():
    return base_tree(SERIES, wheel_dirs(ROOT, os.environ.get('PADDLE_SITE')))


def make_base(folder, base):
    """A repository of the known part of the base."""
    init_repo(folder, base, SERIES.author)
    return folder


@pytest.mark.parametrize('name', NAMES)
def test_pull_request_alone_finds_what_it_leans_on(base, name, tmp_path):
    folder = make_base(tmp_path / 'tree', base)
    assert closure_faults(SERIES, name, folder, PATCHES, INCLUDE) == []


def test_pull_requests_apply_in_any_order_to_one_tree(base, tmp_path):
    trees = {}
    for number, names in enumerate(ORDERS.values()):
        folder = make_base(tmp_path / str(number), base)
        done = apply_lists(SERIES, names, folder, PATCHES)
        assert len(done) == len(SERIES.patches)
        trees[git(folder, 'rev-parse', 'HEAD^{tree}')] = names
    assert len(trees) == 1, trees


def test_titles_are_kept_by_git_am(base, tmp_path):
    folder = make_base(tmp_path / 'tree', base)
    apply_lists(SERIES, NAMES[:1], folder, PATCHES)
    titles = git(folder, 'log', '--format=%s', '--reverse').splitlines()[1:]
    assert titles == [p.subject for p in SERIES.pull_request(NAMES[0])]


@needs_glog
def test_patches_of_each_pull_request_compile_alone(capsys):
    status = check_intree_compile.main(['--each-alone'])
    output = capsys.readouterr()
    assert status == 0, output.err


# -- planted faults -----------------------------------------------------------


def without(name, lost):
    """The series with a patch left out of one pull request."""
    patches = [
        p
        if p.name != lost
        else dataclasses.replace(
            p, pull_requests=[n for n in p.pull_requests if n != name]
        )
        for p in SERIES.patches
    ]
    return dataclasses.replace(SERIES, patches=patches)


@pytest.mark.parametrize(
    ('name', 'lost', 'message'),
    [
        (
            'masked_scatter',
            'gpu-add-mask_op_funcs',
            'masked_scatter_kernel.cu includes '
            'paddle/phi/kernels/funcs/scatter_ops/gpu/masked_fill.cu.h, '
            'which is not there',
        ),
        (
            'masked_fill',
            'test-add-scatter_test_utils',
            'test_masked_fill_kernel.py imports scatter_op_utils',
        ),
        (
            'scatter',
            'gpu-add-index_groups',
            'includes paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/'
            'groups.cu.h',
        ),
    ],
)
def test_a_patch_that_is_left_out_is_missed(
    base, tmp_path, name, lost, message
):
    folder = make_base(tmp_path / 'tree', base)
    series = without(name, lost)
    faults = closure_faults(series, name, folder, PATCHES, INCLUDE)
    assert any(message in fault for fault in faults), faults


def test_a_name_that_no_one_defines_is_missed():
    text = 'import math\n\n\ndef f(x):\n    return math.pi * _scale(x)\n'
    assert missing_names(text) == {'_scale'}
    assert missing_names(f'{text}\n\ndef _scale(x):\n    return x\n') == set()


def test_functions_put_at_one_place_do_not_apply_in_any_order(base, tmp_path):
    patches = [
        dataclasses.replace(p, infermeta_before='SendURecvInferMeta')
        for p in SERIES.patches
    ]
    series = dataclasses.replace(SERIES, patches=patches)
    dirs = wheel_dirs(ROOT, os.environ.get('PADDLE_SITE'))
    files = export_patches.make_files(series, ROOT, dirs)
    write_files(tmp_path, files)
    names = ['select_scatter', 'masked_scatter']
    (fault,) = order_faults(series, names, base, tmp_path / 'tree', tmp_path)
    assert 'patch failed: paddle/phi/infermeta/ternary' in fault


def test_header_of_another_pull_request_does_not_compile(tmp_path):
    series = make_series()
    shared, fill = series['patches']
    for patch in (shared, fill):
        patch['pull_requests'] = ['whole', 'fill']
    later = {**shared, 'name': 'phi-add-later', 'edits': {}}
    later['pull_requests'] = ['whole']
    later['files'] = ['kernels/funcs/later.h']
    series['patches'] = [shared, later, fill]
    write_project(tmp_path, series)
    kernel = '#include "paddle/phi/kernels/funcs/later.h"\n'
    header = (
        '#pragma once\n#define PADDLE_API\n'
        'namespace phi { class MetaTensor {}; }\n'
    )
    write_files(
        tmp_path,
        {
            'kernels/funcs/later.h': '// later\n',
            'kernels/cpu/fill_kernel.cc': kernel,
            'include/paddle/phi/core/meta_tensor.h': header,
        },
    )
    assert export_patches.main(['--root', str(tmp_path)]) == 0
    where = (tmp_path, None, tmp_path / 'include')
    assert check_intree_compile.check(*where)[0] == []
    (fault,) = check_intree_compile.check(*where, each_alone=True)[0]
    assert fault.startswith('fill: paddle/phi/kernels/cpu/fill_kernel.cc')
    assert 'funcs/later.h: No such file' in fault
