"""Reads series.yaml and assigns every source file to exactly one patch.

All faults of the manifest and of the assignment are collected and raised
together, so that one run shows everything there is to repair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path

import yaml

from scripts.common.text_lines import join_lines
from scripts.series.patch_series import refuse, split_hunks

MANIFEST = 'scripts/series/series.yaml'
SOURCE_DIRS = ('ops_yaml', 'kernels', 'python_api', 'unittests')
GPU_SOURCES = 'kernels/gpu/'
NAME = re.compile(r'[a-z0-9]+-[a-z]+-[a-z0-9_]+(-[a-z0-9_]+)*')
MAX_FILE_NAME, MAX_SUBJECT = 60, 72
# Fields of packagers' patches. Paddle's log has none of them.
FOREIGN = re.compile(
    r'(?m)^(Forwarded|Origin|Author|Bug|Base|Applies-To|Depends|Tested-By'
    r'|Reviewed-by|Last-Update): .*'
)
# Whoever sends the patches puts their own name here: export_patches.py --author.
PLACEHOLDER_AUTHOR = 'Your Name <you@example.com>'


@dataclass
class Patch:
    number: int
    name: str
    pull_request: str
    subject: str
    body: str
    day: str = ''
    ops: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    files: list = field(default_factory=list)
    edits: dict = field(default_factory=dict)
    size_note: str = ''
    sources: list = field(default_factory=list)
    # {upstream path: hunks} that later patches apply to what this one adds
    later: dict = field(default_factory=dict)

    @property
    def file_name(self):
        return f'{self.number:04d}-{self.name}.patch'

    @property
    def api_sources(self):
        return [f'python_api/{name}.py' for name in self.functions]

    @property
    def named_sources(self):
        """The files that ops and functions have to have."""
        return [f'ops_yaml/{op}.yaml' for op in self.ops] + self.api_sources


@dataclass
class Series:
    base: dict
    wheel_files: dict
    recorded_files: dict
    not_exported: list
    patches: list
    day: str = ''
    author: str = PLACEHOLDER_AUTHOR

    @property
    def pull_requests(self):
        """Their names, in the order of the line."""
        return list(dict.fromkeys(p.pull_request for p in self.patches))

    def pull_request(self, name):
        """The patches of a pull request, a stretch of the line."""
        return [p for p in self.patches if p.pull_request == name]


def load_series(root):
    """The series of a project folder, with its source files assigned."""
    series = read_manifest(root)
    refuse(assign_sources(series, list_sources(root, series.not_exported)))
    return series


def read_manifest(root):
    """The series of a project folder, without its sources."""
    text = Path(root, MANIFEST).read_text(encoding='utf-8')
    raw, faults = yaml.safe_load(text), []
    recorded = {**raw['recorded_files'], **recorded_by_edits(raw)}
    series = Series(**{**raw, 'recorded_files': recorded, 'patches': []})
    for number, item in enumerate(raw['patches'], 1):
        try:
            patch = Patch(number, **{**item, 'files': _patterns(item)})
            patch.day = str(patch.day or series.day)
            series.patches.append(patch)
            found = _message_faults(patch)
        except TypeError as error:
            found = [str(error)]  # names the key that is missing or unknown
        name = item.get('name', 'no name')
        faults += [f'series.yaml: patch {number} ({name}): {f}' for f in found]
    refuse([*faults, *_line_faults(series)])
    for patch in series.patches:
        for later in series.patches[patch.number :]:
            for path, text in later.edits.items():
                hunks = [hunk for _, hunk in split_hunks(text)]
                patch.later.setdefault(path, []).extend(hunks)
    return series


def _line_faults(series):
    """A pull request begins where the one before it ends."""
    stretches = [
        name for name, _ in groupby(p.pull_request for p in series.patches)
    ]
    for name in sorted({n for n in stretches if stretches.count(n) > 1}):
        yield f'series.yaml: the patches of {name} do not follow each other'


def _patterns(item):
    """What a patch lists by folder, as paths with wildcards."""
    files = item.get('files', {})
    lists = files.values() if isinstance(files, dict) else [None]
    if not all(isinstance(names, list) for names in lists):
        raise TypeError('files has no lists by folder, as kernels/gpu: [op_*]')
    return [f'{folder}/{name}' for folder in files for name in files[folder]]


def recorded_by_edits(raw):
    """{path: places} of the files whose hunks say where they are."""
    found = {}
    for patch in raw['patches']:
        for path, text in patch.get('edits', {}).items():
            for number, hunk in split_hunks(text):
                if number:
                    old = [line[1:] for line in hunk if line[:1] != '+']
                    found.setdefault(path, {})[int(number)] = join_lines(old)
    return {path: dict(sorted(at.items())) for path, at in found.items()}


def _message_faults(patch):
    """What a file name and a message of Paddle's log look like."""
    name, subject = patch.name, patch.subject
    if not NAME.fullmatch(name) or len(f'0000-{name}.patch') > MAX_FILE_NAME:
        yield (
            f'expected a name <area>-<verb>-<op> of at most {MAX_FILE_NAME} '
            f'characters with number and suffix, got {name!r}'
        )
    if len(subject) > MAX_SUBJECT or subject.endswith('.') or '\n' in subject:
        yield (
            f'expected a subject of one line, at most {MAX_SUBJECT} characters '
            f'and no full stop, got {subject!r}'
        )
    for field_of_mail in FOREIGN.finditer(patch.body):
        yield f'commits of Paddle have no field {field_of_mail[0]!r}'


def matches(path, pattern):
    """Glob match in which `*` stays within a folder and `**` does not."""
    if pattern.endswith('/**'):
        return path.startswith(pattern[:-2])
    return path.count('/') == pattern.count('/') and fnmatchcase(path, pattern)


def list_sources(root, not_exported):
    """Paths (relative, posix, sorted) of the source files below root."""
    found = []
    for top in SOURCE_DIRS:
        for path in sorted((Path(root) / top).rglob('*')):
            rel = path.relative_to(root)
            hidden = any(p.startswith(('.', '__pycache__')) for p in rel.parts)
            if path.is_file() and not hidden:
                found.append(rel.as_posix())
    return [p for p in found if not any(matches(p, g) for g in not_exported)]


def assign_sources(series, sources):
    """Fills every patch's `sources`; yields the faults."""
    for source in sources:
        owners = _owners(series.patches, source)
        if len(owners) == 1:
            owners[0].sources.append(source)
        elif owners:
            names = ', '.join(p.name for p in owners)
            yield f'{source}: mapped by more than one patch: {names}'
        else:
            yield f'{source}: mapped by no patch; {_remedy(source)}'
    for patch in series.patches:
        where = f'series.yaml: patch {patch.name}'
        for name in patch.named_sources:
            if name not in sources:
                yield f'{where}: no file {name}'
        for pattern in patch.files:
            if not any(matches(source, pattern) for source in sources):
                yield f'{where}: {pattern!r} matches no source file'


def _owners(patches, source):
    """Patches that own a source: those that list it, else by its stem."""
    named = [p for p in patches if any(matches(source, g) for g in p.files)]
    return named or [p for p in patches if _is_named_after(p, source)]


def _remedy(source):
    where = 'scripts/series/series.yaml'
    if source.startswith(GPU_SOURCES):
        return (
            f'list it under files of an item of its own in {where}: by its name '
            'a kernel for the GPU would go along with those for the CPU'
        )
    return f'name it in {where} (ops, functions, files or not_exported)'


def _is_named_after(patch, source):
    """Whether the file name starts with an op or a function of the patch.

    kernels/funcs is shared by several operators, so a name says nothing there;
    kernels for the GPU are reviewed apart from those for the CPU.
    """
    if source.startswith(('ops_yaml/', 'python_api/')):
        return source in patch.named_sources
    if source.startswith(('kernels/funcs/', GPU_SOURCES)):
        return False
    name = source.rsplit('/', 1)[-1]
    stems = patch.ops + patch.functions
    return any(re.match(rf'(test_)?{stem}[_.]', name) for stem in stems)
