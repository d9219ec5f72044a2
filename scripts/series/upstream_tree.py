"""The base of the series: the Paddle files that it changes, where known.

Files that the wheel ships are read from it. Of other files, only the lines in
hunks are known: they are placed at their line numbers, and filler lines
(MARKER) fill the gaps.
"""

from __future__ import annotations

from scripts.common.files import PADDLE_INCLUDE
from scripts.series.manifest import TERNARY, SeriesError

MARKER = 'unrecorded upstream text'


def make_base_tree(series):
    """Return {path: text} before the first patch."""
    site = PADDLE_INCLUDE.parents[1]
    if not PADDLE_INCLUDE.is_dir():
        raise SeriesError(f'{site}: no paddle: run scripts/apply_and_build.sh')
    recorded = {f'{TERNARY}.h': [], **list_recorded_hunks(series)}
    tree = {}
    for path, hunks in recorded.items():
        shipped = site / path.removeprefix('python/')
        if not path.startswith('python/'):
            shipped = PADDLE_INCLUDE / path
        if shipped.is_file():
            tree[path] = shipped.read_bytes().decode('utf-8')
        else:
            tree[path] = make_skeleton(path, hunks)
    return tree


def list_recorded_hunks(series):
    """Return {path: hunks with base context}: no earlier hunk contains it."""
    hunks, texts_by_path = {}, {}
    for patch in series.patches:
        for path, edit in patch.edits.items():
            for hunk in edit * (not path.startswith('kernels/')):
                before = hunk.get_side('-')
                texts = texts_by_path.setdefault(path, [])
                if not any(f'\n{before}' in f'\n{text}' for text in texts):
                    hunks.setdefault(path, []).append(hunk)
                texts.append(hunk.get_side('+'))
    return hunks


def make_skeleton(path, hunks):
    """Return the recorded lines, with filler in the gaps."""
    filler = f'{"#" if path.endswith(".yaml") else "//"} {MARKER}\n'
    text = ''
    for hunk in sorted(hunks):
        gap = hunk.line_number - 1 - text.count('\n')
        if gap < 0:
            raise SeriesError(f'{path}: hunks overlap at {hunk.line_number}')
        text += filler * gap + hunk.get_side('-')
    return text + filler
