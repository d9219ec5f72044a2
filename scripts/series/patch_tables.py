"""The tables of patches in docs/, made from the series itself.

docs/review_guide.md gets one of the pull requests and one of all patches,
docs/pull_requests/<name>.md one of those of its stretch. Without --write it only says which of them
are out of date.

Exit status: 0 up to date or written, 1 out of date, or faults.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import verdict
from scripts.common.text_lines import between
from scripts.series.manifest import load_series
from scripts.series.patch_repo import git
from scripts.series.patch_series import SeriesError

ROOT = Path(__file__).resolve().parents[2]
START = '<!-- patches: written by scripts/series/patch_tables.py -->'
END = '<!-- end of patches -->'
PATCH_HEAD = """\
| Patch | Code | Tests | GPU | Remarks |
|---|---:|---:|---|---|"""
PULL_REQUEST_HEAD = """\
| Pull request | Patches | Code | Files | Minutes | Tests |
|---|---:|---:|---:|---:|---:|"""
GPU_STATUS = (
    'compiled for sm_80 and sm_90, emulated on the CPU, never run on a GPU'
)
# From here on upstream asks for named approvers.
MANY_LINES = 1000
# How much code a careful reader takes in.
LINES_AN_HOUR = 400


class Size(NamedTuple):
    """What patches add: lines of code and of tests, files with code."""

    code: int = 0
    tests: int = 0
    files: int = 0
    gpu: bool = False


def size_of(path):
    """The Size of a patch file, as git counts its lines."""
    size = Size()
    for row in git(path.parent, 'apply', '--numstat', path.name).splitlines():
        lines, _, name = row.split('\t')
        cuda = name.endswith(('.cu', '.cu.h'))
        is_test = name.startswith('test/')
        added = (0, int(lines), 0) if is_test else (int(lines), 0, 1)
        size = total([size, Size(*added, cuda)])
    return size


def total(sizes):
    return Size(*map(sum, zip(*sizes)))


def size_faults(patches, sizes):
    """Code is never so much; with tests, a big patch says why it is not split,
    and a small one has no excuse."""
    for patch in patches:
        size = sizes[patch.name]
        lines = size.code + size.tests
        if size.code >= MANY_LINES:
            yield f'{patch.file_name} adds {size.code} lines of code: split it'
        if (lines >= MANY_LINES) != bool(patch.size_note):
            yield (
                f'{patch.file_name} adds {lines} lines: from {MANY_LINES} on, and '
                'only then, its size_note in series.yaml says why it is not split'
            )


def table(patches, sizes):
    """The rows of some patches, and their sum."""
    rows = [PATCH_HEAD]
    for patch in patches:
        size = sizes[patch.name]
        rows.append(
            f'| `{patch.file_name}` | {size.code:,} | {size.tests:,} | '
            f'{GPU_STATUS if size.gpu else "-"} | {patch.size_note or "-"} |'
        )
    size = total(sizes[patch.name] for patch in patches)
    return '\n'.join([*rows, f'| all | {size.code:,} | {size.tests:,} | | |'])


def pull_request_table(series, sizes):
    """What a reader of each pull request has before them."""
    rows = [PULL_REQUEST_HEAD]
    for name in series.pull_requests:
        patches = series.pull_request(name)
        size = total(sizes[patch.name] for patch in patches)
        rows.append(
            f'| [{name}](pull_requests/{name}.md) | {len(patches)} | '
            f'{size.code:,} | {size.files} | '
            f'{round(size.code * 60 / LINES_AN_HOUR)} | {size.tests:,} |'
        )
    return '\n'.join(rows)


def run(root, write):
    """Faults found; writes the tables if told to."""
    series = load_series(root)
    sizes = {
        p.name: size_of(root / 'patches' / p.file_name) for p in series.patches
    }
    both = pull_request_table(series, sizes), table(series.patches, sizes)
    found = {'review_guide.md': '\n\n'.join(both)}
    for name in series.pull_requests:
        rows = table(series.pull_request(name), sizes)
        found[f'pull_requests/{name}.md'] = rows
    faults = list(size_faults(series.patches, sizes))
    for name, rows in found.items():
        path = root / 'docs' / name
        if not path.is_file():
            faults.append(
                f'docs/{name}: missing; write it like the others there, with '
                f'{START} and {END} where the table goes'
            )
            continue
        text = path.read_text(encoding='utf-8')
        new = between(text, START, END, rows, path.name)
        if write:
            path.write_text(new, encoding='utf-8')
        elif new != text:
            faults.append(f'{name}: not the table of the present patches')
    return faults


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--root', type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    try:
        faults = run(options.root, options.write)
    except (OSError, ValueError, SeriesError) as error:
        faults = getattr(error, 'faults', [str(error)])
    good = 'written' if options.write else 'up to date'
    return verdict('patch_tables', faults, good)


if __name__ == '__main__':
    sys.exit(main())
