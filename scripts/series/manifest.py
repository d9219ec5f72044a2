"""Reads series.yaml, assigns every source file to exactly one patch, and takes the
patches' messages from the pages of their pull requests.

All faults are raised together, so that one run shows everything there is to repair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path

import yaml

from scripts.common.files import files_below
from scripts.series.patch_series import refuse, sides, split_hunks
from scripts.series.spmd_rules import add_rules

MANIFEST = 'scripts/series/series.yaml'
EDITS = 'scripts/series/edits'
SOURCE_DIRS = ('ops_yaml', 'kernels', 'python_api', 'unittests')
# Sources that names say nothing of: shared by several operators, or, kernels for
# the GPU, reviewed apart from those for the CPU.
LISTED = ('kernels/funcs/', 'kernels/gpu/')
# Whoever sends the patches puts their own name here: export_patches.py --author.
PLACEHOLDER_AUTHOR = 'Your Name <you@example.com>'
# A section of a page: a patch's name and its message.
SECTION = re.compile(r'(?ms)^#### (\S+)\n\n```text\n(.*?)\n```$')


@dataclass
class Patch:
    number: int
    name: str
    message: str = ''
    day: str = ''
    ops: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    files: list = field(default_factory=list)
    edits: dict = field(default_factory=dict)
    rules: bool = False
    size_note: str = ''
    sources: list = field(default_factory=list)
    # the patches after this one
    later: list = field(default_factory=list)

    @property
    def file_name(self):
        return f'{self.number:04d}-{self.name}.patch'

    @property
    def subject(self):
        return self.message.partition('\n')[0]

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
    not_exported: list
    # {name: its patches}, in the order of the line
    pull_requests: dict
    day: str = ''
    author: str = PLACEHOLDER_AUTHOR

    @property
    def patches(self):
        return [p for patches in self.pull_requests.values() for p in patches]

    @property
    def recorded_files(self):
        """{path: {place: lines}} of what edits say of Paddle's files."""
        found = {}
        edits = [edit for patch in self.patches for edit in patch.edits.items()]
        for path, text in edits:
            for place, hunk in split_hunks(text):
                if place:
                    found.setdefault(path, {})[place] = sides(hunk)[0]
        return found


def load_series(root):
    """The series of a project folder, with its source files and messages."""
    series = read_manifest(root)
    sources = list_sources(root, series.not_exported)
    refuse([*assign_sources(series, sources), *read_messages(series, root)])
    return series


def read_manifest(root):
    """The series of a project folder, without its sources and messages."""
    raw = yaml.safe_load(Path(root, MANIFEST).read_text(encoding='utf-8'))
    series = Series(**{**raw, 'pull_requests': {}})
    known = {}
    for pull_request, items in raw['pull_requests'].items():
        patches = series.pull_requests[pull_request] = []
        for name, item in items.items():
            number = len(series.patches) + 1
            try:
                patch = Patch(number, name, **item)
            except TypeError as error:  # names the key that is unknown
                refuse([f'{MANIFEST}: patch {name}: {error}'])
            patch.day = str(patch.day or series.day)
            patch.edits = read_edits(root, name, series.wheel_files, known)
            if patch.rules:
                add_rules(patch.edits, root)
            for earlier in series.patches:
                earlier.later.append(patch)
            patches.append(patch)
    return series


def read_edits(root, name, wheel_files, known):
    """{path: hunks} of a patch's diff; a hunk begins with `@@` and, where it records
    lines of a file that the wheel does not ship, their place.

    known: {path: the lines that the hunks so far leave in such a file}; a hunk in
    these has no place of its own.
    """
    path = Path(root, EDITS, f'{name}.diff')
    edits = {}
    text = path.read_text(encoding='utf-8') if path.is_file() else ''
    for diff in re.split(r'(?m)^--- a/', text)[1:]:
        file = diff.partition('\n')[0]
        parts = re.split(r'(?m)^@@ -(\d+)\S* \S+ @@ ?(.*)\n', diff)[1:]
        recorded = file not in wheel_files and not file.startswith(SOURCE_DIRS)
        hunks = []
        for number, entry, lines in zip(parts[::3], parts[1::3], parts[2::3]):
            before, after = (
                '\n'.join(side) for side in sides(lines.splitlines())
            )
            here = known.setdefault(file, []) if recorded else []
            is_new = recorded and not any(before in text for text in here)
            here.append(after)
            place = f'{number} {entry}'.strip() if is_new else ''
            hunks.append(f'@@ {place}\n{lines}')
        edits[file] = ''.join(hunks)
    return edits


def read_messages(series, root):
    """Gives every patch its message; yields the faults."""
    for name, patches in series.pull_requests.items():
        page = f'docs/pull_requests/{name}.md'
        path = Path(root, page)
        text = path.read_text(encoding='utf-8') if path.is_file() else ''
        sections = SECTION.findall(text)
        names = [patch.name for patch in patches], [x for x, _ in sections]
        for wanted, section in zip_longest(*names, fillvalue='none'):
            if wanted != section:
                yield (
                    f'{page}: its sections are the messages of its patches in '
                    f'{MANIFEST}, in order: expected {wanted}, got {section}'
                )
                break
        for patch, (_, patch.message) in zip(patches, sections):
            if not re.match(r'.{1,72}\n\n\S', patch.message):
                yield (
                    f'{page}: {patch.name}: expected a subject of at most 72 '
                    f'characters, an empty line and a body, got `{patch.subject}`'
                )


def matches(path, pattern):
    """Glob match in which `*` stays within a folder."""
    return path.count('/') == pattern.count('/') and fnmatchcase(path, pattern)


def list_sources(root, not_exported):
    """Paths (relative, posix, sorted) of the source files below root."""
    paths = (path for top in SOURCE_DIRS for path in files_below(root / top))
    found = [path.relative_to(root).as_posix() for path in paths]
    return [p for p in found if not any(matches(p, g) for g in not_exported)]


def assign_sources(series, sources):
    """Fills every patch's `sources`; yields the faults."""
    for source in sources:
        owners = _owners(series.patches, source)
        if len(owners) == 1:
            owners[0].sources.append(source)
        else:
            names = ', '.join(p.name for p in owners) or 'none'
            yield (
                f'{source}: expected one patch that has it, got {names}; name it '
                f'in {MANIFEST} (ops, functions, files or not_exported). What is '
                f'in {" or ".join(LISTED)} has to be listed under files'
            )
    for patch in series.patches:
        for name in (*patch.named_sources, *patch.files):
            if not any(matches(source, name) for source in sources):
                yield f'{MANIFEST}: patch {patch.name}: no file {name}'


def _owners(patches, source):
    """Patches that own a source: those that list it, else by its stem."""
    named = [p for p in patches if any(matches(source, g) for g in p.files)]
    return named or [p for p in patches if _is_named_after(p, source)]


def _is_named_after(patch, source):
    """Whether the file name starts with an op or a function of the patch."""
    if source.startswith(('ops_yaml/', 'python_api/')):
        return source in patch.named_sources
    if source.startswith(LISTED):
        return False
    name = source.rsplit('/', 1)[-1]
    stems = patch.ops + patch.functions
    return any(re.match(rf'(test_)?{stem}[_.]', name) for stem in stems)
