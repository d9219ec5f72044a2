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

from scripts.series.manifest import SeriesError, load_series, matches
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
    insert_entry,
    split_namespace,
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


def test_new_files_equal_their_sources_byte_for_byte(series, replayed):
    repo, _ = replayed
    wanted = {
        upstream_path(s): (ROOT / s).read_bytes()
        for p in series.patches
        for s in p.sources
        if upstream_path(s)
    }
    assert wanted
    for path, data in wanted.items():
        assert (repo / path).read_bytes() == data, path
    added = git(repo, 'diff', '--name-only', '--diff-filter=A', 'HEAD~'
                f'{len(series.patches)}', 'HEAD')  # fmt: skip
    assert sorted(added.split()) == sorted(wanted)


def entry_names(path):
    text = path.read_text(encoding='utf-8')
    return re.findall(r'^- (?:op|backward_op) : (\w+)', text, re.MULTILINE)


@pytest.mark.parametrize('kind', sorted(OP_FILES))
def test_op_entries_stand_in_alphabetical_order_and_parse(
    series, replayed, kind
):
    repo, _ = replayed
    path = repo / OP_FILES[kind]
    names = entry_names(path)
    assert names == sorted(set(names))
    merged = {
        entry[kind]: entry
        for entry in yaml.safe_load(path.read_text(encoding='utf-8'))
    }
    ours = [
        entry
        for source in sources(series, 'ops_yaml/')
        for entry in yaml.safe_load((ROOT / source).read_text('utf-8'))
        if kind in entry
    ]
    assert ours
    for entry in ours:
        assert merged[entry[kind]] == entry


@pytest.mark.parametrize('suffix', sorted(INFERMETA_FILES))
def test_infermeta_text_stands_before_the_named_function(
    series, replayed, suffix
):
    repo, _ = replayed
    text = (repo / INFERMETA_FILES[suffix]).read_text(encoding='utf-8')
    files = [
        (source, patch.infermeta_before)
        for patch in series.patches
        for source in patch.sources
        if matches(source, f'kernels/infermeta/*{suffix}')
    ]
    assert files
    for source, following in files:
        head, found, _ = text.partition(f'void {following}(')
        assert found
        _, body = split_namespace((ROOT / source).read_text('utf-8'), source)
        assert '\n\n' + '\n'.join(body) + '\n\n' in head


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


def test_wheel_mode_gives_the_same_python(series, base, replayed, tmp_path):
    """`git apply -p2` of the Python hunks, as for site-packages."""
    repo, _ = replayed
    site = tmp_path / 'site'
    for path, info in series.wheel_files.items():
        if path.startswith('python/'):
            (site / info['path']).parent.mkdir(parents=True, exist_ok=True)
            (site / info['path']).write_bytes(base[path].encode('utf-8'))
    for name in listed_patches():
        if ' a/python/paddle/' in (PATCHES / name).read_text(encoding='utf-8'):
            git(site, 'apply', '-p2', '--include=paddle/*', PATCHES / name)
    for path, info in series.wheel_files.items():
        if path.startswith('python/'):
            data = (site / info['path']).read_bytes()
            assert data == (repo / path).read_bytes(), path


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
