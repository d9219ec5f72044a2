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
TESTS = 'test/'
CUDA = ('.cu', '.cu.h')
GPU_STATUS = (
    'compiled for sm_80 and sm_90, emulated on the CPU, never run on a GPU'
)
# From here on upstream asks for named approvers.
MANY_LINES = 1000
# How much code a careful reader takes in.
LINES_AN_HOUR = 400


class Size(NamedTuple):
    """What a patch adds, and whether any of it is for a GPU."""

    code: int
    tests: int
    gpu: str
    files: int = 0

    @property
    def lines(self):
        return self.code + self.tests


def size_of(path):
    """The Size of a patch file, as git counts its lines."""
    code = tests = files = 0
    gpu = ''
    for row in git(path.parent, 'apply', '--numstat', path.name).splitlines():
        lines, _, name = row.split('\t')
        if name.startswith(TESTS):
            tests += int(lines)
        else:
            code += int(lines)
            files += 1
        if name.endswith(CUDA):
            gpu = GPU_STATUS
    return Size(code, tests, gpu, files)


def size_faults(series, sizes):
    """Code is never so much; with tests, a big patch says why it is not split,
    and a small one has no excuse."""
    for patch in series.patches:
        code = sizes[patch.name].code
        if code >= MANY_LINES:
            yield f'{patch.file_name} adds {code} lines of code: split it'
        said = f'{patch.file_name} adds {sizes[patch.name].lines} lines'
        big = sizes[patch.name].lines >= MANY_LINES
        if big and not patch.size_note:
            yield (
                f'{said}: split it, or say in its size_note in '
                'scripts/series/series.yaml why that cannot be'
            )
        if patch.size_note and not big:
            yield f'{said} only: it needs no size_note'


def table(patches, sizes):
    """The rows of some patches, and their sum."""
    lines = [
        '| Patch | Code | Tests | GPU | Remarks |',
        '|---|---:|---:|---|---|',
    ]
    for patch in patches:
        size = sizes[patch.name]
        lines.append(
            f'| `{patch.file_name}` | {size.code:,} | {size.tests:,} | '
            f'{size.gpu or "-"} | {patch.size_note or "-"} |'
        )
    code = sum(sizes[patch.name].code for patch in patches)
    tests = sum(sizes[patch.name].tests for patch in patches)
    return '\n'.join([*lines, f'| all | {code:,} | {tests:,} | | |'])


def pull_request_table(series, sizes):
    """What a reader of each pull request has before them."""
    lines = [
        '| Pull request | Patches | Code | Files | Minutes | Tests |',
        '|---|---:|---:|---:|---:|---:|',
    ]
    for name in series.pull_requests:
        of = [sizes[patch.name] for patch in series.pull_request(name)]
        code = sum(size.code for size in of)
        lines.append(
            f'| [{name}](pull_requests/{name}.md) | {len(of)} | {code:,} | '
            f'{sum(size.files for size in of)} | '
            f'{round(code * 60 / LINES_AN_HOUR)} | '
            f'{sum(size.tests for size in of):,} |'
        )
    return '\n'.join(lines)


def tables(series, sizes):
    """{path below docs/: table}"""
    first = pull_request_table(series, sizes)
    found = {'review_guide.md': f'{first}\n\n{table(series.patches, sizes)}'}
    for name in series.pull_requests:
        found[f'pull_requests/{name}.md'] = table(
            series.pull_request(name), sizes
        )
    return found


def run(root, write):
    """Faults found; writes the tables if told to."""
    series = load_series(root)
    folder = root / 'patches'
    found = {p.name: size_of(folder / p.file_name) for p in series.patches}
    faults = list(size_faults(series, found))
    for name, rows in tables(series, found).items():
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
