"""Export trees as git patches that are bitwise identical on every machine.

Each tree is a commit of a temporary repository. User settings have no effect.
"""

from __future__ import annotations

import os
import re

from scripts.common.programs import run
from scripts.series.manifest import SeriesError
from scripts.series.upstream_tree import MARKER

EXPORT_FLAGS = (
    '-N', '--zero-commit', '--full-index', '--no-stat', '--no-signature',
    '--no-renames', '--no-encode-email-headers', '--diff-algorithm=histogram',
)  # fmt: skip
HUNK = re.compile(r'@@ -(\d+)\S* \+(\d+)')


def git(repo, *arguments, data=None):
    """Return the output of a git command; raise SeriesError if it fails."""
    env = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    env |= {
        'GIT_CONFIG_NOSYSTEM': '1',
        # GIT_CONFIG_GLOBAL would require git 2.32.
        'HOME': os.devnull,
        'XDG_CONFIG_HOME': os.devnull,
        'GIT_CEILING_DIRECTORIES': str(repo.parent),
        'GIT_COMMITTER_NAME': 'series',
        'GIT_COMMITTER_EMAIL': 'series@localhost',
        'LC_ALL': 'C',
        'TZ': 'UTC',
    }
    process = run('git', *arguments, cwd=repo, env=env, input=data)
    if process.returncode:
        message = process.stderr.strip() or process.stdout.strip()
        raise SeriesError(f'git {" ".join(map(str, arguments))}: {message}')
    return process.stdout


def write_tree(repo, tree):
    """Write files, {path in `repo`: text}."""
    for path, text in tree.items():
        target = repo / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode('utf-8'))


def init_repo(repo, tree):
    """Create a repository with `tree` as its only commit, tagged base."""
    write_tree(repo, tree)
    git(repo, 'init', '-q')
    commit(repo, 'base', 'base <base@localhost>', '2000-01-01')
    git(repo, 'tag', 'base')


def commit(repo, message, author, day):
    date = f'{day}T00:00:00+0000'
    flags = ('-q', '--cleanup=verbatim', '-F', '-')
    git(repo, 'add', '-A', '-f')
    git(
        repo, 'commit', *flags, f'--author={author}', f'--date={date}',
        data=message,
    )  # fmt: skip


def export_last_patch(repo):
    """Export the last commit as a mail patch.

    For partially recorded files, filler is stripped from the context, and blob
    ids and the functions in hunk headers, which depend on it, are omitted.
    """
    patch = git(repo, 'format-patch', *EXPORT_FLAGS, '--stdout', '-1')
    head, *diffs = re.split(r'(?m)^(?=diff --git )', patch)
    for diff in diffs:
        path = diff.partition('\n')[0].rpartition(' b/')[2]
        if MARKER in (repo / path).read_text('utf-8'):
            first, *hunks = re.split(r'(?m)^(?=@@ )', diff)
            first = re.sub(r'(?m)^index .*\n', '', first)
            diff = first + ''.join(map(strip_filler, hunks))
        if MARKER in diff:
            raise SeriesError(f'{path}: a hunk contains unknown lines')
        head += diff
    return head


def strip_filler(hunk):
    """Strip the filler lines at the start and end of a hunk."""
    header, *lines = hunk.removesuffix('\n').split('\n')
    cut = next(i for i, line in enumerate(lines) if MARKER not in line)
    del lines[:cut]
    while MARKER in lines[-1]:
        lines.pop()
    old, new = (
        f'{int(start) + cut},{sum(line[0] in signs for line in lines)}'
        for start, signs in zip(HUNK.match(header).groups(), (' -', ' +'))
    )
    return '\n'.join([f'@@ -{old} +{new} @@', *lines, ''])
