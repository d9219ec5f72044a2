"""The base of the series: the Paddle files that it changes, where known.

Files that the wheel ships are read from it and verified by hash. Of other
files, only the lines in edits/ are known: they are placed at their line
numbers, and filler lines (MARKER) fill the gaps.
"""

from __future__ import annotations

from scripts.common.files import file_sha256
from scripts.common.wheel_headers import find_include
from scripts.series.manifest import MANIFEST, SOURCE_DIRS, SeriesError

MARKER = 'unrecorded upstream text'


def make_base_tree(series, site):
    """Return {path: text} before the first patch, with the wheel in `site`."""
    tree = {
        path: read_from_wheel(site, path, digest)
        for path, digest in series.wheel_files.items()
    }
    for path, hunks in list_recorded_hunks(series).items():
        if digest := file_sha256(site / get_wheel_path(path)):
            raise SeriesError(
                f'{path}: the wheel ships this file. Add '
                f'`{path}: {digest}` to wheel_files in {MANIFEST}.'
            )
        tree[path] = make_skeleton(path, hunks)
    return tree


def list_recorded_hunks(series):
    """Return {path: hunks with base context}: no earlier hunk contains it."""
    hunks, texts_by_path = {}, {}
    for patch in series.patches:
        for path in patch.edits.keys() - series.wheel_files.keys():
            for hunk in patch.edits[path] * (not path.startswith(SOURCE_DIRS)):
                before = hunk.get_side('-')
                texts = texts_by_path.setdefault(path, [])
                if not any(f'\n{before}' in f'\n{text}' for text in texts):
                    hunks.setdefault(path, []).append(hunk)
                texts.append(hunk.get_side('+'))
    return hunks


def find_site_packages(root):
    """Return the site-packages with the released wheel."""
    return find_include(root).parents[1]


def get_wheel_path(path):
    """Return the path in site-packages of a file of Paddle's tree."""
    if path.startswith('python/'):
        return path.removeprefix('python/')
    return f'paddle/include/{path}'


def read_from_wheel(site, path, digest):
    """Read a file of the released wheel."""
    file = site / get_wheel_path(path)
    if file_sha256(file) != digest:
        raise SeriesError(
            f'{file}: expected the sha256 {digest}. Specify the site-packages of '
            'a released wheel with --paddle.'
        )
    return file.read_bytes().decode('utf-8')


def make_skeleton(path, hunks):
    """Return the recorded lines, with filler in the gaps."""
    filler = f'{"#" if path.endswith(".yaml") else "//"} {MARKER}\n'
    text = ''
    for hunk in sorted(hunks):
        head = f'- op : {hunk.entry}  {filler}' if hunk.entry else ''
        gap = hunk.line_number - 1 - bool(head) - text.count('\n')
        if gap < 0:
            raise SeriesError(f'{path}: hunks overlap at {hunk.line_number}')
        text += filler * gap + head + hunk.get_side('-')
    return text + filler
