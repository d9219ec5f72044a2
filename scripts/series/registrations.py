"""What a source needs in Paddle's own files: a rule or a test its registration, an
operator its symbolic shape. series.yaml has these lines as edits; one that is
missing would be found by nobody before the whole of Paddle is built."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import yaml

SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
SPMD_TEST = re.compile(r'unittests/(test_\w+_rule|spmd_rule_\w+)\.py')
INTERFACE = 'InferSymbolicShapeInterface'


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
    if SPMD_TEST.match(source) and stem.startswith('test_'):
        yield f'{SPMD_TESTS}CMakeLists.txt', f'({stem} MODULES {stem})\n'
    if source == f'kernels/infermeta/spmd_rules/{stem}.h' and stem in patch.ops:
        yield f'{SPMD}rules.h', f'#include "{SPMD}{stem}.h"\n'
    if source.startswith('ops_yaml/'):
        for entry in yaml.safe_load((root / source).read_text('utf-8')):
            yield from _needed_by_entry(entry)


def _needed_by_entry(entry):
    """Paddle's generated code calls a symbolic shape for each op whose interfaces
    ask for it, and one more for its form in place."""
    name = entry.get('op') or entry['backward_op']
    rule = entry['infer_meta'].get('spmd_rule')
    if rule:
        call = f'PD_INFER_SPMD(phi::distributed::{rule})'
        yield f'{SPMD}rules.cc', f'(\n    {name},\n    {call}'
    if INTERFACE in entry.get('interfaces', ''):
        plain = ''.join(word.capitalize() for word in name.split('_'))
        for form in [plain, f'{plain}_'][: 1 + ('inplace' in entry)]:
            yield SYMBOLIC, f'\nOP_DECLARE_INFER_SYMBOLIC_SHAPE({form})\n'
            yield SYMBOLIC, f'\nbool {form}OpInferSymbolicShape('
