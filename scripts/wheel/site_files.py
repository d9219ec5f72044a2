"""Change files of an installed wheel so that every change can be taken back.

For each file that is changed, `originals/<path below site-packages>` holds
the wheel's own bytes, and `originals/state.json` says what was put in its
place. Whether bytes are the wheel's own is decided by the sha256 that the
wheel's RECORD lists for each file, so an interrupted run, a hand edit and a
reinstalled wheel are all told apart.
"""

import base64
import csv
import importlib.util
import py_compile
from pathlib import Path

from scripts.common.files import (
    file_sha256,
    read_json,
    sha256,
    write_atomic,
    write_json,
)
from scripts.wheel.versions import NAME

KIND = 'sha256='  # of the digests in a RECORD, which leave out the last =


class SiteFilesError(Exception):
    """The installed wheel is not in a state that can be built upon."""


class SiteFiles:
    """The files of one wheel below one site-packages folder."""

    def __init__(self, site, originals):
        self.site = Path(site)
        self.originals = Path(originals)
        self._state_file = self.originals / 'state.json'
        self.state = read_json(self._state_file)
        self._record = self._read_record()

    def _read_record(self):
        found = sorted(self.site.glob(f'{NAME}-*.dist-info/RECORD'))
        if len(found) != 1:
            raise SiteFilesError(
                f'{self.site}: expected one installed {NAME}, '
                f'found {len(found)}. Run the build with --clean.'
            )
        with open(found[0], newline='', encoding='utf-8') as file:
            rows = [row for row in csv.reader(file) if len(row) == 3]
        return {
            name: base64.urlsafe_b64decode(digest[len(KIND) :] + '==').hex()
            for name, digest, _ in rows
            if digest.startswith(KIND)
        }

    def pristine(self, path):
        """The wheel's own bytes of a file; None when it ships no such file."""
        expected = self._record.get(path)
        if expected is None:
            return None
        for candidate in (self.site / path, self.originals / path):
            if file_sha256(candidate) == expected:
                return candidate.read_bytes()
        raise SiteFilesError(
            f"{path}: neither {self.site / path} nor the copy in "
            f"{self.originals} has the bytes that the {NAME} wheel "
            "came with. Something else changed it; start over with --clean."
        )

    def put(self, path, data, owner):
        """Give a file new content; True when that changed anything."""
        original = self.pristine(path)
        kept = self.originals / path
        if original is not None and file_sha256(kept) != self._record[path]:
            write_atomic(kept, original)
        entry = {'owner': owner, 'ours': sha256(data)}
        # The state goes first: a run cut off between the two knows the file.
        if self.state.get(path) != entry:
            self.state[path] = entry
            write_json(self._state_file, self.state)
        changed = file_sha256(self.site / path) != entry['ours']
        if changed:
            write_atomic(self.site / path, data)
        self._compile(path)
        return changed

    def restore(self, path):
        """Put the wheel's own file back, or remove one that we added."""
        original = self.pristine(path)
        if original is None:
            (self.site / path).unlink(missing_ok=True)
        elif file_sha256(self.site / path) != self._record[path]:
            write_atomic(self.site / path, original)
        self._compile(path)
        self.state.pop(path, None)
        write_json(self._state_file, self.state)
        (self.originals / path).unlink(missing_ok=True)

    def bring(self, contents, owner):
        """Gives files their content, and back what the owner left; a report."""
        owned = sorted(p for p, e in self.state.items() if e['owner'] == owner)
        report = []
        for path in owned:
            if path not in contents:
                self.restore(path)
                report.append(f'restored  {path}')
        for path, data in contents.items():
            changed = self.put(path, data, owner)
            report.append(f'{"changed  " if changed else "unchanged"} {path}')
        return report

    def _compile(self, path):
        """Bring the bytecode of a Python file up to date, as pip does.

        An import that may not write bytecode would compile the file anew each
        time otherwise, and a long one takes longer than all else in it.
        """
        if not path.endswith('.py'):
            return
        file = self.site / path
        Path(importlib.util.cache_from_source(file)).unlink(missing_ok=True)
        if file.is_file():
            py_compile.compile(str(file), quiet=2)
