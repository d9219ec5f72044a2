"""Brings the series into a checkout with git am, and takes it out again.

The patches become commits in a scratch work tree, and the checkout then goes to
the last of them in one step: whatever stops the run before, nothing has changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from scripts.common.files import read_json, write_json
from scripts.series.patch_series import read_base, read_series
from scripts.source.git import TreeError, message

RECORD = 'scatter-operators.json'
# A title keeps its [Operator Mechanism] with --keep-non-patch only.
AM_FLAGS = ('--quiet', '--no-gpg-sign', '--keep-non-patch')


class SourceSeries:
    """The patches in order, their base, and the files that they add."""

    def __init__(self, folder):
        self.folder = folder
        patches = read_series(folder)
        base = read_base(folder)
        self.tag, self.commit = base['tag'], base['commit']
        self.paths = [str(patch.path) for patch in patches]
        self.added = [path for patch in patches for path in patch.added]

    def text(self):
        """All patches as one, since they lean on each other."""
        return ''.join(
            Path(path).read_text(encoding='utf-8') for path in self.paths
        )

    def digest(self):
        """Changes with every byte of the patches."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def present(self, checkout):
        """Those of the added files that are there, committed or not."""
        flags = ('-r', '--name-only', 'HEAD', '--')
        committed = set(checkout.out('ls-tree', *flags, *self.added).split())
        return [
            path
            for path in self.added
            if path in committed or (checkout.folder / path).exists()
        ]


def read_record(checkout):
    """What an earlier run wrote down; {} when there was none."""
    return read_json(checkout.path(RECORD))


def apply_series(checkout, series):
    """All patches or none. Returns the commit before them."""
    start = checkout.head()
    with checkout.scratch(start) as tree:
        done = tree.commit_as_user('am', *AM_FLAGS, *series.paths)
        if done.returncode:
            raise TreeError(
                f'git am stopped: {message(done)}\nThe checkout is unchanged.'
            )
        tip = tree.head()
    record = {'start': start, 'tip': tip, 'series': series.digest()}
    write_json(checkout.path(RECORD), record)
    checkout.out('reset', '--keep', '--quiet', tip)
    return start


def undo(checkout):
    """Back to the exact commit before the series; returns what to say."""
    record = read_record(checkout)
    if not record.get('tip'):
        raise TreeError(
            f'{checkout.folder}: nothing to undo: no run has applied the '
            'series here.'
        )
    head, start, tip = checkout.head(), record['start'], record['tip']
    if head not in (start, tip):
        raise TreeError(
            f'HEAD is {checkout.short(head)}, not {tip[:10]}, the last commit '
            'of the series, so going back would lose other commits. Keep them '
            f'with\n    git rebase --onto {start[:10]} {tip[:10]}\nor go back '
            f'by hand with\n    git reset --keep {start[:10]}'
        )
    dirty = checkout.changed_files()
    if dirty and head == tip:
        raise TreeError(
            'These files have changes that are not committed; commit or stash '
            f'them first: {", ".join(dirty)}'
        )
    checkout.out('reset', '--keep', '--quiet', start)
    checkout.path(RECORD).unlink()
    return f'The checkout is back at {checkout.short(start)}.'
