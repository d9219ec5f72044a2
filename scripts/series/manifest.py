"""Read the patch series: the sources, edits and message of each patch.

All faults of the assignment are raised in one SeriesError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml

from scripts.common.files import list_files

MANIFEST = 'scripts/series/series.yaml'
EDITS = 'scripts/series/edits'
SOURCE_DIRS = ('ops_yaml', 'kernels', 'python_api', 'unittests')
# Sources that `files` assigns, not their names: headers, which operators share,
# and GPU kernels, which are separate patches.
LISTED_SOURCES = ('kernels/funcs/', 'kernels/gpu/')
HUNK = re.compile(r'(?m)^@@ -(\d+)\S* \S+ @@ ?(.*)\n')


class SeriesError(Exception):
    """Faults of the sources, series.yaml or the patches, one per line."""

    def __init__(self, *faults):
        super().__init__('\n'.join(faults))


class Hunk(NamedTuple):
    """A hunk of edits/; in YAML files, `entry` contains its first line."""

    line_number: int
    entry: str
    lines: list

    def get_side(self, sign):
        """Return the text before (-) or after (+) the change."""
        side = [line[1:] for line in self.lines if line[:1] in ('', ' ', sign)]
        return '\n'.join(side) + '\n'


@dataclass
class Patch:
    number: int
    name: str
    ops: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    gradients: list = field(default_factory=list)
    files: list = field(default_factory=list)
    rules: bool = False
    message: str = ''
    edits: dict = field(default_factory=dict)  # {path: hunks}
    sources: list = field(default_factory=list)
    later: list = field(default_factory=list)  # the patches after this one

    @property
    def file_name(self):
        return f'{self.number:04d}-{self.name}.patch'

    @property
    def api_sources(self):
        return [f'python_api/{name}.py' for name in self.functions]

    @property
    def named_sources(self):
        return [f'ops_yaml/{op}.yaml' for op in self.ops] + self.api_sources

    def owns(self, source):
        """Whether the name of a source assigns it to this patch."""
        if source.startswith(('ops_yaml/', 'python_api/')):
            return source in self.named_sources
        stems = '|'.join(self.ops + self.functions) or '$'
        name = source.rsplit('/', 1)[-1]
        return bool(
            not source.startswith(LISTED_SOURCES)
            and re.match(rf'(test_)?({stems})[_.]', name)
        )


@dataclass
class Series:
    base: dict
    day: str
    wheel_files: dict
    not_exported: list
    pull_requests: dict  # {name: patches}, in the order of the series

    @property
    def patches(self):
        return [p for patches in self.pull_requests.values() for p in patches]


def load_series(root):
    """Load the series of a project folder."""
    raw = yaml.safe_load(Path(root, MANIFEST).read_text('utf-8'))
    series, number = Series(**raw), 0
    for pull_request, items in raw['pull_requests'].items():
        patches = []
        for name, item in items.items():
            number += 1
            patches.append(Patch(number, name, **item))
        series.pull_requests[pull_request] = patches
    for patch in series.patches:
        patch.message = read_message(Path(root, 'patches'), patch.name)
        patch.edits = read_edits(Path(root, EDITS, f'{patch.name}.diff'))
        patch.later = series.patches[patch.number :]
    sources = list_sources(root, series.not_exported)
    if faults := list(assign_sources(series, sources)):
        raise SeriesError(*faults)
    return series


def read_message(folder, name):
    """Return the commit message of a patch, whose number may be outdated."""
    head = body = ''
    for path in folder.glob(f'[0-9][0-9][0-9][0-9]-{name}.patch'):
        head, _, body = path.read_text('utf-8').partition('\n\n')
    subject = re.search(r'(?m)^Subject: \[PATCH\] (.*(\n .*)*)', head)
    subject = subject[1].replace('\n ', ' ') if subject else ''
    if not 1 <= len(subject) <= 72 or not body:
        raise SeriesError(
            f'{folder.name}/NNNN-{name}.patch: expected a line `Subject: [PATCH] '
            '...` with at most 72 characters, an empty line and a message'
        )
    return f'{subject}\n\n' + body.partition('\nSigned-off-by:')[0]


def read_edits(path):
    """Read {path: hunks} from a unified diff."""
    text = path.read_text('utf-8') if path.is_file() else ''
    edits = {}
    for diff in re.split(r'(?m)^--- a/', text)[1:]:
        head, *parts = HUNK.split(diff)
        edits[head.partition('\n')[0]] = [
            Hunk(int(number), entry, lines.splitlines())
            for number, entry, lines in zip(*[iter(parts)] * 3)
        ]
    return edits


def list_sources(root, not_exported):
    """List the paths of the source files, relative to root."""
    paths = (path for top in SOURCE_DIRS for path in list_files(root / top))
    sources = [PurePosixPath(path.relative_to(root)) for path in paths]
    return [str(x) for x in sources if not any(map(x.match, not_exported))]


def assign_sources(series, sources):
    """Assign the sources to patches, by `files` before names; yield faults."""
    for source in sources:
        matches = PurePosixPath(source).match
        owners = [p for p in series.patches if any(map(matches, p.files))] or [
            p for p in series.patches if p.owns(source)
        ]
        for owner in owners:
            owner.sources.append(source)
        if len(owners) != 1:
            names = ', '.join(owner.name for owner in owners) or 'none'
            yield f'{MANIFEST}: {source}: expected one patch, got {names}'
    for patch in series.patches:
        earlier = series.patches[: patch.number - 1]
        if patch.ops and any(p.rules for p in earlier):
            yield (
                f'{MANIFEST}: {patch.name}: a patch with `ops` has to precede '
                'the patch with `rules`, which writes all YAML entries'
            )
        for pattern in patch.named_sources + patch.files:
            if not any(PurePosixPath(x).match(pattern) for x in sources):
                yield f'{MANIFEST}: {patch.name}: no file {pattern}'
