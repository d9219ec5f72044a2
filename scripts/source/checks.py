"""Everything that is to be known of a checkout before the series goes in.

Each check yields findings; all of them are shown in one run. A finding that
stops says what to do; a note only warns.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from scripts.source.apply import read_record
from scripts.source.git import message
from scripts.source.series import (
    blobs_of,
    differing_files,
    is_applied,
    misfit,
)

MAX_NAMES = 12
OPERATIONS = {
    'rebase-apply': ('a `git am` or rebase', 'git am --abort'),
    'rebase-merge': ('a rebase', 'git rebase --abort'),
    'MERGE_HEAD': ('a merge', 'git merge --abort'),
    'CHERRY_PICK_HEAD': ('a cherry-pick', 'git cherry-pick --abort'),
    'REVERT_HEAD': ('a revert', 'git revert --abort'),
    'BISECT_LOG': ('a bisection', 'git bisect reset'),
    'index.lock': (
        'a git command',
        'delete .git/index.lock if none is running',
    ),
}


@dataclass
class Finding:
    """One thing to know. `stops` is whether it forbids to go on."""

    text: str
    remedy: str = ''
    stops: bool = True


@dataclass
class TreeReport:
    """What was found of a checkout."""

    findings: list
    applied: bool = False
    three_way: bool = False


def names(paths):
    """A short list of files, one a line."""
    shown = [f'\n    {path}' for path in paths[:MAX_NAMES]]
    if len(paths) > MAX_NAMES:
        shown.append(f'\n    and {len(paths) - MAX_NAMES} more')
    return ''.join(shown)


def look_at_tree(checkout, series, force_base=False, will_build=False):
    """A TreeReport; changes nothing."""
    findings = list(check_is_checkout(checkout))
    if findings:
        return TreeReport(findings)
    applied = is_there(checkout, series)
    three_way = False
    findings += [*check_operations(checkout), *check_writable(checkout)]
    if applied and read_record(checkout).get('series', '') not in (
        '', series.digest(),
    ):  # fmt: skip
        text = 'An earlier version of the series is applied here.'
        remedy = 'Take it out first: the same command with --undo.'
        findings.append(Finding(text, remedy))
    elif not applied:
        places = [*check_paddle(checkout, series), *check_new(checkout, series)]
        findings += [*check_clean(checkout), *places]
        if not places:
            found, three_way = check_base(checkout, series, force_base)
            findings += found
    if will_build:
        findings += check_submodules(checkout)
    return TreeReport(findings, applied, three_way)


def check_is_checkout(checkout):
    """The fault that makes every other look at the tree pointless."""
    folder = checkout.folder
    if not folder.is_dir():
        yield Finding(f'{folder}: no such folder.')
        return
    done = checkout.run('rev-parse', '--show-toplevel')
    top = done.stdout.rstrip('\n')
    if 'dubious ownership' in done.stderr:
        yield Finding(f'{folder}: git refuses to work here: {message(done)}')
    elif done.returncode:
        remedy = (
            'The series is applied with git am: clone Paddle rather than '
            'unpacking an archive.'
        )
        yield Finding(f'{folder}: not a git checkout.', remedy)
    elif not folder.samefile(top):
        text = f'{folder}: inside the git checkout {top}, not its top.'
        yield Finding(text, f'Is it --source {top}?')
    elif not checkout.test('rev-parse', '--verify', '-q', 'HEAD^{commit}'):
        yield Finding(f'{folder}: the checkout has no commit yet.')


def is_there(checkout, series):
    """Whether the series, or an earlier version of it, is applied."""
    head = checkout.head()
    tip = read_record(checkout).get('tip', '')
    if tip and checkout.test('merge-base', '--is-ancestor', tip, head):
        return True
    return is_applied(checkout, series, head)


def check_operations(checkout):
    for name, (what, how) in OPERATIONS.items():
        if checkout.path(name).exists():
            text = f'{what} is under way in the checkout.'
            yield Finding(text, f'Finish it, or: {how}')


def check_clean(checkout):
    changed = checkout.changed_files()
    if changed:
        text = f'{len(changed)} tracked files have uncommitted changes:'
        remedy = 'Commit them, or put them aside with `git stash`.'
        yield Finding(text + names(changed), remedy)


def check_writable(checkout):
    """git am writes to the work tree and to git's own folder."""
    for folder in (checkout.folder, checkout.path('objects').resolve()):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            text = f'{folder}: cannot be written to: {error.strerror}.'
            remedy = 'Make a clone of your own, or change its permissions.'
            yield Finding(text, remedy)


def check_paddle(checkout, series):
    """Every file that the series changes has to be there."""
    missing = [p for p in series.changed if not checkout.blob('HEAD', p)]
    if missing:
        text = 'Files that the series changes are missing'
        if len(missing) == len(series.changed):
            text += '; this does not look like a checkout of Paddle'
        remedy = f'Clone Paddle and check out {series.tag}.'
        yield Finding(f'{text}:{names(missing)}', remedy)


def check_new(checkout, series):
    """Files that the series adds must not be there, tracked or not."""
    tracked = blobs_of(checkout, series, 'HEAD')
    taken = [
        path
        for path in series.added
        if path in tracked or (checkout.folder / path).exists()
    ]
    if taken:
        yield Finding(
            f'Files that the series adds exist already:{names(taken)}',
            'Is a part of the series applied by hand? Take it out, or move '
            'these files away.',
        )


def check_base(checkout, series, force_base):
    """(findings, whether a three-way merge is needed)."""
    head = checkout.head()
    fault = misfit(checkout, series)
    fits = 'The hunks fit all the same.'
    if fault:
        said = ''.join(f'\n    {line}' for line in fault[1].splitlines())
        fits = f'{fault[0]} does not fit:{said}'
    if head == series.commit:
        remedy = 'Please report this: the series ought to fit its own base.'
        return [Finding(fits, remedy)] if fault else [], False
    text, same = _compared(checkout, series, head)
    note = Finding(text, stops=False)
    if not fault and (same or force_base):
        return [note], False
    if force_base and checkout.has_commit(series.commit):
        return [note], True
    fetch = f'git fetch origin tag {series.tag}'
    remedy = f'A three-way merge needs the base in the clone: {fetch}'
    if not force_base:
        remedy = (
            f'Best: git checkout {series.tag} (after {fetch}). To try it '
            'here, merging where needed: --force-base.'
        )
    return [Finding(f'{text}\n  {fits}', remedy)], False


def _compared(checkout, series, head):
    """What to say of another commit than the base, and whether the series'
    files are the same there."""
    differing, unknown = differing_files(checkout, series, head)
    text = (
        f'The checkout is at {checkout.short(head)}, the series is made for '
        f'{series.tag} ({series.commit[:10]}).'
    )
    if differing:
        text += f' Files of the series that differ:{names(differing)}'
    if unknown:
        text += (
            f'\n  {series.tag} is not in this clone, so these could not be '
            f'compared:{names(unknown)}'
        )
    return text, not (differing or unknown)


def check_submodules(checkout):
    """Paddle's third-party sources; cmake fetches what it needs."""
    lines = checkout.run('submodule', 'status').stdout.splitlines()
    remedy = 'git submodule update --init --recursive'
    for signs, text, head in (
        ('-', 'are not checked out', 'cmake fetches those that it needs; '
         'without a network then, run now: '),
        ('+U', 'are not at the commit that the tree names', ''),
    ):  # fmt: skip
        found = [line.split()[1] for line in lines if line[0] in signs]
        if found:
            count = f'{len(found)} of {len(lines)} submodules'
            shown = f'{count} {text}:{names(found)}'
            yield Finding(shown, head + remedy, stops=False)
