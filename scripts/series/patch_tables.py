"""The tables of docs/review_guide.md, made from the series itself: one of the pull
requests and one of all patches."""

from __future__ import annotations

from typing import NamedTuple

from scripts.common.text_lines import between
from scripts.series.patch_series import refuse

GUIDE = 'docs/review_guide.md'
START = '<!-- patches: written by scripts/series/export_patches.py -->'
END = '<!-- end of patches -->'
PATCH_HEAD = """\
| Patch | Code | Tests | GPU | Remarks |
|---|---:|---:|---|---|"""
PULL_REQUEST_HEAD = """\
| Pull request | Patches | Code | Files | Minutes | Tests |
|---|---:|---:|---:|---:|---:|"""
GPU_STATUS = 'emulated on the CPU, never run on a GPU'
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


def size_of(numstat):
    """The Size of a patch, from the lines that git counts."""
    sizes = []
    for row in numstat.splitlines():
        lines, _, name = row.split('\t')
        if name.startswith('test/'):
            sizes.append(Size(tests=int(lines)))
        else:
            gpu = name.endswith(('.cu', '.cu.h'))
            sizes.append(Size(code=int(lines), files=1, gpu=gpu))
    return total(sizes)


def total(sizes):
    return Size(*map(sum, zip(*sizes)))


def size_faults(patch, size):
    """Code is never so much; with tests, a big patch says why it is not split,
    and a small one has no excuse."""
    lines = size.code + size.tests
    if size.code >= MANY_LINES:
        yield f'{patch.file_name} adds {size.code} lines of code: split it'
    if (lines >= MANY_LINES) != bool(patch.size_note):
        yield (
            f'{patch.file_name} adds {lines} lines: from {MANY_LINES} on, and '
            'only then, its size_note in series.yaml says why it is not split'
        )


def patch_rows(patches, sizes):
    for patch in patches:
        size = sizes[patch.name]
        yield (
            f'| `{patch.file_name}` | {size.code:,} | {size.tests:,} | '
            f'{GPU_STATUS if size.gpu else "-"} | {patch.size_note or "-"} |'
        )
    size = total(sizes.values())
    yield f'| all | {size.code:,} | {size.tests:,} | | |'


def pull_request_rows(pull_requests, sizes):
    """What a reader of each pull request has before them."""
    for name, patches in pull_requests.items():
        size = total(sizes[patch.name] for patch in patches)
        yield (
            f'| [{name}](pull_requests/{name}.md) | {len(patches)} | '
            f'{size.code:,} | {size.files} | '
            f'{round(size.code * 60 / LINES_AN_HOUR)} | {size.tests:,} |'
        )


def with_tables(text, series, sizes):
    """The guide with the tables of {patch name: Size}."""
    patches = series.patches
    refuse(x for p in patches for x in size_faults(p, sizes[p.name]))
    rows = [PULL_REQUEST_HEAD, *pull_request_rows(series.pull_requests, sizes)]
    rows += ['', PATCH_HEAD, *patch_rows(patches, sizes)]
    return between(text, START, END, '\n'.join(rows), GUIDE)
