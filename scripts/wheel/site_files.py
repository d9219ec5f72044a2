"""Change files of an installed wheel so that every change can be taken back.

For each file that is changed, `originals/<path below site-packages>` holds the
wheel's own bytes; `originals/state.json` lists what was put in and its digest.
Whether bytes are the wheel's own is decided by the sha256 that the wheel's RECORD
lists for each file, so an interrupted run, a hand edit and a reinstalled wheel are
all told apart.
"""

import base64
import csv
from pathlib import Path

from scripts.common.command_line import Refused
from scripts.common.files import (
    file_sha256,
    read_json,
    sha256,
    write_if_changed,
    write_json,
)
from scripts.wheel.versions import NAME


class SiteFiles:
    """The files of one wheel below one site-packages folder."""

    def __init__(self, site, originals):
        self.site = Path(site)
        self.originals = Path(originals)
        self.state_file = self.originals / 'state.json'
        found = list(self.site.glob(f'{NAME}-*.dist-info'))
        if len(found) != 1:
            raise Refused(
                f'{self.site}: {NAME} is not installed there, or twice. '
                'Run the build with --clean.'
            )
        self.info = found[0]
        self.record = read_record(self.info / 'RECORD')

    def original(self, path):
        """The wheel's own bytes of a file; None when it ships no such file."""
        expected = self.record.get(path)
        if expected is None:
            return None
        for place in (self.site / path, self.originals / path):
            if file_sha256(place) == expected:
                return place.read_bytes()
        raise Refused(
            f"{path}: neither {self.site / path} nor the copy in "
            f"{self.originals} has the bytes that the {NAME} wheel "
            "came with. Something else changed it; start over with --clean."
        )

    def text(self, path):
        """The wheel's own text of a file that it has to have."""
        data = self.original(path)
        if data is None:
            raise Refused(f'{path}: not in the installed wheel.')
        return data.decode('utf-8')

    def bring(self, contents):
        """Give files these bytes, in this order, and back what earlier calls
        changed besides; a report."""
        state = read_json(self.state_file)
        left = {p: self.original(p) for p in state if p not in contents}
        originals = {**left, **{p: self.original(p) for p in contents}}
        for path, data in originals.items():
            if data is not None:
                write_if_changed(self.originals / path, data)
        wanted = {path: sha256(data) for path, data in contents.items()}
        # The state goes first: a run that is cut off knows what to take back.
        write_json(self.state_file, {**state, **wanted})
        report = []
        for path, data in {**left, **contents}.items():
            if data is None:
                (self.site / path).unlink(missing_ok=True)
            elif write_if_changed(self.site / path, data):
                report.append(
                    ('restored ' if path in left else 'changed ') + path
                )
        write_json(self.state_file, wanted)
        return report


def read_record(path):
    """{path below site-packages: sha256} of what a wheel has installed."""
    with open(path, newline='', encoding='utf-8') as file:
        rows = [row for row in csv.reader(file) if row[1].startswith('sha256=')]
    return {
        name: base64.urlsafe_b64decode(code.partition('=')[2] + '==').hex()
        for name, code, _ in rows
    }
