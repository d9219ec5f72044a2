"""The files of Paddle's base that the series changes, as far as they are known.

Files that the wheel ships come from it, verified by hash. Of the others only the
lines in edits/ are known: they are put at their line numbers, and marker lines fill
the gaps.
"""

from __future__ import annotations

from pathlib import Path

from scripts.common.files import file_sha256
from scripts.series.manifest import MANIFEST, SOURCE_DIRS, SeriesError

MARKER = 'unrecorded upstream text'


def base_tree(series, wheel_dirs):
    """{path: text} before the first patch."""
    tree = {
        path: wheel_text(wheel_dirs, path, digest)
        for path, digest in series.wheel_files.items()
    }
    for path, hunks in recorded_hunks(series).items():
        for folder in wheel_dirs:
            if (folder / place_in_wheel(path)).is_file():
                digest = file_sha256(folder / place_in_wheel(path))
                raise SeriesError(
                    f'{path}: the wheel ships it: add `{path}: {digest}` to '
                    f'wheel_files of {MANIFEST}'
                )
        tree[path] = skeleton(path, hunks)
    return tree


def recorded_hunks(series):
    """{path: hunks} whose context is of the base: no earlier hunk contains it."""
    recorded, known = {}, {}
    for patch in series.patches:
        for path in patch.edits.keys() - series.wheel_files.keys():
            for hunk in patch.edits[path] * (not path.startswith(SOURCE_DIRS)):
                before, texts = hunk.side('-'), known.setdefault(path, [])
                if not any(f'\n{before}' in f'\n{text}' for text in texts):
                    recorded.setdefault(path, []).append(hunk)
                texts.append(hunk.side('+'))
    return recorded


def wheel_dirs(root, paddle=None):
    """The site-packages that may hold the released wheel."""
    if paddle:
        return [Path(paddle).resolve()]
    return sorted(Path(root, 'build').glob('venv/lib/python3*/site-packages'))


def place_in_wheel(path):
    """Where site-packages have a file of Paddle's tree that the wheel ships."""
    if path.startswith('python/'):
        return path.removeprefix('python/')
    return f'paddle/include/{path}'


def wheel_text(wheel_dirs, path, digest):
    """A file of the released wheel."""
    place = place_in_wheel(path)
    for folder in wheel_dirs:
        if file_sha256(folder / place) == digest:
            return (folder / place).read_bytes().decode('utf-8')
    raise SeriesError(
        f'{place}: no copy with the sha256 {digest} in '
        f'{", ".join(map(str, wheel_dirs)) or "build/venv"}. --paddle names the '
        'site-packages of a released wheel.'
    )


def skeleton(path, hunks):
    """The text of the recorded lines and of filler."""
    filler = f'{"#" if path.endswith(".yaml") else "//"} {MARKER}\n'
    text = ''
    for hunk in sorted(hunks):
        head = f'- op : {hunk.entry}  {filler}' if hunk.entry else ''
        gap = hunk.line_number - 1 - bool(head) - text.count('\n')
        if gap < 0:
            raise SeriesError(f'{path}: hunks overlap at {hunk.line_number}')
        text += filler * gap + head + hunk.side('-')
    return text + filler
