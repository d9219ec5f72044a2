"""A git checkout, brought to the end of the series and back.

Settings of the user that would change what a patch does (whitespace fixing,
signing, hooks) are overruled for our commands only; nothing is configured.
"""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

from scripts.common.files import read_json, write_json
from scripts.common.programs import run

SETTINGS = (
    '-c', 'apply.whitespace=nowarn',
    '-c', 'apply.ignoreWhitespace=no',
    '-c', 'am.threeWay=false',
    '-c', 'am.keepcr=false',
    '-c', 'commit.gpgSign=false',
    '-c', f'core.hooksPath={os.devnull}',
    '-c', 'gc.auto=0',
    '-c', 'advice.mergeConflict=false',
)  # fmt: skip
# A title keeps its [Operator Mechanism] with --keep-non-patch only.
AM = ('am', '--quiet', '--no-gpg-sign', '--keep-non-patch')
# Used only where the user has not told git who they are.
IDENTITY = {
    'GIT_COMMITTER_NAME': 'Paddle scatter operators',
    'GIT_COMMITTER_EMAIL': 'noreply@localhost',
}
RECORD = 'scatter-operators.json'


class TreeError(Exception):
    """The checkout cannot be used; the message says what to do."""


class Checkout:
    """The git work tree at a folder."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def run(self, *arguments, data='', **env):
        """Runs git; returns the finished process, whatever its status."""
        # What would point git somewhere else stays out.
        kept = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
        return run(
            *('git', '--no-optional-locks', '-C', self.folder),
            *(*SETTINGS, *arguments),
            env={**kept, 'LC_ALL': 'C', 'GIT_TERMINAL_PROMPT': '0', **env},
            input=data,
            start_new_session=True,
        )

    def out(self, *arguments):
        """Output of a git command that has to succeed."""
        done = self.run(*arguments)
        if done.returncode:
            words = ' '.join(arguments)
            raise TreeError(f'git {words} failed: {message(done)}')
        return done.stdout.rstrip('\n')

    def path(self, name):
        """Where git keeps a file of its own, linked work trees included."""
        return self.folder / self.out('rev-parse', '--git-path', name)

    def record(self):
        """What apply() wrote down; {} when it has done nothing here."""
        return read_json(self.path(RECORD))

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

    def apply(self, paths, digest):
        """All patches or none. Returns the commit before them."""
        start = self.head()
        known = self.run('var', 'GIT_COMMITTER_IDENT').returncode == 0
        with uninterrupted():
            done = self.run(*AM, *paths, **({} if known else IDENTITY))
            if done.returncode:
                self.run('am', '--abort')
                raise TreeError(
                    f'git am stopped: {message(done)}\n'
                    'The checkout is unchanged.'
                )
            found = {'start': start, 'tip': self.head(), 'series': digest}
            write_json(self.path(RECORD), found)
        return start

    def undo(self):
        """Back to the exact commit before the series; returns what to say."""
        record = self.record()
        if not record:
            raise TreeError(
                f'{self.folder}: nothing to undo: no run has applied the '
                'series here, or it was killed. To go back by hand: git reset '
                '--keep, and the commit before the series.'
            )
        head, start, tip = self.head(), record['start'], record['tip']
        if head not in (start, tip):
            raise TreeError(
                f'HEAD is {self.short(head)}, not {tip[:10]}, the last commit '
                'of the series, so going back would lose other commits. Keep '
                f'them with\n    git rebase --onto {start[:10]} {tip[:10]}\nor '
                f'go back by hand with\n    git reset --keep {start[:10]}'
            )
        dirty = self.changed_files()
        if dirty:
            raise TreeError(
                'These files have changes that are not committed; commit or '
                f'stash them first: {", ".join(dirty)}'
            )
        with uninterrupted():
            self.out('reset', '--keep', '--quiet', start)
            self.path(RECORD).unlink()
        return f'The checkout is back at {self.short(start)}.'


@contextmanager
def uninterrupted():
    """Ctrl-C waits: git killed half-way leaves locks; it is done in a moment."""
    stops = {signal.SIGINT, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def message(done):
    """What a failed git command said, in one piece."""
    text = (done.stderr.strip() or done.stdout.strip()).splitlines()
    lines = [line for line in text if not line.startswith('hint:')]
    return '\n'.join(lines) or f'exit status {done.returncode}'
