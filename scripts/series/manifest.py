"""Reads series.yaml and assigns every source file to exactly one patch.

All faults of the assignment are raised together, so that one run shows everything
there is to repair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from scripts.common.files import files_below
from scripts.common.text_lines import join_lines
from scripts.series.patch_series import refuse, sides, split_hunks
from scripts.series.spmd_rules import rule_edits

MANIFEST = 'scripts/series/series.yaml'
SOURCE_DIRS = ('ops_yaml', 'kernels', 'python_api', 'unittests')
# Sources that names say nothing of: shared by several operators, or, kernels for
# the GPU, reviewed apart from those for the CPU.
LISTED = ('kernels/funcs/', 'kernels/gpu/')
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
    files: dict = field(default_factory=dict)
    parts: dict = field(default_factory=dict)
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
    def api_sources(self):
        return [f'python_api/{name}.py' for name in self.functions]

    @property
    def named_sources(self):
        """The files that ops and functions have to have."""
        return [f'ops_yaml/{op}.yaml' for op in self.ops] + self.api_sources

    @property
    def patterns(self):
        """What `files` lists by folder, as paths with wildcards."""
        return [
            f'{top}/{name}' for top in self.files for name in self.files[top]
        ]


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
    raw = yaml.safe_load(Path(root, MANIFEST).read_text(encoding='utf-8'))
    series = Series(**{**raw, 'patches': []})
    for number, item in enumerate(raw['patches'], 1):
        try:
            patch = Patch(number, **item)
        except TypeError as error:  # names the key that is missing or unknown
            refuse([f'series.yaml: patch {number}: {error}'])
        patch.day = str(patch.day or series.day)
        if patch.rules:
            patch.edits |= rule_edits(Path(root))
        series.patches.append(patch)
        for path, text in patch.edits.items():
            record_places(series, path, text)
        for earlier in series.patches[:-1]:
            earlier.later.append(patch)
    return series


def record_places(series, path, text):
    """Hunks that say where they are record their lines."""
    places = series.recorded_files.get(path, {})
    for number, hunk in split_hunks(text):
        if number:
            places[int(number)] = join_lines(sides(hunk)[0])
            series.recorded_files[path] = places


def matches(path, pattern):
    """Glob match in which `*` stays within a folder and `**` does not."""
    if pattern.endswith('/**'):
        return path.startswith(pattern[:-2])
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
        for name in (*patch.named_sources, *patch.patterns):
            if not any(matches(source, name) for source in sources):
                yield f'{MANIFEST}: patch {patch.name}: no file {name}'


def _owners(patches, source):
    """Patches that own a source: those that list it, else by its stem."""
    named = [p for p in patches if any(matches(source, g) for g in p.patterns)]
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
