"""What a source needs in Paddle's own files: rules and tests their registration,
operators their symbolic shapes. SPMD rules are registered as the YAML names them.
series.yaml has the other lines as edits; one that is missing would be found by
nobody before the whole of Paddle is built."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import yaml

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError

SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
SPMD_TEST = re.compile(r'unittests/(test_\w+_rule|spmd_rule_\w+)\.py')
# What the registrations of the series stand before.
NEXT_RULE = '// embedding rule'
INTERFACE = 'InferSymbolicShapeInterface'


def register_rules(tree, source, text):
    """Registers the rules that an operator's entries name."""
    op = PurePosixPath(source).stem
    lines = [f'// {op}']
    for entry in yaml.safe_load(text):
        rule = entry['infer_meta'].get('spmd_rule')
        if rule:
            rules = [rule] + [f'{rule}Reverse'] * ('op' in entry)
            rules = [f'phi::distributed::{r}' for r in rules]
            if 'int64_t ' in entry['args']:
                # As clang-format breaks it.
                asked = f'phi::distributed::RuleOfInts<\n{" " * 18}{{}}>::Infer'
                rules = [asked.format(r) for r in rules]
            calls = [f'    PD_INFER_SPMD({r})' for r in rules]
            name = entry.get('op') or entry['backward_op']
            arguments = ',\n'.join([f'    {name}', *calls])
            lines += [f'PD_REGISTER_SPMD_RULE(\n{arguments});']
    if len(lines) > 1:
        insert_lines(tree, f'{SPMD}rules.cc', [*lines, ''], NEXT_RULE)


def include_rules(tree, header):
    """Includes a new header of rules at its alphabetical place."""
    path, line = f'{SPMD}rules.h', f'#include "{SPMD}{header}"'
    known = [x for x in split_lines(tree.get(path, '')) if x.startswith('#inc')]
    below = min((x for x in known if x > line), default='#endif')
    insert_lines(tree, path, [line], below)


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
    if SPMD_TEST.match(source) and stem.startswith('test_'):
        yield f'{SPMD_TESTS}CMakeLists.txt', f'({stem} MODULES {stem})\n'
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
