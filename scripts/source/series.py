"""What the patch series needs of a tree, and whether a tree has it.

Everything here looks at commits and at git's index: no file of the checkout is
touched.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from scripts.series.patch_series import read_base, read_series, split_diffs
from scripts.source.git import message

INDEX = re.compile(r'^index ([0-9a-f]{40})\.\.([0-9a-f]{40})', re.MULTILINE)


@dataclass
class SourceSeries:
    """The patches in order, their base, and the files they touch."""

    folder: object
    patches: list
    tag: str
    commit: str
    # upstream path -> blob id in the base, '' where it is not known
    changed: dict = field(default_factory=dict)
    # upstream path -> blob id at the end of the series
    added: dict = field(default_factory=dict)

    @property
    def paths(self):
        return [str(patch.path) for patch in self.patches]

    def digest(self):
        """Changes with every byte of the patches."""
        total = hashlib.sha256()
        for patch in self.patches:
            total.update(patch.path.read_bytes())
        return total.hexdigest()


def load(folder):
    """The series in a patch folder."""
    base = read_base(folder)
    series = SourceSeries(
        folder, read_series(folder), base['tag'], base['commit']
    )
    for patch in series.patches:
        blobs = blob_ids(patch.path.read_text(encoding='utf-8'))
        for path in patch.touched:
            before, after = blobs.get(path, ('', ''))
            if path in patch.added or path in series.added:
                series.added[path] = after
            else:
                series.changed.setdefault(path, before)
    return series


def blob_ids(text):
    """{path: (before, after)} of a patch's `index` lines."""
    blobs = {}
    for path, diff in split_diffs(text)[1]:
        found = INDEX.search(diff.partition('\n@@ ')[0])
        if found:
            blobs[path] = found.groups()
    return blobs


def misfit(checkout, series):
    """(name of the first patch that does not fit, what git says), or None."""
    if _try(checkout, series.patches).returncode == 0:
        return None
    for count, patch in enumerate(series.patches, 1):
        done = _try(checkout, series.patches[:count])
        if done.returncode:
            return patch.path.name, message(done)
    return None


def _try(checkout, patches):
    """git apply of patches that lean on each other, so as one text."""
    texts = [patch.path.read_text(encoding='utf-8') for patch in patches]
    return checkout.run('apply', '--cached', '--check', data=''.join(texts))


def blobs_of(checkout, series, commit):
    """{path: blob id} of those files that the series adds."""
    listed = checkout.out('ls-tree', '-r', commit, '--', *series.added)
    lines = [line.split('\t') for line in listed.splitlines()]
    return {path: what.split()[2] for what, path in lines}


def is_applied(checkout, series, commit):
    """Whether every file that the series adds is there as it adds it."""
    return blobs_of(checkout, series, commit) == series.added


def differing_files(checkout, series, commit):
    """(files that differ from the base, files that could not be compared)."""
    if checkout.has_commit(series.commit):
        text = checkout.out(
            'diff', '--name-only', '--no-renames', series.commit, commit,
            '--', *series.changed,
        )  # fmt: skip
        return text.splitlines(), []
    differing, unknown = [], []
    for path, blob in series.changed.items():
        if blob and checkout.blob(commit, path) != blob:
            differing.append(path)
        elif not blob:
            unknown.append(path)
    return differing, unknown
