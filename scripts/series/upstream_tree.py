"""The part of Paddle's base tree that the series touches, as far as it is known.

Files that the wheel ships are taken from it, checked by hash. Of the others only
the lines around each insertion are recorded; the text between them is filled with
marker lines, so that the recorded lines stand at their approximate line numbers
and a patch that leans on unrecorded text can be told.
"""

from __future__ import annotations

from pathlib import Path

from scripts.common.files import file_sha256
from scripts.common.text_lines import join_lines
from scripts.series.patch_series import SeriesError

MARKER = 'unrecorded upstream text'


def base_tree(series, wheel_dirs):
    """{upstream path: text} before the first patch."""
    tree = {
        path: wheel_text(wheel_dirs, path, wanted)
        for path, wanted in series.wheel_files.items()
    }
    for path, places in series.recorded_files.items():
        tree[path] = skeleton(path, places)
    return tree


def wheel_path(path):
    """Where a wheel has a file of Paddle's tree, below site-packages."""
    if path.startswith('python/'):
        return path[len('python/') :]
    return f'paddle/include/{path}'


def wheel_text(wheel_dirs, path, wanted):
    """The first copy whose hash is the recorded one."""
    copies = [Path(folder) / wheel_path(path) for folder in wheel_dirs]
    for copy in copies:
        if file_sha256(copy) == wanted:
            return copy.read_bytes().decode('utf-8')
    raise SeriesError(
        f'{wheel_path(path)}: no untouched copy (sha256 {wanted}) of the base '
        f'was found; a patched or different file, or none, is at: '
        f'{", ".join(map(str, copies)) or "nowhere"}. Point --paddle to the '
        'site-packages of an unpatched wheel.'
    )


def wheel_dirs(root, paddle=None):
    """Folders that may hold wheel files."""
    if paddle:
        chosen = Path(paddle).resolve()
        return [chosen.parent if chosen.name == 'paddle' else chosen]
    return sorted(Path(root, 'build').glob('venv/lib/python3*/site-packages'))


def skeleton(path, places):
    """Text made of the recorded lines at their line numbers and filler.

    A place is `12` or, within the YAML entry `fill`, `12 fill`.
    """
    filler = f'{"#" if path.endswith(".yaml") else "//"} {MARKER}'
    lines = []
    for place in sorted(places, key=lambda place: int(place.split()[0])):
        number, _, entry = place.partition(' ')
        head = [f'- op : {entry}  {filler}'] if entry else []
        room = int(number) - 1 - len(head) - len(lines)
        if room < 0:
            raise SeriesError(
                f'{path}: the place at line {number} overlaps the one before it'
            )
        lines += [filler] * room + head + places[place]
    return join_lines([*lines, filler])
