"""Brings the series into a checkout with git am, and takes it out again.

The commit that the checkout was at is written down in its .git folder before
anything changes. Whatever happens after that, the next run knows the way back.
"""

from __future__ import annotations

import json
from contextlib import suppress

from scripts.source.git import TreeError, message
from scripts.source.series import commits_on_base

RECORD = 'scatter-operators.json'
APPLYING, APPLIED = 'applying', 'applied'


def read_record(checkout):
    """What an earlier run wrote down; {} when there was none."""
    try:
        found = json.loads(checkout.path(RECORD).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_record(checkout, **record):
    """Replaces the record in one step."""
    path = checkout.path(RECORD)
    new = path.with_name(path.name + '.new')
    new.write_text(json.dumps(record, indent=1) + '\n', encoding='utf-8')
    new.replace(path)


def apply_series(checkout, series, three_way=False):
    """All patches or none. Returns the commit before them."""
    start = checkout.head()
    write_record(checkout, state=APPLYING, start=start, series=series.digest())
    try:
        if three_way and checkout.has_commit(series.commit):
            _cherry_pick(checkout, series)
        else:
            _am(checkout, series, three_way)
    except BaseException as error:
        roll_back(checkout, series)
        if isinstance(error, TreeError):
            raise TreeError(f'{error}\n{_as_before(checkout, start)}') from None
        raise
    write_record(
        checkout,
        state=APPLIED,
        start=start,
        tip=checkout.head(),
        series=series.digest(),
    )
    return start


def _as_before(checkout, start):
    return f'The checkout is back at {checkout.short(start)}, nothing is left.'


def _am(checkout, series, three_way):
    # A title keeps its [Operator Mechanism] with --keep-non-patch only.
    flags = ['--quiet', '--no-gpg-sign', '--keep-non-patch']
    flags += ['--3way'] * three_way
    done = checkout.run('am', *flags, *series.paths, env=checkout.identity())
    if done.returncode:
        raise TreeError(f'git am stopped: {message(done)}')


def _cherry_pick(checkout, series):
    """Three-way, with the real base as the common ancestor."""
    tip = commits_on_base(checkout, series)
    done = checkout.run(
        'cherry-pick', f'{series.commit}..{tip}', env=checkout.identity()
    )
    if done.returncode:
        files = checkout.out('diff', '--name-only', '--diff-filter=U').split()
        shown = ''.join(f'\n    {name}' for name in files)
        raise TreeError(
            'The three-way merge of the series conflicts in:'
            f'{shown or " " + message(done)}'
        )


def roll_back(checkout, series):
    """Back to the recorded start. Only for a checkout that was clean there."""
    record = read_record(checkout)
    start = record.get('start', '')
    if not start or not checkout.has_commit(start):
        raise TreeError(
            f'{checkout.path(RECORD)} names no commit of this clone. Look at '
            '`git reflog` for the commit to go back to, then delete that file.'
        )
    for command, folder in (
        ('am', 'rebase-apply'),
        ('cherry-pick', 'CHERRY_PICK_HEAD'),
        ('cherry-pick', 'sequencer'),
    ):
        if checkout.path(folder).exists():
            checkout.run(command, '--abort')
    checkout.out('reset', '--hard', '--quiet', start)
    _remove_strays(checkout, series, start)
    checkout.path(RECORD).unlink()


def _remove_strays(checkout, series, start):
    """New files that git had written, but not yet noted in its index."""
    for path in series.added:
        if checkout.blob(start, path) is None:
            with suppress(FileNotFoundError):
                (checkout.folder / path).unlink()


def recover(checkout, series):
    """Takes back what a run that was killed had left; says so, or ''."""
    record = read_record(checkout)
    if record.get('state') != APPLYING:
        return ''
    _check_still_ours(checkout, series, record.get('start', ''))
    roll_back(checkout, series)
    return (
        'An earlier run was cut off while it applied the patches. '
        + _as_before(checkout, record['start'])
    )


def _check_still_ours(checkout, series, start):
    """Raises when somebody has worked here since the run was killed."""
    head = checkout.head()
    ours = set(series.changed) | set(series.added)
    foreign = [f for f in checkout.changed_files() if f not in ours]
    later = checkout.run('rev-list', '--count', f'{start}..{head}')
    count = int(later.stdout or 0)
    if later.returncode == 0 and count <= len(series.patches) and not foreign:
        if checkout.test('merge-base', '--is-ancestor', start, head):
            return
    changed = f' Changed files: {", ".join(foreign)}.' if foreign else ''
    raise TreeError(
        'An earlier run was cut off while it applied the patches, and the '
        f'checkout has changed since.{changed} Put your changes aside, go '
        f'back with\n    git am --abort; git reset --hard {start[:10]}\nand '
        f'delete {checkout.path(RECORD)}.'
    )


def undo(checkout, series):
    """Back to the exact commit before the series; returns what to say."""
    record = read_record(checkout)
    if record.get('state') == APPLYING:
        return recover(checkout, series)
    if record.get('state') != APPLIED:
        raise TreeError(
            f'{checkout.folder}: nothing to undo: no run has applied the '
            'series here.'
        )
    head, start, tip = checkout.head(), record['start'], record['tip']
    if head == start:
        checkout.path(RECORD).unlink()
        return f'The checkout is at {checkout.short(start)} already.'
    if head != tip:
        raise TreeError(
            f'HEAD is {checkout.short(head)}, not {tip[:10]}, the last commit '
            'of the series, so going back would lose other commits. Keep them '
            f'with\n    git rebase --onto {start[:10]} {tip[:10]}\nor go back '
            f'by hand with\n    git reset --keep {start[:10]}'
        )
    dirty = checkout.changed_files()
    if dirty:
        raise TreeError(
            'These files have changes that are not committed; commit or stash '
            f'them first: {", ".join(dirty)}'
        )
    checkout.out('reset', '--keep', '--quiet', start)
    checkout.path(RECORD).unlink()
    return f'The checkout is back at {checkout.short(start)}.'
