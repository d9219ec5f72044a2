"""Text changes that put one patch's sources into an upstream tree."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import (
    SeriesError,
    refuse,
    replace_lines,
    sides,
    split_hunks,
)
from scripts.series.python_hunks import merge_functions
from scripts.series.spmd_rules import ENTRY, OP_FILES
from scripts.series.upstream_tree import MARKER

PYTHON_FILE = 'python/paddle/tensor/manipulation.py'
INFERMETA_FILES = {
    '.h': 'paddle/phi/infermeta/ternary.h',
    '.cc': 'paddle/phi/infermeta/ternary.cc',
}
# The definitions of the base before which the series puts its own.
NEXT_INFERMETA = re.compile(r'(PADDLE_API )?void SendURecvInferMeta\(')
NEXT_FUNCTION = 'scatter'
SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
# Where sources become new files: the first that fits. None: merged into a file.
PLACES = {
    r'kernels/infer_symbolic_shape/': SYMBOLIC,
    r'kernels/infermeta/spmd_rules/': SPMD,
    r'kernels/infermeta/': None,
    r'kernels/': 'paddle/phi/kernels/',
    r'unittests/(?=test_\w+_rule\.py)': SPMD_TESTS,
    r'unittests/': 'test/legacy_test/',
}


def apply_patch(tree, patch, root):
    """Changes `tree` ({path: text}) as the patch says; returns nothing."""
    # Functions last, in the order in which the patch names them.
    apis = patch.api_sources
    sources = [s for s in patch.sources if s not in apis] + apis
    ours = changed_sources(patch)
    try:
        for path in patch.edits.keys() - ours:
            apply_hunks(tree, path, patch.edits[path])
        for source in [*ours, *sources]:
            if source in ours and upstream_path(source) not in tree:
                raise SeriesError(f'{source}: no earlier patch adds it')
            _add_source(tree, source, root, patch)
    except SeriesError as error:
        refuse(f'{patch.name}: {fault}' for fault in error.faults)


def patch_python(tree, series, root):
    """The Python files of `tree` as all patches leave them."""
    tree = dict(tree)
    for patch in series.patches:
        edits = {p: text for p, text in patch.edits.items() if p in tree}
        part = replace(patch, edits=edits, sources=patch.api_sources)
        apply_patch(tree, part, root)
    return tree


def changed_sources(patch):
    """The sources that earlier patches add and this one changes."""
    return {*filter(upstream_path, patch.edits)}


def upstream_path(source):
    """Path of a source that becomes a new file, None for one that is merged."""
    for pattern, folder in PLACES.items():
        if found := re.match(pattern, source):
            return folder and folder + source[found.end() :]
    return None


def _add_source(tree, source, root, patch):
    text = source_text(root, source, patch.later)
    if target := upstream_path(source):
        tree[target] = text
    elif source.startswith('ops_yaml/'):
        insert_entries(tree, source, text)
    elif source.startswith('python_api/'):
        tree[PYTHON_FILE] = merge_functions(
            tree[PYTHON_FILE], text, source, NEXT_FUNCTION
        )
    else:
        insert_infermeta(tree, source, text)


def source_text(root, source, later):
    """A source as it is before what some patches bring to it."""
    text = (root / source).read_bytes().decode('utf-8')
    merged = not upstream_path(source)
    paths = (PYTHON_FILE, *OP_FILES.values()) if merged else (source,)
    for patch in reversed(later):
        try:
            lines = split_lines(text)
            for path in patch.edits.keys() & paths:
                for _, hunk in reversed(split_hunks(patch.edits[path])):
                    before, after = sides(hunk)
                    replace_lines(lines, after, before, strict=not merged)
            text = join_lines(lines)
        except SeriesError as error:
            refuse(
                f'{source}: what {patch.name} brings: {fault}'
                for fault in error.faults
            )
    return text


def insert_entries(tree, source, text):
    """Every entry of an op's YAML goes before the first one of a greater name."""
    for block in re.split(r'\n+(?=- )', text.strip('\n')):
        entry = ENTRY.match(block)
        if not entry:
            raise SeriesError(
                f'{source}: expected `- op : name`, got {block!r}'
            )
        path = OP_FILES[entry[1]]
        lines = split_lines(tree[path])
        entries = [ENTRY.match(line) for line in lines]
        below = [i for i, e in enumerate(entries) if e and e[2] > entry[2]]
        if not below or any(MARKER in x for x in lines[below[0] - 1 :][:2]):
            raise SeriesError(
                f'{path}: the lines around the alphabetical place of {entry[1]} '
                f'{entry[2]} are not recorded. Look up the place in that file of '
                'the base; then put a hunk with the last three lines above it, '
                'with the empty one, and the three lines below it into '
                'scripts/series/edits/, with the number of the first of them and, '
                'behind the second @@, the name of the entry above the place'
            )
        lines[below[0] : below[0]] = [*block.split('\n'), '']
        tree[path] = join_lines(lines)


def insert_infermeta(tree, source, text):
    """The namespace's inside goes before the function NEXT_INFERMETA."""
    path = INFERMETA_FILES[PurePosixPath(source).suffix]
    lines = split_lines(tree[path])
    above, _, below = text.partition('\nnamespace phi {\n')
    own = f'#include "paddle/phi/{PurePosixPath(source).with_suffix(".h")}"'
    refuse(
        f'{source}: {path} has no `{line}`; add it with a hunk in '
        'scripts/series/edits/'
        for line in split_lines(above)
        if line.startswith('#include ') and line not in (own, *lines)
    )
    inside = below.rpartition('\n}  // namespace phi\n')[0].strip('\n')
    spot = next(i for i, line in enumerate(lines) if NEXT_INFERMETA.match(line))
    lines[spot:spot] = [*inside.split('\n'), '']
    tree[path] = join_lines(lines)


def apply_hunks(tree, path, text):
    """Changes lines as hunks without line numbers say."""
    if path not in tree:
        raise SeriesError(
            f'edit of {path}: not among wheel_files of scripts/series/'
            'series.yaml, and no hunk records lines of it'
        )
    lines = split_lines(tree[path])
    try:
        for _, hunk in split_hunks(text):
            replace_lines(lines, *sides(hunk))
    except SeriesError as error:
        raise SeriesError(f'edit of {path}: {error}') from None
    tree[path] = join_lines(lines)
