"""A git checkout, as the tools of the source target see it.

Settings of the user that would change what a patch does (whitespace fixing,
signing, hooks) are overruled for our commands only; nothing is configured.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path

SETTINGS = {
    'apply.whitespace': 'nowarn',
    'apply.ignoreWhitespace': 'no',
    'am.threeWay': 'false',
    'am.keepcr': 'false',
    'commit.gpgSign': 'false',
    'core.hooksPath': os.devnull,
    'gc.auto': '0',
    'advice.mergeConflict': 'false',
}
# Used only where the user has not told git who they are.
IDENTITY = ('Paddle scatter operators', 'noreply@localhost')


class TreeError(Exception):
    """The checkout cannot be used; the message says what to do."""


class Checkout:
    """The git work tree at a folder."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def run(self, *arguments, env=None, data=''):
        """Runs git; returns the finished process, whatever its status."""
        settings = [p for k, v in SETTINGS.items() for p in ('-c', f'{k}={v}')]
        # Git killed half-way leaves locks; it is done in a moment.
        stops = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        try:
            return subprocess.run(
                ['git', '-C', str(self.folder), *settings, *arguments],
                env={**clean_environment(), **(env or {})},
                input=data,
                capture_output=True,
                encoding='utf-8',
                errors='surrogateescape',
                start_new_session=True,
            )
        except OSError as error:
            raise TreeError(f'git cannot be run: {error}') from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def out(self, *arguments, env=None):
        """Output of a git command that has to succeed."""
        done = self.run(*arguments, env=env)
        if done.returncode:
            raise TreeError(
                f'git {" ".join(arguments)} failed: {message(done)}'
            )
        return done.stdout.rstrip('\n')

    def test(self, *arguments):
        """Whether a git command succeeds."""
        return self.run(*arguments).returncode == 0

    def path(self, name):
        """Where git keeps a file of its own, linked work trees included."""
        return self.folder / self.out('rev-parse', '--git-path', name)

    def head(self):
        return self.out('rev-parse', '--verify', 'HEAD^{commit}')

    def short(self, commit):
        """A commit as a person would name it."""
        done = self.run('describe', '--tags', '--exact-match', commit)
        name = done.stdout.strip()
        return f'{name} ({commit[:10]})' if name else commit[:10]

    def changed_files(self):
        """Tracked files that differ from HEAD, submodules left out."""
        flags = ('--porcelain', '-z', '--untracked-files=no')
        text = self.out('status', *flags, '--ignore-submodules=all')
        return [item[3:] for item in text.split('\0') if item[2:3] == ' ']

    def commit_as_user(self, *arguments):
        """run() for a command that commits, even for an unnamed user."""
        if self.test('var', 'GIT_COMMITTER_IDENT'):
            return self.run(*arguments)
        name, mail = IDENTITY
        env = {'GIT_COMMITTER_NAME': name, 'GIT_COMMITTER_EMAIL': mail}
        return self.run(*arguments, env=env)

    @contextlib.contextmanager
    def scratch(self, commit):
        """A work tree of its own at `commit`, for as long as it is needed.

        It starts without files; git puts those there that it works on.
        """
        with tempfile.TemporaryDirectory() as folder:
            tree = Checkout(Path(folder, 'scatter_operators'))
            place = str(tree.folder)
            flags = ('--quiet', '--no-checkout', '--detach')
            self.out('worktree', 'add', *flags, place, commit)
            try:
                tree.out('read-tree', commit)
                yield tree
            finally:
                self.run('worktree', 'remove', '--force', place)


def clean_environment():
    """The environment without what would point git somewhere else."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    return {**kept, 'LC_ALL': 'C', 'GIT_TERMINAL_PROMPT': '0'}


def message(done):
    """What a failed git command said, in one piece."""
    text = (done.stderr.strip() or done.stdout.strip()).splitlines()
    lines = [line for line in text if not line.startswith('hint:')]
    return '\n'.join(lines) or f'exit status {done.returncode}'
