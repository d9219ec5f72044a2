"""What is to be known of a checkout and of the machine before anything is done.

All findings are shown in one run. One that stops says what to do; a note only
warns.
"""

import shutil
from typing import NamedTuple

from scripts.common import prerequisites
from scripts.common.prerequisites import Missing, check_tool
from scripts.source.checkout import message

GIB = 1 << 30
# With and without CUDA. Paddle's build guide gives no sizes: these are estimates.
MEMORY_PER_JOB = {False: 2 * GIB, True: 4 * GIB}
DISK = {False: 30 * GIB, True: 60 * GIB}
MAX_NAMES = 12
# A file of git's while something is under way, and what that is.
OPERATIONS = {
    'rebase-apply': 'a `git am` or rebase',
    'rebase-merge': 'a rebase',
    'MERGE_HEAD': 'a merge',
    'CHERRY_PICK_HEAD': 'a cherry-pick',
    'REVERT_HEAD': 'a revert',
    'BISECT_LOG': 'a bisection',
    'index.lock': 'a git command',
}
# What Paddle's own build calls, by the package that brings it.
PROGRAMS = {'ninja': 'ninja-build', 'patchelf': 'patchelf', 'make': 'make'}


class Finding(NamedTuple):
    """One thing to know. `stops` is whether it forbids to go on."""

    text: str
    remedy: str = ''
    stops: bool = True


def names(paths):
    """A short list of files, one a line."""
    shown = [f'\n    {path}' for path in paths[:MAX_NAMES]]
    if len(paths) > MAX_NAMES:
        shown.append(f'\n    and {len(paths) - MAX_NAMES} more')
    return ''.join(shown)


def present(checkout, added):
    """Those of the added files that are there, committed or not."""
    flags = ('-r', '--name-only', 'HEAD', '--')
    committed = set(checkout.out('ls-tree', *flags, *added).split())
    folder = checkout.folder
    return [x for x in added if x in committed or (folder / x).exists()]


def look_at_tree(checkout, series):
    """(findings, whether the series is applied); changes nothing."""
    done = checkout.run('rev-parse', '--show-toplevel')
    if done.returncode:
        remedy = (
            'The series is applied with git am: clone Paddle rather than '
            'unpacking an archive.'
        )
        text = f'{checkout.folder}: not a git checkout: {message(done)}'
        return [Finding(text, remedy)], False
    if not checkout.folder.samefile(done.stdout.rstrip('\n')):
        text = f'{checkout.folder}: inside a git checkout, not its top.'
        return [Finding(text)], False
    findings = []
    for name, what in OPERATIONS.items():
        if checkout.path(name).exists():
            text = f'{what} is under way in the checkout ({name}).'
            findings.append(Finding(text, 'Finish it, or abort it.'))
    there = present(checkout, series.added)
    if len(there) == len(series.added):
        if checkout.record().get('series') not in (None, series.digest()):
            text = 'An earlier version of the series is applied here.'
            remedy = 'Take it out first: the same command with --undo.'
            findings.append(Finding(text, remedy))
        return findings, True
    changed = checkout.changed_files()
    if changed:
        text = f'{len(changed)} tracked files have uncommitted changes:'
        remedy = 'Commit them, or put them aside with `git stash`.'
        findings.append(Finding(text + names(changed), remedy))
    return [*findings, *check_place(checkout, series, there)], False


def check_place(checkout, series, there):
    """Whether the series fits here; git is the judge."""
    tag = series.tag
    back = f'git checkout {tag} (after git fetch origin tag {tag})'
    if there:
        yield Finding(
            f'Files that the series adds exist already:{names(there)}',
            'Is a part of the series applied by hand? Take it out, or move '
            'these files away.',
        )
        return
    done = checkout.run('apply', '--cached', '--check', data=series.text())
    if done.returncode:
        said = ''.join(f'\n    {x}' for x in message(done).splitlines())
        text = f'The series does not fit this commit:{said}'
        yield Finding(text, f'It is made for {tag}: {back}')
    elif checkout.head() != series.commit:
        here = checkout.short(checkout.head())
        text = (
            f'The checkout is at {here}, the series is made for {tag} '
            f'({series.commit[:10]}). Its hunks fit all the same.'
        )
        yield Finding(text, f'To be sure: {back}', stops=False)


def look_at_machine(build, gpu):
    """The tools and the room that a build needs."""
    missing = [
        *check_tool('g++', (8, 2), 'g++', 'gcc-c++'),
        *check_tool('cmake', (3, 18), 'cmake', 'cmake'),
        *prerequisites.check_python(),
    ]
    for name, package in PROGRAMS.items():
        if not shutil.which(name):
            missing.append(Missing(name, 'not found', package, package))
    if gpu and not shutil.which('nvcc'):
        note = 'install the CUDA toolkit'
        missing.append(Missing('nvcc', 'not found', note=note))
    if missing:
        yield Finding(prerequisites.describe(missing))
    there = next(p for p in (build, *build.parents) if p.is_dir())
    free = shutil.disk_usage(there).free
    if free < DISK[gpu]:
        yield Finding(
            f'{free / GIB:.1f} GiB free for {build}; a build takes about '
            f'{DISK[gpu] // GIB} GiB.',
            'Free some space, or name another place with --build-dir.',
            stops=free < DISK[gpu] // 3,
        )
