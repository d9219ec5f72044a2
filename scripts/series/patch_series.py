"""Patches and hunks as text, and the error that names their faults."""

import re

from scripts.common.text_lines import split_lines


class SeriesError(Exception):
    """Faults in patches/, or in the manifest or the sources it is made of."""

    def __init__(self, faults):
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        super().__init__('\n'.join(self.faults))


def refuse(faults):
    """Raises the faults if there are any."""
    if faults := list(faults):
        raise SeriesError(faults)


def split_hunks(text):
    """[(place or '', lines)] of the hunks of a file in scripts/series/edits/."""
    hunks = [('', [])]
    for line in split_lines(text):
        if line.startswith('@@'):
            hunks.append((line[2:].strip(), []))
        else:
            hunks[-1][1].append(line)
    return [hunk for hunk in hunks if hunk[1]]


def sides(hunk):
    """(lines before, lines after) a hunk."""
    return tuple([line[1:] for line in hunk if line[:1] != c] for c in '+-')


def replace_lines(lines, old, new, strict=True):
    """Puts `new` in the only place of `old`. None or several are refused, or, if
    not strict, left as they are."""
    count = len(old)
    spots = [i for i in range(len(lines)) if lines[i : i + count] == old]
    if len(spots) == 1:
        lines[spots[0] : spots[0] + count] = new
    elif strict:
        raise SeriesError(
            f'expected its lines at one place, found them at {len(spots)}: {old}'
        )


def added_files(text):
    """What patches add, in their order."""
    return re.findall(r'(?m)^--- /dev/null\n\+\+\+ b/(.*)', text)
