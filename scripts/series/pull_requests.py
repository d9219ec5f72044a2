"""Each pull request alone: what its patches lean on is there before them.

A pull request is a list of patches of scripts/series/series.yaml. Here its tree is made
with git am from what is known of the base, and after each patch every include of
ours, every module that a test imports and every name that a Python function
reads has to be found.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scripts.series.patch_repo import git, init_repo
from scripts.series.patch_series import SeriesError, read_patch
from scripts.series.python_hunks import missing_names
from scripts.series.tree_edits import PYTHON_FILE

INCLUDE = re.compile(r'(?m)^ *# *include "(paddle/[^"]+)"')
TEST_IMPORT = re.compile(r'(?m)^(?:from|import) (\w+)')
TESTS = 'test/legacy_test/'
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
        for header in INCLUDE.findall((folder / path).read_text('utf-8')):
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
        if not path.startswith(TESTS):
            continue
        text = (folder / path).read_text('utf-8')
        for module in TEST_IMPORT.findall(text):
            ours = re.search(r'(scatter|masked|index)_', module)
            if ours and not (folder / TESTS / f'{module}.py').is_file():
                yield f'{path} imports {module}, which is not there'


def _missing_python_names(folder, touched):
    if PYTHON_FILE in touched:
        text = (folder / PYTHON_FILE).read_text('utf-8')
        for name in missing_names(text):
            yield f'{PurePosixPath(PYTHON_FILE).name} reads {name}: not defined'


def order_faults(series, names, base, folder, patches):
    """'' or why the pull requests do not apply in this order."""
    init_repo(folder, base, series.author)
    try:
        apply_lists(series, names, folder, patches)
    except SeriesError as error:
        return [f'{", ".join(names)}: {fault}' for fault in error.faults]
    return []
