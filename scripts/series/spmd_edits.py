"""SPMD rules in Paddle's tree: new files, named where Paddle names its own.

A rule's header is included in rules.h in the order of the alphabet. An op whose
infer_meta names an spmd_rule is registered in rules.cc, and a test of a rule goes
into the CMakeLists.txt of its folder, at the places that series.yaml says.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import yaml

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError

SOURCES = 'kernels/infermeta/spmd_rules/'
FOLDER = 'paddle/phi/infermeta/spmd_rules/'
TESTS = 'test/auto_parallel/spmd_rules/'
TEST = re.compile(r'unittests/(test_\w+_rule|spmd_rule_\w+)\.py')


def add_rule_file(tree, source, patch):
    """Names the header of an op's rule, or a test, where Paddle looks for it."""
    stem = PurePosixPath(source).stem
    if source == f'{SOURCES}{stem}.h' and stem in patch.ops:
        path = f'{FOLDER}rules.h'
        line = f'#include "{FOLDER}{stem}.h"'
        includes = [x for x in split_lines(tree[path]) if x[:9] == line[:9]]
        later = [x for x in includes if x > line]
        _insert(tree, path, [line], min(later, default=f'{line[:9]}...'))
    elif TEST.match(source) and stem.startswith('test_'):
        other = _place(patch, 'spmd_test_after', source)
        line, after = (
            f'  py_test_modules({x} MODULES {x})' for x in (stem, other)
        )
        _insert(tree, f'{TESTS}CMakeLists.txt', [line], after, below=True)


def register_rules(tree, source, text, patch):
    """Registers each entry of an op's YAML that names a rule."""
    rules = [
        (kind, entry[kind], entry['infer_meta']['spmd_rule'])
        for entry in yaml.safe_load(text)
        for kind in ('op', 'backward_op')
        if kind in entry and 'spmd_rule' in entry['infer_meta']
    ]
    if not rules:
        return
    lines = [f'// {PurePosixPath(source).stem}']
    for kind, name, rule in rules:
        rules_of_op = [rule, f'{rule}Reverse'] if kind == 'op' else [rule]
        calls = [f'PD_INFER_SPMD(phi::distributed::{x})' for x in rules_of_op]
        words = ',\n    '.join([name, *calls])
        lines += split_lines(f'PD_REGISTER_SPMD_RULE(\n    {words});')
    place = f'// {_place(patch, "spmd_before", source)}'
    _insert(tree, f'{FOLDER}rules.cc', [*lines, ''], place)


def _place(patch, key, source):
    place = getattr(patch, key)
    if not place:
        raise SeriesError(
            f'{source}: expected a {key} in its item of '
            'scripts/series/series.yaml, which says where it is registered'
        )
    return place


def _insert(tree, path, block, neighbour, below=False):
    """Puts lines above a line that `path` has once, or below it."""
    lines = split_lines(tree[path])
    if lines.count(neighbour) != 1:
        raise SeriesError(
            f'{path}: expected one line `{neighbour}`, found '
            f'{lines.count(neighbour)}'
        )
    at = lines.index(neighbour) + below
    tree[path] = join_lines([*lines[:at], *block, *lines[at:]])
