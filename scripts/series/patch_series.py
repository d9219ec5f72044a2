"""Patches as text: what each touches, their diffs and hunks."""

import re
from dataclasses import dataclass
from pathlib import Path

from scripts.common.text_lines import split_lines


class SeriesError(Exception):
    """Faults in patches/, or in the manifest or the sources it is made of."""

    def __init__(self, faults):
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        super().__init__('\n'.join(self.faults))


@dataclass
class Patch:
    """One patch file and the upstream paths it touches."""

    path: Path
    changed: list
    added: list

    @property
    def touched(self):
        """All upstream paths, in the order of the patch."""
        return self.changed + self.added


def split_hunks(text):
    """[(number of the first line or '', lines)] of an edit in series.yaml."""
    hunks = [('', [])]
    for line in split_lines(text):
        if line.startswith('@@'):
            hunks.append((line[2:].strip(), []))
        else:
            hunks[-1][1].append(line)
    return [hunk for hunk in hunks if hunk[1]]


def split_diffs(text):
    """(text before the first diff, [(upstream path, its diff)])."""
    head, *parts = re.split(r'(?m)^(?=diff --git )', text)
    names = [part.split('\n', 1)[0].rpartition(' b/')[2] for part in parts]
    return head, list(zip(names, parts))


def read_patch(path):
    """Which files a patch changes and adds."""
    changed, added = [], []
    for name, diff in split_diffs(path.read_text(encoding='utf-8'))[1]:
        head = diff.partition('\n@@ ')[0]
        (added if '\n--- /dev/null\n' in head else changed).append(name)
    return Patch(path, changed, added)
