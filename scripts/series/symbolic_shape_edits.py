"""Symbolic shapes in Paddle's tree: new files, declared in headers of Paddle's.

A source kernels/infer_symbolic_shape/<op>_infer_sym.cc becomes a file of Paddle's
folder of that name, whose sources CMake finds by a pattern. What it defines is
declared in the header of that folder that it includes, next to its neighbours in
the alphabet.
"""

from __future__ import annotations

import re

import yaml

from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError

SOURCES = 'kernels/infer_symbolic_shape/'
FOLDER = 'paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/'
INTERFACE = 'InferSymbolicShapeInterface'
DEFINITION = re.compile(r'(?m)^bool (\w+)OpInferSymbolicShape\(')
DECLARATION = re.compile(r'(?m)^OP_DECLARE_INFER_SYMBOLIC_SHAPE\((\w+)\)$')


def declare(tree, source, text):
    """Declares in `tree` ({path: text}) what the source defines."""
    for name in DEFINITION.findall(text):
        header = _header(tree, source, text)
        tree[header] = insert_declaration(tree[header], header, name)


def missing_shapes(patch, root):
    """Functions that Paddle's generated code would call and no source defines.

    It calls one for each op whose `interfaces` ask for it, and one more for its
    form in place.
    """
    texts = {s: (root / s).read_text('utf-8') for s in patch.sources}
    defined = {
        name
        for source, text in texts.items()
        if source.startswith(SOURCES)
        for name in DEFINITION.findall(text)
    }
    for source, text in texts.items():
        entries = yaml.safe_load(text) if source.endswith('.yaml') else []
        for entry in entries:
            if INTERFACE not in entry.get('interfaces', ''):
                continue
            name = ''.join(x.capitalize() for x in entry['op'].split('_'))
            for form in [name, f'{name}_'][: 1 + ('inplace' in entry)]:
                if form not in defined:
                    yield (
                        f'{source}: asks for {form}OpInferSymbolicShape, which '
                        f'no file of {SOURCES} defines'
                    )


def _header(tree, source, text):
    """The one header with declarations that the source includes."""
    included = re.findall(rf'(?m)^#include "({FOLDER}.*)"$', text)
    found = [p for p in included if DECLARATION.search(tree.get(p, ''))]
    if len(found) != 1:
        raise SeriesError(
            f'{source}: expected to include one header of {FOLDER} that '
            f'scripts/series/series.yaml has among wheel_files, found {len(found)}'
        )
    return found[0]


def insert_declaration(text, path, name):
    """`text` with the declaration after the last smaller one of its letter.

    The base's own order is loose: others of the letter may stand elsewhere.
    """
    lines = split_lines(text)
    spot = None
    for index, line in enumerate(lines):
        match = DECLARATION.match(line)
        if match and match[1] == name:
            raise SeriesError(f'{path}: {name} is declared already')
        if match and match[1][0] == name[0] and match[1] < name:
            spot = index + 1
    if spot is None:
        raise SeriesError(f'{path}: no declaration to put {name} after')
    line = f'OP_DECLARE_INFER_SYMBOLIC_SHAPE({name})'
    return join_lines([*lines[:spot], line, *lines[spot:]])
