"""Brings the series into a checkout with git am, and takes it out again.

The patches become commits in a scratch work tree, and the checkout then goes to
the last of them in one step: whatever stops the run before, nothing has changed.
"""

from __future__ import annotations

from scripts.common.files import read_json, write_json
from scripts.source.git import TreeError, message

RECORD = 'scatter-operators.json'
UNCHANGED = 'The checkout is unchanged.'


def read_record(checkout):
    """What an earlier run wrote down; {} when there was none."""
    return read_json(checkout.path(RECORD))


def apply_series(checkout, series, three_way=False):
    """All patches or none. Returns the commit before them."""
    start = checkout.head()
    base = series.commit if three_way else start
    with checkout.scratch(base) as tree:
        # A title keeps its [Operator Mechanism] with --keep-non-patch only.
        flags = ('--quiet', '--no-gpg-sign', '--keep-non-patch')
        done = tree.commit_as_user('am', *flags, *series.paths)
        if done.returncode:
            raise TreeError(f'git am stopped: {message(done)}\n{UNCHANGED}')
        tip = tree.head()
    if three_way:
        tip = _merged(checkout, start, base, tip)
    record = {'start': start, 'tip': tip, 'series': series.digest()}
    write_json(checkout.path(RECORD), record)
    checkout.out('reset', '--keep', '--quiet', tip)
    return start


def _merged(checkout, start, base, tip):
    """The commits from base to tip, merged onto start; gives the last one."""
    with checkout.scratch(start) as tree:
        done = tree.commit_as_user('cherry-pick', f'{base}..{tip}')
        if done.returncode == 0:
            return tree.head()
        files = tree.out('diff', '--name-only', '--diff-filter=U').split()
    shown = ''.join(f'\n    {name}' for name in files) or f' {message(done)}'
    raise TreeError(
        f'The three-way merge of the series conflicts in:{shown}\n{UNCHANGED}'
    )


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
