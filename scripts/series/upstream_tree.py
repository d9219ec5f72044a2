"""The part of Paddle's base tree that the series touches, as far as it is known.

Files that the wheel ships are taken from it, checked by hash. Of the others only
the lines around each insertion are recorded; the text between them is filled with
marker lines, so that the recorded lines stand at their approximate line numbers
and a patch that leans on unrecorded text can be told.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from scripts.common.files import file_sha256
from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError, do_all

MARKER = 'unrecorded upstream text'


def base_tree(series, wheel_dirs):
    """{upstream path: text} before the first patch."""
    tree = {}
    read = partial(add_wheel_file, tree, wheel_dirs)
    do_all(partial(read, *wanted) for wanted in series.wheel_files.items())
    for path, places in series.recorded_files.items():
        tree[path] = skeleton(path, places)
    return tree


def wheel_path(path):
    """Where a wheel has a file of Paddle's tree, below site-packages."""
    if path.startswith('python/'):
        return path[len('python/') :]
    return f'paddle/include/{path}'


def add_wheel_file(tree, wheel_dirs, path, wanted):
    """Reads the first copy whose hash is the recorded one."""
    seen = []
    for folder in wheel_dirs:
        copy = Path(folder) / wheel_path(path)
        digest = file_sha256(copy)
        if digest == wanted:
            tree[path] = copy.read_bytes().decode('utf-8')
            return
        said = f'sha256 is {digest}' if digest else 'no such file'
        seen.append(f'{copy}: {said}')
    raise SeriesError(
        f'{wheel_path(path)}: no untouched copy (sha256 {wanted}) of the base '
        f'was found; a patched or different file was seen at: '
        f'{"; ".join(seen) or "nowhere"}. Point --paddle to the site-packages '
        'of an unpatched wheel.'
    )


def wheel_dirs(root, paddle=None):
    """Folders that may hold wheel files: copies the build kept come first."""
    if paddle:
        chosen = Path(paddle).resolve()
        if chosen.name == 'paddle':
            chosen = chosen.parent
        # A venv is <build>/venv/lib/python3.x/site-packages.
        build = chosen.parents[3] if len(chosen.parents) > 3 else chosen
        return [build / 'originals', chosen]
    root = Path(root)
    venvs = (root / 'build').glob('venv/lib/python3*/site-packages')
    return [root / 'build/originals', *sorted(venvs)]


def skeleton(path, places):
    """Text made of the recorded lines at their line numbers and filler.

    A place is `12` or, within the YAML entry `fill`, `12 fill`.
    """
    comment = '#' if path.endswith('.yaml') else '//'
    filler = f'{comment} {MARKER}'
    lines, open_entry = [], None
    for place, text in places.items():
        number, _, entry = str(place).partition(' ')
        recorded = split_lines(text)
        head = []
        if entry:
            following = next(x for x in recorded if x.startswith('- '))
            kind, next_entry = following.split(' : ')
            if entry != open_entry:
                head.append(f'{kind} : {entry}  {filler}')
            if recorded[0].startswith('    '):
                head.append(f'  kernel :  {filler}')
            open_entry = next_entry
        room = int(number) - 1 - len(head) - len(lines)
        if room < 0:
            raise SeriesError(
                f'{path}: the place at line {number} overlaps the one before it'
            )
        lines += [filler] * room + head + recorded
    return join_lines([*lines, filler])
