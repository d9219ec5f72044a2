"""Replays patches/ with git am and compares the result with the sources.

The tree is made of the wheel's own files and, for files that it does not ship, of
the recorded context lines.
"""

import ast
import os
import re
from pathlib import Path

import pytest
import yaml

from scripts.series.manifest import SeriesError, load_series
from scripts.series.patch_repo import (
    commit,
    git,
    init_repo,
    last_patch,
    tidy,
    write_tree,
)
from scripts.series.tree_edits import (
    INFERMETA_FILES,
    OP_FILES,
    PYTHON_FILE,
    apply_patch,
    insert_entry,
    upstream_path,
)
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[3]
PATCHES = ROOT / 'patches'
IDENTITY = {
    'GIT_COMMITTER_NAME': 'replay',
    'GIT_COMMITTER_EMAIL': 'replay@localhost',
}


@pytest.fixture(scope='module')
def series():
    return load_series(ROOT)


@pytest.fixture(scope='module')
def base(series):
    return base_tree(series, wheel_dirs(ROOT, os.environ.get('PADDLE_SITE')))


def listed_patches():
    return (PATCHES / 'series').read_text(encoding='utf-8').split()


def am(repo, name):
    git(repo, 'am', '-q', str(PATCHES / name), env=IDENTITY)


@pytest.fixture(scope='module')
def replayed(series, base, tmp_path_factory):
    """Folder of the patched tree; each step's Python is kept in `steps`."""
    repo = tmp_path_factory.mktemp('replay') / 'paddle'
    init_repo(repo, base, series.author)
    steps = {}
    for name in listed_patches():
        am(repo, name)
        steps[name] = {
            path: (repo / path).read_text(encoding='utf-8')
            for path in git(repo, 'ls-files', '*.py').split()
        }
    return repo, steps


def sources(series, top):
    found = [s for p in series.patches for s in p.sources if s.startswith(top)]
    assert found, f'no source below {top}'
    return found


def test_series_lists_the_patches_of_the_manifest(series):
    assert listed_patches() == [p.file_name for p in series.patches]


def test_git_am_gives_the_tree_that_the_exporter_made(series, base, replayed):
    repo, _ = replayed
    tree = dict(base)
    for patch in series.patches:
        apply_patch(tree, patch, ROOT)
    for path, text in tree.items():
        assert (repo / path).read_bytes() == text.encode('utf-8'), path
    assert set(git(repo, 'ls-files').split()) == set(tree)


def test_new_files_are_their_sources(series, replayed):
    repo, _ = replayed
    for patch in series.patches:
        for source in patch.sources:
            path = upstream_path(source)
            if path:
                text = (ROOT / source).read_bytes()
                assert (repo / path).read_bytes() == text, path


def functions(text):
    """{name: dumps of its definitions} of a module's top level."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found


def test_python_functions_are_ours_and_the_others_are_untouched(
    series, base, replayed
):
    repo, _ = replayed
    before = functions(base[PYTHON_FILE])
    after = functions((repo / PYTHON_FILE).read_text(encoding='utf-8'))
    ours = {}
    for source in sources(series, 'python_api/'):
        ours |= functions((ROOT / source).read_text(encoding='utf-8'))
    for name, dumps in ours.items():
        assert after[name] == dumps, name
    assert {n: d for n, d in after.items() if n not in ours} == {
        n: d for n, d in before.items() if n not in ours
    }


def test_every_step_leaves_python_that_compiles(replayed):
    _, steps = replayed
    assert list(steps) == listed_patches()
    for name, files in steps.items():
        assert PYTHON_FILE in files
        for path, text in files.items():
            compile(text, f'{name}: {path}', 'exec', dont_inherit=True)


def test_every_recorded_place_takes_an_entry(series, base, tmp_path):
    """The places of coming operators are usable, not only those in use."""
    repo = tmp_path / 'tree'
    init_repo(repo, base, series.author)
    places = [
        (kind, path, place.split()[1])
        for kind, path in OP_FILES.items()
        for place in series.recorded_files[path]
    ]
    assert places
    tree = dict(base)
    for kind, path, entry in places:
        old, name = dict(tree), f'{entry}_zz'
        block = [f'- {kind} : {name}', '  args : (Tensor x)']
        tree[path] = insert_entry(tree[path], path, kind, name, block)
        write_tree(repo, tree, old)
        commit(repo, name, series.author, '2026-01-01')
        patch = tidy(last_patch(repo), series.recorded_files)
        assert f'\n+- {kind} : {name}\n+  args : (Tensor x)\n' in patch
    for kind, path in OP_FILES.items():
        names = [entry[kind] for entry in yaml.safe_load(tree[path])]
        assert names == sorted(set(names))


def changed_context(base):
    """Base trees in which one line that a hunk leans on is another."""
    for path in (OP_FILES['op'], INFERMETA_FILES['.cc'], PYTHON_FILE):
        lines = base[path].split('\n')
        marks = ('- op : masked_select', 'void SendURecvInferMeta(',
                 'def masked_scatter(')  # fmt: skip
        spot = next(i for i, t in enumerate(lines) if t.startswith(marks))
        lines[spot] += '  // moved'
        yield path, {**base, path: '\n'.join(lines)}


def test_a_changed_context_line_stops_the_replay(series, base, tmp_path):
    for number, (path, tree) in enumerate(changed_context(base)):
        repo = tmp_path / str(number)
        init_repo(repo, tree, series.author)
        with pytest.raises(SeriesError, match=re.escape(path)):
            for name in listed_patches():
                am(repo, name)
