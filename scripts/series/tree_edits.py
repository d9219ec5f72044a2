"""Apply the sources and edits of a patch to a Paddle tree, {path: text}."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scripts.series.manifest import SeriesError
from scripts.series.python_hunks import merge_functions
from scripts.series.upstream_tree import MARKER

PYTHON_FILE = 'python/paddle/tensor/manipulation.py'
YAML = 'paddle/phi/ops/yaml/'
OP_FILES = {'op': f'{YAML}ops.yaml', 'backward_op': f'{YAML}backward.yaml'}
BASE_OPS = 'native/kernels/base_ops'
ENTRY = re.compile(r'- (op|backward_op) : (\w+)')
RULE_ENTRY = re.compile(
    r'(?m)^- (\w+) : (\w+)(?:\n  .*)*?\n    spmd_rule : (\w+)'
)
SPMD_RULE = re.compile(r'(?m)^    spmd_rule : \w+\n')
# Definitions of the base before which new ones are inserted.
NEXT_INFERMETA = r'(?m)^((?:PADDLE_API )?void SendURecvInferMeta\()'
NEXT_RULE = '// embedding rule\n'
NEXT_FUNCTION = 'scatter'
SYMBOLIC = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
SPMD = 'paddle/phi/infermeta/spmd_rules/'
SPMD_TESTS = 'test/auto_parallel/spmd_rules/'
# Begins each new file.
LICENSE = """\
Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
"""
# {source prefix: Paddle's folder, or None if merged}; the first match counts.
FOLDERS = {
    r'kernels/infer_symbolic_shape/': SYMBOLIC,
    r'kernels/infermeta/spmd_rules/': SPMD,
    r'kernels/infermeta/': None,
    r'kernels/': 'paddle/phi/kernels/',
    r'unittests/(?=test_\w+_rule\.py)': SPMD_TESTS,
    r'unittests/': 'test/legacy_test/',
}


def get_upstream_path(source):
    """Return the path of the new file, or None if the source is merged."""
    for pattern, folder in FOLDERS.items():
        if match := re.match(pattern, source):
            return folder and folder + source[match.end() :]
    return None


def add_license(path, text):
    """Return the text of a new file with the license as a comment."""
    marker = '#' if path.endswith('.py') else '//'
    lines = [f'{marker} {line}'.rstrip() for line in LICENSE.splitlines()]
    return '\n'.join([*lines, '', text])


def apply_patch(tree, patch, root):
    """Apply a patch to `tree`."""
    own_paths = [path for path in patch.edits if get_upstream_path(path)]
    for path in patch.edits.keys() - own_paths:
        for hunk in patch.edits[path]:
            texts = hunk.get_side('-'), hunk.get_side('+')
            tree[path] = replace_once(tree[path], *texts, patch.name)
    for source in [*own_paths, *patch.sources]:
        text = read_source(root, source, patch.later)
        if target := get_upstream_path(source):
            tree[target] = add_license(target, text)
        elif source.startswith('ops_yaml/'):
            insert_entries(tree, text)
        elif source.startswith('kernels/infermeta/'):
            insert_infermeta(tree, PurePosixPath(source).suffix, text)
    for op in patch.gradients:
        text = (root / BASE_OPS / f'{op}.yaml').read_text('utf-8')
        insert_entries(tree, re.split(r'\n+(?=- )', text, maxsplit=3)[3])
    # In the order of `functions`.
    for source in patch.api_sources:
        text = read_source(root, source, patch.later)
        merged = merge_functions(tree[PYTHON_FILE], text, NEXT_FUNCTION)
        tree[PYTHON_FILE] = merged
    if patch.rules:
        paths = sorted(root.glob('ops_yaml/*.yaml'))
        for path in paths:
            insert_entries(tree, path.read_text('utf-8'))
        insert_registrations(tree, [*paths, *root.glob(f'{BASE_OPS}/*.yaml')])


def read_source(root, source, later):
    """Read a source without the edits of later patches."""
    text = (root / source).read_bytes().decode('utf-8')
    for patch in reversed(later):
        for hunk in reversed(patch.edits.get(source, ())):
            texts = hunk.get_side('+'), hunk.get_side('-')
            text = replace_once(text, *texts, f'{patch.name}: {source}')
        if patch.rules and source.startswith('ops_yaml/'):
            text = SPMD_RULE.sub('', text)
    return text


def replace_once(text, old, new, place):
    """Replace the only occurrence of whole lines."""
    count = f'\n{text}'.count(f'\n{old}')
    if count != 1:
        raise SeriesError(
            f'{place}: expected one match after the previous patches, but '
            f'found {count}:\n{old}'
        )
    return f'\n{text}'.replace(f'\n{old}', f'\n{new}')[1:]


def insert_entries(tree, text):
    """Insert entries in alphabetical order, or replace those that exist."""
    for block in re.split(r'\n+(?=- )', text.strip('\n')):
        kind, name = ENTRY.match(block).groups()
        path = OP_FILES[kind]
        blocks = re.split(r'(?m)^(?=- )', tree[path])
        names = [entry and entry[2] for entry in map(ENTRY.match, blocks)]
        if name in names:
            blocks[names.index(name)] = f'{block}\n\n'
        else:
            index = next((i for i, n in enumerate(names) if n and n > name), 0)
            line = blocks[index].partition('\n')[0]
            if MARKER in line or blocks[index - 1].endswith(f'{MARKER}\n'):
                raise SeriesError(
                    f'{path}: the lines at the alphabetical position of {name} '
                    'are unknown. Add a hunk to scripts/series/edits/ with the '
                    'three lines above and below, as in the tag. Its @@ line '
                    'has to end with the name of the entry above.'
                )
            blocks.insert(index, f'{block}\n\n')
        tree[path] = ''.join(blocks)


def insert_registrations(tree, paths):
    """Register the SPMD rules of the entries in YAML files."""
    text = ''
    for path in sorted(paths, key=lambda path: path.name):
        for kind, name, rule in RULE_ENTRY.findall(path.read_text('utf-8')):
            rules = [rule, f'{rule}Reverse'] if kind == 'op' else [rule]
            calls = [f'PD_INFER_SPMD(phi::distributed::{r})' for r in rules]
            text += 'PD_REGISTER_SPMD_RULE(\n    '
            text += ',\n    '.join([name, *calls]) + ');\n'
            text += '' if kind == 'op' else '\n'
    path = f'{SPMD}rules.cc'
    tree[path] = replace_once(tree[path], NEXT_RULE, text + NEXT_RULE, path)


def insert_infermeta(tree, suffix, text):
    """Insert the content of namespace phi before NEXT_INFERMETA."""
    path = f'paddle/phi/infermeta/ternary{suffix}'
    above, function, below = re.split(NEXT_INFERMETA, tree[path])
    inside = text.partition('\nnamespace phi {\n')[2]
    inside = inside.rpartition('\n}  // namespace phi\n')[0].strip('\n')
    tree[path] = f'{above}{inside}\n\n{function}{below}'
