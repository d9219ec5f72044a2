"""Puts the sources and edits of a patch into a tree of Paddle, {path: text}."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from scripts.series.manifest import SeriesError
from scripts.series.python_hunks import merge_functions
from scripts.series.upstream_tree import MARKER

PYTHON_FILE = 'python/paddle/tensor/manipulation.py'
YAML = 'paddle/phi/ops/yaml/'
OP_FILES = {'op': f'{YAML}ops.yaml', 'backward_op': f'{YAML}backward.yaml'}
ENTRY = re.compile(r'- (op|backward_op) : (\w+)')
SPMD_RULE = re.compile(r'(?m)^    spmd_rule : \w+\n')
# The definitions of the base before which the series puts its own.
NEXT_INFERMETA = r'(?m)^((?:PADDLE_API )?void SendURecvInferMeta\()'
NEXT_FUNCTION = 'scatter'
SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
# Where sources become new files: the first match. None: merged into a file.
PLACES = {
    r'kernels/infer_symbolic_shape/': SYMBOLIC,
    r'kernels/infermeta/spmd_rules/': SPMD,
    r'kernels/infermeta/': None,
    r'kernels/': 'paddle/phi/kernels/',
    r'unittests/(?=test_\w+_rule\.py)': SPMD_TESTS,
    r'unittests/': 'test/legacy_test/',
}


def upstream_path(source):
    """Path of a source that becomes a new file, None for one that is merged."""
    for pattern, folder in PLACES.items():
        if match := re.match(pattern, source):
            return folder and folder + source[match.end() :]
    return None


def apply_patch(tree, patch, root):
    """Changes `tree` as the patch does."""
    changed = [path for path in patch.edits if upstream_path(path)]
    for path in patch.edits.keys() - changed:
        for hunk in patch.edits[path]:
            texts = hunk.side('-'), hunk.side('+')
            tree[path] = replace_once(tree[path], *texts, patch.name)
    for source in [*changed, *patch.sources]:
        text = source_text(root, source, patch.later)
        if target := upstream_path(source):
            tree[target] = text
        elif source.startswith('ops_yaml/'):
            insert_entries(tree, text)
        elif source.startswith('kernels/infermeta/'):
            insert_infermeta(tree, PurePosixPath(source).suffix, text)
    # in the order in which the patch names them
    for source in patch.api_sources:
        text = source_text(root, source, patch.later)
        merged = merge_functions(tree[PYTHON_FILE], text, NEXT_FUNCTION)
        tree[PYTHON_FILE] = merged
    if patch.rules:
        for path in sorted(Path(root).glob('ops_yaml/*.yaml')):
            insert_entries(tree, path.read_text('utf-8'))


def source_text(root, source, later):
    """A source without the edits of later patches."""
    text = (root / source).read_bytes().decode('utf-8')
    for patch in reversed(later):
        for hunk in reversed(patch.edits.get(source, ())):
            texts = hunk.side('+'), hunk.side('-')
            text = replace_once(text, *texts, f'{patch.name}: {source}')
        if patch.rules and source.startswith('ops_yaml/'):
            text = SPMD_RULE.sub('', text)
    return text


def replace_once(text, old, new, place):
    """Replaces the only occurrence of whole lines."""
    count = f'\n{text}'.count(f'\n{old}')
    if count != 1:
        raise SeriesError(
            f'{place}: expected once after the patches before it, found {count} '
            f'times:\n{old}'
        )
    return f'\n{text}'.replace(f'\n{old}', f'\n{new}')[1:]


def insert_entries(tree, text):
    """Puts entries in alphabetical order; one of that name is replaced."""
    for block in re.split(r'\n+(?=- )', text.strip('\n')):
        kind, name = ENTRY.match(block).groups()
        path = OP_FILES[kind]
        blocks = re.split(r'(?m)^(?=- )', tree[path])
        names = [entry and entry[2] for entry in map(ENTRY.match, blocks)]
        if name in names:
            blocks[names.index(name)] = f'{block}\n\n'
        else:
            spot = next((i for i, n in enumerate(names) if n and n > name), 0)
            line = blocks[spot].partition('\n')[0]
            if MARKER in line or blocks[spot - 1].endswith(f'{MARKER}\n'):
                raise SeriesError(
                    f'{path}: the lines around the alphabetical place of {name} '
                    'are unknown: record them by a hunk in scripts/series/edits/, '
                    'three above and three below as in the tag, whose @@ line ends '
                    'with the name of the entry above'
                )
            blocks.insert(spot, f'{block}\n\n')
        tree[path] = ''.join(blocks)


def insert_infermeta(tree, suffix, text):
    """Puts the inside of namespace phi before the function NEXT_INFERMETA."""
    path = f'paddle/phi/infermeta/ternary{suffix}'
    above, function, below = re.split(NEXT_INFERMETA, tree[path])
    inside = text.partition('\nnamespace phi {\n')[2]
    inside = inside.rpartition('\n}  // namespace phi\n')[0].strip('\n')
    tree[path] = f'{above}{inside}\n\n{function}{below}'
