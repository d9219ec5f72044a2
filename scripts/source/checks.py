"""What is to be known of a checkout and of the machine before anything is done.

All findings are shown in one run. One that stops says what to do; a note only
warns.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from scripts.common.prerequisites import (
    Missing,
    check_python,
    check_tool,
    describe,
)
from scripts.source.apply import read_record
from scripts.source.git import message

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
NVCC = Missing('nvcc', 'not found', note='install the CUDA toolkit')


@dataclass
class Finding:
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


def look_at_tree(checkout, series):
    """(findings, whether the series is applied); changes nothing."""
    findings = list(check_is_checkout(checkout))
    if findings:
        return findings, False
    findings += check_operations(checkout)
    there = series.present(checkout)
    if len(there) == len(series.added):
        findings += check_version(checkout, series)
        return findings, True
    findings += check_clean(checkout)
    findings += check_place(checkout, series, there)
    return findings, False


def check_is_checkout(checkout):
    """The fault that makes every other look at the tree pointless."""
    folder = checkout.folder
    if not folder.is_dir():
        yield Finding(f'{folder}: no such folder.')
        return
    done = checkout.run('rev-parse', '--show-toplevel')
    if done.returncode:
        remedy = (
            'The series is applied with git am: clone Paddle rather than '
            'unpacking an archive.'
        )
        text = f'{folder}: not a git checkout: {message(done)}'
        yield Finding(text, remedy)
    elif not folder.samefile(done.stdout.rstrip('\n')):
        yield Finding(f'{folder}: inside a git checkout, not its top.')


def check_operations(checkout):
    for name, what in OPERATIONS.items():
        if checkout.path(name).exists():
            text = f'{what} is under way in the checkout ({name}).'
            yield Finding(text, 'Finish it, or abort it.')


def check_version(checkout, series):
    """Whether what is applied is what the patches are now."""
    known = read_record(checkout).get('series')
    if known and known != series.digest():
        text = 'An earlier version of the series is applied here.'
        remedy = 'Take it out first: the same command with --undo.'
        yield Finding(text, remedy)


def check_clean(checkout):
    changed = checkout.changed_files()
    if changed:
        text = f'{len(changed)} tracked files have uncommitted changes:'
        remedy = 'Commit them, or put them aside with `git stash`.'
        yield Finding(text + names(changed), remedy)


def check_place(checkout, series, there):
    """Whether the series fits here; git is the judge."""
    back = (
        f'git checkout {series.tag} (after git fetch origin tag {series.tag})'
    )
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
        yield Finding(text, f'It is made for {series.tag}: {back}')
    elif checkout.head() != series.commit:
        here = checkout.short(checkout.head())
        text = (
            f'The checkout is at {here}, the series is made for {series.tag} '
            f'({series.commit[:10]}). Its hunks fit all the same.'
        )
        yield Finding(text, f'To be sure: {back}', stops=False)


def look_at_machine(build, gpu):
    """The tools and the room that a build needs."""
    wanted = [
        check_tool('g++', (8, 2), 'g++', 'gcc-c++'),
        check_tool('cmake', (3, 18), 'cmake', 'cmake'),
        *check_python(),
    ]
    for name, package in PROGRAMS.items():
        if not shutil.which(name):
            wanted.append(Missing(name, 'not found', package, package))
    if gpu and not shutil.which('nvcc'):
        wanted.append(NVCC)
    missing = [item for item in wanted if item]
    if missing:
        yield Finding(describe(missing))
    there = next(p for p in (build, *build.parents) if p.is_dir())
    free = shutil.disk_usage(there).free
    if free < DISK[gpu]:
        yield Finding(
            f'{free / GIB:.1f} GiB free for {build}; a build takes about '
            f'{DISK[gpu] // GIB} GiB.',
            'Free some space, or name another place with --build-dir.',
            stops=free < DISK[gpu] // 3,
        )
