"""Text changes that put one patch's sources into an upstream tree."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import (
    SeriesError,
    do_all,
    refuse,
    replace_lines,
    sides,
    split_hunks,
)
from scripts.series.python_hunks import merge_functions
from scripts.series.registrations import (
    SPMD,
    SPMD_TEST,
    SPMD_TESTS,
    SYMBOLIC,
    insert_lines,
    missing_lines,
)
from scripts.series.upstream_tree import MARKER

PYTHON_FILE = 'python/paddle/tensor/manipulation.py'
INFERMETA_FILES = {
    '.h': 'paddle/phi/infermeta/ternary.h',
    '.cc': 'paddle/phi/infermeta/ternary.cc',
}
# The definitions of the base before which the series puts its own.
NEXT_INFERMETA = 'SendURecvInferMeta'
NEXT_FUNCTION = 'scatter'
OP_FILES = {
    'op': 'paddle/phi/ops/yaml/ops.yaml',
    'backward_op': 'paddle/phi/ops/yaml/backward.yaml',
}
# Where sources become new files: the first that fits. None: merged into a file.
PLACES = {
    'kernels/infer_symbolic_shape/': SYMBOLIC,
    'kernels/infermeta/spmd_rules/': SPMD,
    'kernels/infermeta/': None,
    'kernels/': 'paddle/phi/kernels/',
    'unittests/': 'test/legacy_test/',
}
NAMESPACE = re.compile(
    r'(?s)(?P<above>.*?)^namespace phi \{\n(?P<inside>.*?)'
    r'^\}  // namespace phi\n',
    re.MULTILINE,
)
ENTRY = re.compile(r'^- (op|backward_op) : (\w+)')


def apply_patch(tree, patch, root):
    """Changes `tree` ({path: text}) as the patch says; returns nothing."""
    steps = [
        partial(apply_hunk, tree, path, hunk)
        for path, text in patch.edits.items()
        for _, hunk in split_hunks(text)
    ]
    # Functions last, in the order in which the patch names them.
    apis = patch.api_sources
    sources = [s for s in patch.sources if s not in apis] + apis
    steps += [partial(_add_source, tree, s, root, patch) for s in sources]
    try:
        do_all(steps)
        refuse(missing_lines(tree, patch, root))
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


def upstream_path(source):
    """Path of a source that becomes a new file, None for one that is merged."""
    if SPMD_TEST.match(source):
        return SPMD_TESTS + source.removeprefix('unittests/')
    top = next((top for top in PLACES if source.startswith(top)), '')
    folder = PLACES.get(top)
    return folder and folder + source.removeprefix(top)


def _add_source(tree, source, root, patch):
    target = upstream_path(source)
    into = [target] if target else [PYTHON_FILE, *OP_FILES.values()]
    hunks = [hunk for path in into for hunk in patch.later.get(path, [])]
    text = source_text(root, source, hunks)
    if target:
        if target in tree:
            raise SeriesError(f'{source}: {target} exists in the base already')
        tree[target] = text
    elif source.startswith('ops_yaml/'):
        insert_entries(tree, source, text)
    elif source.startswith('python_api/'):
        tree[PYTHON_FILE] = merge_functions(
            tree[PYTHON_FILE], text, source, NEXT_FUNCTION
        )
    else:
        insert_infermeta(tree, source, text)


def insert_entries(tree, source, text):
    """Every entry of an op's YAML goes to its alphabetical place."""
    entries = split_entries(text, source)
    do_all(partial(insert_entry, tree, *entry) for entry in entries)


def split_entries(text, source):
    """[(kind, name, lines)] of a YAML source; lines without blanks at the end."""
    entries = []
    for number, line in enumerate(split_lines(text), 1):
        match = ENTRY.match(line)
        if match:
            entries.append((match[1], match[2], [line]))
        elif entries:
            entries[-1][2].append(line)
        elif line.strip() and not line.startswith('#'):
            raise SeriesError(
                f'{source}:{number}: expected `- op : name`, got {line!r}'
            )
    for _, _, block in entries:
        while not block[-1].strip():
            block.pop()
    return entries


def insert_entry(tree, kind, name, block):
    """Puts an entry before the first one of a greater name."""
    path = OP_FILES[kind]
    lines = split_lines(tree[path])
    for index, line in enumerate(lines):
        match = ENTRY.match(line)
        if not match or match[2] < name:
            continue
        if match[2] == name:
            raise SeriesError(f'{path}: {kind} {name} exists already')
        if index < 2 or MARKER in line or MARKER in lines[index - 1]:
            break
        tree[path] = join_lines([*lines[:index], *block, '', *lines[index:]])
        return
    raise SeriesError(
        f'{path}: the lines around the alphabetical place of {kind} {name} are '
        'not recorded. Look up the place in that file of the base; then write '
        'to recorded_files in scripts/series/series.yaml the last three lines '
        'above it, with the empty one, and the three lines below it, under the '
        'number of the first of them and the name of the entry above the place'
    )


def insert_infermeta(tree, source, text):
    """The namespace's inside goes before the function NEXT_INFERMETA."""
    path = INFERMETA_FILES[source[source.rindex('.') :]]
    lines = split_lines(tree[path])
    includes, body = split_namespace(text, source)
    own = f'paddle/phi/{source[: source.rindex(".")]}.h'
    refuse(
        f'{source}: {path} has no `{line}`; add it with an edit in '
        'scripts/series/series.yaml'
        for line in includes
        if line not in lines and f'"{own}"' not in line
    )
    head = f'void {NEXT_INFERMETA}('
    insert_lines(tree, path, [*body, ''], head, f'PADDLE_API {head}')


def split_namespace(text, source):
    """(include lines, lines between the braces of the one namespace phi)."""
    parts = NAMESPACE.fullmatch(text)
    if not parts or '\n}  // namespace phi\n' in parts['inside']:
        raise SeriesError(
            f'{source}: expected exactly one block from `namespace phi {{` to '
            '`}  // namespace phi`, and nothing after it'
        )
    above = [x for x in split_lines(parts['above']) if x.strip()]
    refuse(
        f'{source}: this line outside namespace phi would be lost: {line!r}'
        for line in above
        if not line.startswith(('//', '#include ', '#pragma once'))
    )
    includes = [line for line in above if line.startswith('#include ')]
    return includes, split_lines(parts['inside'].strip('\n'))


def apply_hunk(tree, path, hunk):
    """Changes lines as a hunk without line numbers says."""
    if path not in tree:
        raise SeriesError(
            f'edit of {path}: not among wheel_files or recorded_files of '
            'scripts/series/series.yaml'
        )
    before, after = sides(hunk)
    lines = split_lines(tree[path])
    found = replace_lines(lines, before, after)
    if found != 1:
        raise SeriesError(
            f'edit of {path}: expected its lines at one place, found them at '
            f'{found}: {before}'
        )
    tree[path] = join_lines(lines)


def source_text(root, source, hunks):
    """A source as it is before the hunks that later patches bring."""
    text = (root / source).read_bytes().decode('utf-8')
    if not text.endswith('\n'):
        raise SeriesError(f'{source}: no newline at its end')
    lines = split_lines(text)
    for hunk in reversed(hunks):
        before, after = sides(hunk)
        replace_lines(lines, after, before)
    return join_lines(lines)
