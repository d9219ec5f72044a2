"""What the patch series needs of a tree, and whether a tree has it.

Everything here looks at commits through a scratch index: no file of the
checkout is touched.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from scripts.series.patch_series import read_base, read_series
from scripts.source.git import message

INDEX = re.compile(r'^index ([0-9a-f]{40})\.\.[0-9a-f]{40}', re.MULTILINE)
FAILED = re.compile(r'^error: (?:patch failed: )?([^:\n]+):', re.MULTILINE)


@dataclass
class SourceSeries:
    """The patches in order, their base, and the base's files they touch."""

    folder: object
    patches: list
    base: dict
    # upstream path -> blob id in the base, '' where it is not known
    changed: dict = field(default_factory=dict)
    added: list = field(default_factory=list)

    @property
    def paths(self):
        return [str(patch.path) for patch in self.patches]

    @property
    def tag(self):
        return self.base['tag']

    @property
    def commit(self):
        return self.base['commit']

    def digest(self):
        """Changes with every byte of the patches."""
        total = hashlib.sha256()
        for patch in self.patches:
            total.update(patch.path.read_bytes())
        return total.hexdigest()


def load(folder):
    """The series in a patch folder."""
    series = SourceSeries(folder, read_series(folder), read_base(folder))
    for patch in series.patches:
        blobs = base_blobs(patch.path.read_text(encoding='utf-8'))
        for path in patch.changed:
            if path not in series.added:
                series.changed.setdefault(path, blobs.get(path, ''))
        series.added += patch.added
    return series


def base_blobs(text):
    """{path: blob id before the patch} of a patch's `index` lines."""
    blobs = {}
    for diff in re.split(r'(?m)^(?=diff --git )', text)[1:]:
        path = diff.split('\n', 1)[0].rpartition(' b/')[2]
        found = INDEX.search(diff.partition('\n@@ ')[0])
        if found:
            blobs[path] = found.group(1)
    return blobs


@dataclass
class Trial:
    """How a trial of the series went: the patch that failed, and why."""

    patch: str = ''
    files: list = field(default_factory=list)
    text: str = ''

    @property
    def fits(self):
        return not self.patch


def try_series(checkout, series, commit):
    """Applies the whole series to a scratch index of `commit`."""
    with checkout.scratch_index(commit) as env:
        for patch in series.patches:
            done = checkout.run('apply', '--cached', str(patch.path), env=env)
            if done.returncode:
                text = message(done)
                files = sorted(set(FAILED.findall(text)) & set(patch.touched))
                return Trial(patch.path.name, files, text)
    return Trial()


def is_applied(checkout, series, commit):
    """Whether the whole series can be taken back from `commit`."""
    with checkout.scratch_index(commit) as env:
        return all(
            checkout.test('apply', '--cached', '--reverse', str(path), env=env)
            for path in reversed(series.paths)
        )


def differing_files(checkout, series, commit):
    """(files that differ from the base, files that could not be compared)."""
    if checkout.has_commit(series.commit):
        text = checkout.out(
            'diff', '--name-only', '--no-renames', series.commit, commit,
            '--', *series.changed,
        )  # fmt: skip
        return text.split('\n') if text else [], []
    differing, unknown = [], []
    for path, blob in series.changed.items():
        present = checkout.blob(commit, path)
        if present is None or (blob and present != blob):
            differing.append(path)
        elif not blob:
            unknown.append(path)
    return differing, unknown


def commits_on_base(checkout, series):
    """Commits the series onto the base without a work tree; gives the tip.

    Needs the base commit in the clone. The result is what a three-way merge
    onto another commit starts from.
    """
    tip = series.commit
    for patch in series.patches:
        with checkout.scratch_index(tip, keep_objects=True) as env:
            checkout.out('apply', '--cached', str(patch.path), env=env)
            tree = checkout.out('write-tree', env=env)
        text, author = read_mail(patch.path.read_text(encoding='utf-8'))
        tip = checkout.out(
            'commit-tree', tree, '-p', tip,
            env={**checkout.identity(), **author, **env}, data=text,
        )  # fmt: skip
    return tip


def read_mail(text):
    """(commit message, author environment) of a mail patch."""
    head, _, body = text.partition('\n\n')
    subject = re.search(r'(?m)^Subject: (?:\[PATCH\] )?(.*(?:\n .*)*)$', head)
    author = re.search(r'(?m)^From: (.*) <(.*)>$', head)
    date = re.search(r'(?m)^Date: (.*)$', head)
    end = re.split(r'(?m)^(?:---$|diff --git )', body, maxsplit=1)[0]
    lines = subject.group(1).replace('\n', '')
    env = {
        'GIT_AUTHOR_NAME': author.group(1).strip('"'),
        'GIT_AUTHOR_EMAIL': author.group(2),
        'GIT_AUTHOR_DATE': date.group(1),
    }
    return f'{lines}\n\n{end.strip()}\n', env
