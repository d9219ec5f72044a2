"""A git checkout, as the tools of the source target see it.

Settings of the user that would change what a patch does (whitespace fixing,
signing, hooks) are overruled for our commands only; nothing is configured.
"""

from __future__ import annotations

import contextlib
import os
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

    def command(self, *arguments):
        """The command line that run() uses."""
        settings = [p for k, v in SETTINGS.items() for p in ('-c', f'{k}={v}')]
        return ['git', '-C', str(self.folder), *settings, *arguments]

    def run(self, *arguments, env=None, data=None):
        """Runs git; returns the finished process, whatever its status."""
        try:
            process = subprocess.Popen(
                self.command(*arguments),
                env={**clean_environment(), **(env or {})},
                stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding='utf-8',
                errors='surrogateescape',
                start_new_session=True,
            )
        except OSError as error:
            raise TreeError(f'git cannot be run: {error}') from None
        try:
            out, err = process.communicate(data)
        except KeyboardInterrupt:
            # Git killed half-way leaves locks; it is done in a moment.
            process.communicate()
            raise
        return subprocess.CompletedProcess(
            arguments, process.returncode, out, err
        )

    def out(self, *arguments, env=None, data=None):
        """Output of a git command that has to succeed."""
        done = self.run(*arguments, env=env, data=data)
        if done.returncode:
            raise TreeError(
                f'git {" ".join(arguments)} failed: {message(done)}'
            )
        return done.stdout.rstrip('\n')

    def test(self, *arguments, env=None):
        """Whether a git command succeeds."""
        return self.run(*arguments, env=env).returncode == 0

    def path(self, name):
        """Where git keeps a file of its own, linked work trees included."""
        found = Path(self.out('rev-parse', '--git-path', name))
        return found if found.is_absolute() else self.folder / found

    def head(self):
        return self.out('rev-parse', '--verify', 'HEAD^{commit}')

    def has_commit(self, name):
        return self.test('cat-file', '-e', f'{name}^{{commit}}')

    def short(self, commit):
        """A commit as a person would name it."""
        done = self.run('describe', '--tags', '--exact-match', commit)
        name = done.stdout.strip()
        return f'{name} ({commit[:10]})' if name else commit[:10]

    def blob(self, commit, path):
        """Blob id of a file in a commit, None when it is not there."""
        done = self.run('rev-parse', '--verify', '-q', f'{commit}:{path}')
        return done.stdout.strip() if done.returncode == 0 else None

    def changed_files(self):
        """Tracked files that differ from HEAD, submodules left out."""
        flags = ('--porcelain', '-z', '--untracked-files=no')
        text = self.out('status', *flags, '--ignore-submodules=all')
        return [item[3:] for item in text.split('\0') if item[2:3] == ' ']

    def identity(self):
        """Environment that lets git commit even for an unnamed user."""
        if self.test('var', 'GIT_COMMITTER_IDENT'):
            return {}
        name, mail = IDENTITY
        return {'GIT_COMMITTER_NAME': name, 'GIT_COMMITTER_EMAIL': mail}

    @contextlib.contextmanager
    def scratch_index(self, commit, keep_objects=False):
        """Environment of an index of its own that holds `commit`.

        New objects go to a throw-away folder too, unless they are wanted, so
        that looking at a checkout leaves no trace in it.
        """
        with tempfile.TemporaryDirectory() as folder:
            env = {'GIT_INDEX_FILE': str(Path(folder) / 'index')}
            if not keep_objects:
                objects = str(self.path('objects').resolve())
                env['GIT_OBJECT_DIRECTORY'] = str(Path(folder) / 'objects')
                env['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = objects
                Path(folder, 'objects').mkdir()
            self.out('read-tree', commit, env=env)
            yield env


def clean_environment():
    """The environment without what would point git somewhere else."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    return {**kept, 'LC_ALL': 'C', 'GIT_TERMINAL_PROMPT': '0'}


def message(done):
    """What a failed git command said, in one piece."""
    text = (done.stderr.strip() or done.stdout.strip()).splitlines()
    lines = [line for line in text if not line.startswith('hint:')]
    return '\n'.join(lines) or f'exit status {done.returncode}'
