"""Read the patch series: the sources, edits and message of each patch.

All faults of the assignment are raised in one SeriesError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml

MANIFEST = 'scripts/series/series.yaml'
EDITS = 'scripts/series/edits'
# The sources; those of an operator; those of a function.
SOURCES = (
    'ops_yaml/*.yaml', 'kernels/**/*.h', 'kernels/**/*.cc', 'kernels/**/*.cu',
    'python_api/*.py', 'unittests/*.py',
)  # fmt: skip
OF_OP = (
    'ops_yaml/{}.yaml', 'kernels/{}_*.h', 'kernels/cpu/{}_*',
    'kernels/impl/{}_*', 'kernels/infermeta/{}.*',
    'kernels/infer_symbolic_shape/{}_*', 'unittests/test_{}_op*.py',
)  # fmt: skip
OF_FUNCTION = ('python_api/{}.py', 'unittests/test_{}_api*.py')
# Paddle's files into which sources are merged.
PYTHON_FILE = 'python/paddle/tensor/manipulation.py'
YAML = 'paddle/phi/ops/yaml/'
OP_FILES = {'op': f'{YAML}ops.yaml', 'backward_op': f'{YAML}backward.yaml'}
TERNARY = 'paddle/phi/infermeta/ternary'
RULES = 'paddle/phi/infermeta/spmd_rules/rules.cc'
MERGED = {
    PYTHON_FILE, *OP_FILES.values(), f'{TERNARY}.h', f'{TERNARY}.cc', RULES,
}  # fmt: skip
DIFF = re.compile(r'(?ms)^--- a/(\S+)\n(.*?)(?=^diff --git |^--- a/|\Z)')
HUNK = re.compile(r'(?m)^@@ -(\d+)\S* \S+ @@ ?(.*)\n')


class SeriesError(Exception):
    """Faults of the sources, series.yaml or the patches, one per line."""

    def __init__(self, *faults):
        super().__init__('\n'.join(faults))


class Hunk(NamedTuple):
    """A change; in YAML files of edits/, `entry` is the name of the entry above."""

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
    def patterns(self):
        """The globs of the sources."""
        names = [pattern.format(op) for op in self.ops for pattern in OF_OP]
        names += [x.format(f) for f in self.functions for x in OF_FUNCTION]
        return self.files + names


@dataclass
class Series:
    base: dict
    day: str
    pull_requests: dict  # {name: patches}, in the order of the series

    @property
    def patches(self):
        return [p for patches in self.pull_requests.values() for p in patches]


def load_series(root):
    """Load the series of a project folder."""
    series = Series(**yaml.safe_load(Path(root, MANIFEST).read_text('utf-8')))
    numbers = count(1)
    for pull_request, items in series.pull_requests.items():
        series.pull_requests[pull_request] = [
            Patch(next(numbers), name, **item) for name, item in items.items()
        ]
    for patch in series.patches:
        text = read_patch(Path(root, 'patches'), patch.name)
        patch.message = get_message(text, patch.name)
        patch.edits = {
            name_source(root, path): hunks
            for path, hunks in read_edits(text).items()
            if path not in MERGED
        }
        edits = Path(root, EDITS, f'{patch.name}.diff')
        if edits.is_file():
            patch.edits |= read_edits(edits.read_text('utf-8'))
        patch.later = series.patches[patch.number :]
    paths = [p for x in SOURCES for p in sorted(Path(root).glob(x))]
    sources = [path.relative_to(root).as_posix() for path in paths]
    if faults := list(assign_sources(series.patches, sources)):
        raise SeriesError(*faults)
    return series


def read_patch(folder, name):
    """Return the text of a patch, whose number may be outdated."""
    paths = folder.glob(f'[0-9][0-9][0-9][0-9]-{name}.patch')
    return ''.join(path.read_text('utf-8') for path in paths)


def get_message(text, name):
    """Return the commit message of a patch."""
    head, _, body = text.partition('\n\n')
    subject = re.search(r'(?m)^Subject: \[PATCH\] (.*(\n .*)*)', head)
    subject = subject[1].replace('\n ', ' ') if subject else ''
    if not 1 <= len(subject) <= 72 or not body:
        raise SeriesError(
            f'patches/NNNN-{name}.patch: expected a line `Subject: [PATCH] '
            '...` with at most 72 characters, an empty line and a message'
        )
    message = re.split(r'\n(?:Signed-off-by:|diff --git |--- a/)', body)[0]
    return f'{subject}\n\n{message}'


def read_edits(text):
    """Read {path: hunks} of the existing files in a unified diff."""
    edits = {}
    for path, diff in DIFF.findall(text):
        parts = iter(HUNK.split(diff)[1:])
        edits[path] = [
            Hunk(int(number), entry, lines.splitlines())
            for number, entry, lines in zip(parts, parts, parts)
        ]
    return edits


def name_source(root, path):
    """Return the source of a path in Paddle's tree, or else the path."""
    source = path.removeprefix('paddle/phi/')
    return source if Path(root, source).is_file() else path


def assign_sources(patches, sources):
    """Assign each source to the patch that has a glob of it; yield faults."""
    for source in sources:
        matches = PurePosixPath(source).match
        owners = [p for p in patches if any(map(matches, p.patterns))]
        for owner in owners:
            owner.sources.append(source)
        if len(owners) != 1:
            names = ', '.join(owner.name for owner in owners) or 'none'
            yield f'{MANIFEST}: {source}: expected one patch, got {names}'
    for patch in patches:
        for pattern in patch.patterns:
            may_be_unused = '*' in pattern and pattern not in patch.files
            matches = [x for x in sources if PurePosixPath(x).match(pattern)]
            if not matches and not may_be_unused:
                yield f'{MANIFEST}: {patch.name}: no file {pattern}'
