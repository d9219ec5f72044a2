"""Turns a list of trees into git patches, the same bytes on every machine.

Each tree is a commit of a throw-away repository; `git format-patch` writes the
patches. The user's git settings are shut out, author and dates are given; what is
set here is other than git's default.
"""

from __future__ import annotations

import os
import re

from scripts.common.programs import run
from scripts.common.text_lines import join_lines, split_lines
from scripts.series.patch_series import SeriesError
from scripts.series.upstream_tree import MARKER

GIT_SETTINGS = (
    '-c', 'core.whitespace=blank-at-eol,blank-at-eof',
    '-c', 'diff.algorithm=histogram',
)  # fmt: skip
EXPORT_FLAGS = (
    '-N', '--zero-commit', '--full-index', '--no-stat', '--no-signature',
    '--no-renames', '--no-encode-email-headers',
)  # fmt: skip
HUNK = re.compile(r'@@ -(\d+)\S* \+(\d+)')


def git(repo, *arguments, env=None, data=None, ok=(0,)):
    """Output of a git command that sees no settings but ours."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    clean |= {
        'GIT_CONFIG_NOSYSTEM': '1',
        # GIT_CONFIG_GLOBAL would do, from git 2.32 on.
        'HOME': os.devnull,
        'XDG_CONFIG_HOME': os.devnull,
        'GIT_CEILING_DIRECTORIES': str(repo.parent),
        'LC_ALL': 'C',
        'TZ': 'UTC',
    }
    command = ('git', *GIT_SETTINGS, *arguments)
    done = run(*command, cwd=repo, env=clean | (env or {}), input=data)
    if done.returncode not in ok:
        raise SeriesError(
            f'git {" ".join(arguments)} failed with status {done.returncode}: '
            f'{done.stderr.strip() or done.stdout.strip()}'
        )
    return done.stdout


def write_tree(repo, tree):
    """Writes files: {path below `repo`: text}."""
    for path, text in tree.items():
        target = repo / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode('utf-8'))


def init_repo(repo, tree, author):
    """A repository whose only commit is `tree`."""
    write_tree(repo, tree)
    git(repo, 'init', '-q', '-b', 'base')
    commit(repo, 'base', author, '2000-01-01')


def commit(repo, message, author, day):
    name, _, mail = author.rstrip('>').rpartition(' <')
    when = f'{day}T00:00:00+0000'
    env = {
        f'GIT_{role}_{key}': value
        for role in ('AUTHOR', 'COMMITTER')
        for key, value in (('NAME', name), ('EMAIL', mail), ('DATE', when))
    }
    git(repo, 'add', '-A', '-f')
    flags = ('-q', '--no-verify', '--cleanup=verbatim', '-F', '-')
    git(repo, 'commit', *flags, env=env, data=message)


def last_patch(repo, recorded_files):
    """The last commit as a mail patch, without what only the reconstructed
    files explain.

    In files of which only some lines are recorded, filler at a hunk's edge is
    cut off, and blob ids and function names, which would be wrong, are dropped.
    """
    patch = git(repo, 'format-patch', *EXPORT_FLAGS, '--stdout', '-1')
    head, *diffs = re.split(r'(?m)^(?=diff --git )', patch)
    for diff in diffs:
        path = diff.split('\n', 1)[0].rpartition(' b/')[2]
        head += _tidy_diff(diff, path) if path in recorded_files else diff
    return head


def _tidy_diff(diff, path):
    head, *hunks = re.split(r'(?m)^(?=@@ )', diff)
    head = re.sub(r'(?m)^index .*\n', '', head)
    result = head + ''.join(map(_tidy_hunk, hunks))
    if MARKER in result:
        raise SeriesError(
            f'{path}: a hunk leans on text that is not recorded; add the lines '
            'around it to a hunk in scripts/series/edits/'
        )
    return result


def _tidy_hunk(hunk):
    header, *lines = split_lines(hunk)
    cut = next(i for i, line in enumerate(lines) if MARKER not in line)
    del lines[:cut]
    while MARKER in lines[-1]:
        lines.pop()
    old, new = (
        f'{int(start) + cut},{sum(line[0] in sides for line in lines)}'
        for start, sides in zip(HUNK.match(header).groups(), (' -', ' +'))
    )
    return join_lines([f'@@ -{old} +{new} @@', *lines])
