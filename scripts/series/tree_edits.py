"""Apply the sources and edits of a patch to a Paddle tree, {path: text}."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scripts.series.manifest import (
    EDITS,
    OP_FILES,
    PYTHON_FILE,
    RULES,
    TERNARY,
    SeriesError,
)
from scripts.series.python_hunks import merge_functions

BASE_OPS = 'native/kernels/base_ops'
ENTRY = re.compile(r'(?m)^- (op|backward_op) : (\w+)\n')
SPMD_RULE = re.compile(r'(?m)^    spmd_rule : (\w+)\n')
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
            insert_entries(tree, patch, split_entries(text))
        elif source.startswith('kernels/infermeta/'):
            insert_infermeta(tree, PurePosixPath(source).suffix, text)
    for op in patch.gradients:
        text = (root / BASE_OPS / f'{op}.yaml').read_text('utf-8')
        insert_entries(tree, patch, split_entries(text)[2:])
    # In the order of `functions`.
    for source in patch.api_sources:
        text = read_source(root, source, patch.later)
        merged = merge_functions(tree[PYTHON_FILE], text, NEXT_FUNCTION)
        tree[PYTHON_FILE] = merged
    if patch.rules:
        insert_rules(tree, root)


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


def split_entries(text):
    """Split a YAML file into its entries."""
    return re.split(r'\n+(?=- )', text[text.index('- ') :].rstrip('\n'))


def insert_entries(tree, patch, entries):
    """Insert entries between those that a hunk of the patch records."""
    for entry in entries:
        kind, name = ENTRY.match(entry).groups()
        path = OP_FILES[kind]
        followers = [
            follower[0]
            for hunk in patch.edits[path]
            for follower in ENTRY.finditer(hunk.get_side('-'))
            if hunk.entry < name < follower[2]
        ]
        if not followers:
            raise SeriesError(
                f'{EDITS}/{patch.name}.diff: {path}: no hunk has the '
                f'alphabetical position of {name}. Add the three lines above '
                'and below, as in the tag, after an @@ line that ends with the '
                'name of the entry above.'
            )
        texts = followers[0], f'{entry}\n\n{followers[0]}'
        tree[path] = replace_once(tree[path], *texts, patch.name)


def insert_rules(tree, root):
    """Insert the SPMD rules of all entries, and register them."""
    registrations = ''
    paths = [*root.glob('ops_yaml/*.yaml'), *root.glob(f'{BASE_OPS}/*.yaml')]
    for path in sorted(paths, key=lambda path: path.name):
        for entry in split_entries(path.read_text('utf-8')):
            kind, name = ENTRY.match(entry).groups()
            rule = SPMD_RULE.search(entry)
            if not rule:
                continue
            if path.parent.name == 'ops_yaml':
                texts = entry.replace(rule[0], ''), entry
                target = OP_FILES[kind]
                tree[target] = replace_once(tree[target], *texts, target)
            rules = [rule[1], *[f'{rule[1]}Reverse'] * (kind == 'op')]
            calls = [f'PD_INFER_SPMD(phi::distributed::{r})' for r in rules]
            registrations += 'PD_REGISTER_SPMD_RULE(\n    '
            registrations += ',\n    '.join([name, *calls]) + ');\n'
            registrations += '\n' * (kind == 'backward_op')
    texts = NEXT_RULE, registrations + NEXT_RULE
    tree[RULES] = replace_once(tree[RULES], *texts, RULES)


def insert_infermeta(tree, suffix, text):
    """Insert the content of namespace phi before NEXT_INFERMETA."""
    path = TERNARY + suffix
    above, function, below = re.split(NEXT_INFERMETA, tree[path])
    inside = text.partition('\nnamespace phi {\n')[2]
    inside = inside.rpartition('\n}  // namespace phi\n')[0].strip('\n')
    tree[path] = f'{above}{inside}\n\n{function}{below}'
