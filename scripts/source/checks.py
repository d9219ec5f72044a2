"""Everything that is to be known of a checkout before the series goes in.

Each check returns findings; all of them are shown in one run. A finding that
stops says what to do; a note only warns.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from scripts.source.apply import read_record
from scripts.source.git import message
from scripts.source.series import differing_files, is_applied, misfit

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
    broken = check_is_checkout(checkout)
    if broken:
        return TreeReport(broken)
    applied = check_applied(checkout, series)
    findings = check_operations(checkout) + check_writable(checkout)
    three_way = False
    if applied is None:
        findings += check_clean(checkout)
        found, three_way = check_base(checkout, series, force_base)
        findings += found
    elif applied:
        findings += applied
    findings += check_submodules(checkout, will_build)
    return TreeReport(findings, applied == [], three_way)


def check_is_checkout(checkout):
    """Faults that make every other look at the tree pointless."""
    folder = checkout.folder
    if not folder.is_dir():
        return [Finding(f'{folder}: no such folder.')]
    done = checkout.run('rev-parse', '--show-toplevel')
    if done.returncode:
        text = message(done)
        if 'dubious ownership' in text:
            return [Finding(f'{folder}: git refuses to work here: {text}')]
        return [
            Finding(
                f'{folder}: not a git checkout.',
                'The series is applied with git am: clone Paddle rather than '
                'unpacking an archive.',
            )
        ]
    top = done.stdout.rstrip('\n')
    if not folder.samefile(top):
        return [
            Finding(
                f'{folder}: inside the git checkout {top}, not its top.',
                f'Is it --source {top}?',
            )
        ]
    if not checkout.test('rev-parse', '--verify', '-q', 'HEAD^{commit}'):
        return [Finding(f'{folder}: the checkout has no commit yet.')]
    return []


def check_applied(checkout, series):
    """None: not applied. []: this series is. A finding: another one is."""
    record, head = read_record(checkout), checkout.head()
    tip = record.get('tip', '')
    if not tip or not checkout.test('merge-base', '--is-ancestor', tip, head):
        return [] if is_applied(checkout, series, head) else None
    if record['series'] == series.digest():
        return []
    return [
        Finding(
            'An earlier version of the series is applied here.',
            'Take it out first: the same command with --undo.',
        )
    ]


def check_operations(checkout):
    return [
        Finding(
            f'{what} is under way in the checkout.', f'Finish it, or: {how}'
        )
        for name, (what, how) in OPERATIONS.items()
        if checkout.path(name).exists()
    ]


def check_clean(checkout):
    changed = checkout.changed_files()
    if not changed:
        return []
    return [
        Finding(
            f'{len(changed)} tracked files have uncommitted changes:'
            f'{names(changed)}',
            'Commit them, or put them aside with `git stash`.',
        )
    ]


def check_writable(checkout):
    """git am writes to the work tree and to git's own folder."""
    findings = []
    for folder in (checkout.folder, checkout.path('objects').resolve()):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            findings.append(
                Finding(
                    f'{folder}: cannot be written to: {error.strerror}.',
                    'Make a clone of your own, or change its permissions.',
                )
            )
    return findings


def check_base(checkout, series, force_base):
    """(findings, whether a three-way merge is needed)."""
    head = checkout.head()
    findings = check_paddle(checkout, series, head)
    findings += check_new_files(checkout, series, head)
    if findings:
        return findings, False
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
    remedy = (
        f'Best: git checkout {series.tag} (after git fetch origin tag '
        f'{series.tag}). To try it here, merging where needed: --force-base.'
    )
    if force_base:
        remedy = (
            'A three-way merge needs the base in the clone: git fetch origin '
            f'tag {series.tag}'
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


def check_paddle(checkout, series, head):
    """Every file that the series changes has to be there."""
    missing = [p for p in series.changed if not checkout.blob(head, p)]
    if not missing:
        return []
    text = 'Files that the series changes are missing'
    if len(missing) == len(series.changed):
        text += '; this does not look like a checkout of Paddle'
    return [
        Finding(
            f'{text}:{names(missing)}',
            f'Clone Paddle and check out {series.tag}.',
        )
    ]


def check_new_files(checkout, series, head):
    """Files that the series adds must not be there, tracked or not."""
    taken = [
        path
        for path in series.added
        if (checkout.folder / path).exists() or checkout.blob(head, path)
    ]
    if not taken:
        return []
    return [
        Finding(
            f'Files that the series adds exist already:{names(taken)}',
            'Is a part of the series applied by hand? Take it out, or move '
            'these files away.',
        )
    ]


def check_submodules(checkout, will_build):
    """Paddle's third-party sources; cmake fetches what it needs."""
    if not (checkout.folder / '.gitmodules').is_file() or not will_build:
        return []
    lines = checkout.run('submodule', 'status').stdout.splitlines()
    absent = [line.split()[1] for line in lines if line.startswith('-')]
    other = [line.split()[1] for line in lines if line.startswith(('+', 'U'))]
    remedy = 'git submodule update --init --recursive'
    findings = []
    if absent:
        text = (
            f'{len(absent)} of {len(lines)} submodules are not checked '
            f'out:{names(absent)}'
        )
        first = 'cmake fetches those that it needs; without a network then: '
        findings.append(Finding(text, first + remedy, stops=False))
    if other:
        text = 'Submodules are not at the commit that the tree names:'
        findings.append(Finding(text + names(other), remedy, stops=False))
    return findings
