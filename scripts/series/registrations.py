"""What a source needs in Paddle's own files: rules and tests their registration,
operators their symbolic shapes. series.yaml has these lines as edits; one that is
missing would be found by nobody before the whole of Paddle is built."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import yaml

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError

SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
SPMD_TEST = re.compile(r'unittests/test_\w+_rule\.py')
SPMD_SOURCES = 'kernels/infermeta/spmd_rules/'
INTERFACE = 'InferSymbolicShapeInterface'


def insert_lines(tree, path, new, *below):
    """Puts lines before the only one that begins in one of these ways."""
    lines = split_lines(tree.get(path, ''))
    spots = [i for i, line in enumerate(lines) if line.startswith(below)]
    if len(spots) != 1:
        raise SeriesError(
            f'{path}: expected one line `{below[0]}`, found {len(spots)}'
        )
    tree[path] = join_lines([*lines[: spots[0]], *new, *lines[spots[0] :]])


def missing_lines(tree, patch, root):
    """Faults of a tree to which the patch has been applied."""
    for source in patch.sources:
        for path, line in needed_lines(source, patch, root):
            if not any(line in tree[p] for p in tree if p.startswith(path)):
                yield (
                    f'{source}: expected `{" ".join(line.split())}` in {path}: '
                    'add it with an edit in scripts/series/series.yaml'
                )


def needed_lines(source, patch, root):
    """(a file or folder of Paddle's, what has to stand there)"""
    stem = PurePosixPath(source).stem
    if SPMD_TEST.match(source):
        yield f'{SPMD_TESTS}CMakeLists.txt', f'({stem} MODULES {stem})\n'
    if source.startswith(SPMD_SOURCES) and source.endswith('.h'):
        yield f'{SPMD}rules.h', f'#include "{SPMD}{stem}.h"\n'
        for path in (root / 'ops_yaml').glob('*.yaml'):
            for entry in yaml.safe_load(path.read_text('utf-8')):
                if 'spmd_rule' in entry['infer_meta']:
                    name = entry.get('op') or entry['backward_op']
                    yield f'{SPMD}rules.cc', f'RULE(\n    {name},'
    if source.startswith('ops_yaml/'):
        for entry in yaml.safe_load((root / source).read_text('utf-8')):
            yield from _needed_by_entry(entry)


def _needed_by_entry(entry):
    """Paddle's generated code calls a symbolic shape for each op whose interfaces
    ask for it, and one more for its form in place."""
    name = entry.get('op') or entry['backward_op']
    if INTERFACE in entry.get('interfaces', ''):
        plain = ''.join(word.capitalize() for word in name.split('_'))
        for form in [plain, f'{plain}_'][: 1 + ('inplace' in entry)]:
            yield SYMBOLIC, f'\nOP_DECLARE_INFER_SYMBOLIC_SHAPE({form})\n'
            yield SYMBOLIC, f'\nbool {form}OpInferSymbolicShape('
