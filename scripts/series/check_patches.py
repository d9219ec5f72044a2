"""Checks the patch folder alone: no Paddle tree, no sources are needed.

Every rule is one function from a patch to its faults. All faults are shown in one
run. Exit status: 0 clean, 1 faults, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.text_lines import split_lines

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r'^\d{4}-[a-z0-9]+-[a-z]+-[a-z0-9_]+(-[a-z0-9_]+)*\.patch$')
MAX_NAME, MAX_SUBJECT = 60, 72
HUNK = re.compile(r'^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@')
SIGN_OFF = re.compile(r'^Signed-off-by: .+ <.+@.+>$')
# Fields of packagers' patches. Paddle's log has none of them.
FOREIGN = re.compile(
    r'^(Forwarded|Origin|Author|Bug|Base|Applies-To|Depends|Tested-By'
    r'|Reviewed-by|Last-Update): '
)


@dataclass
class PatchFile:
    name: str
    subject: str
    body: list
    sign_offs: list
    diff: list
    diff_line: int


def read_patch(name, text):
    """Splits a mail patch into its parts; raises ValueError if it has none."""
    head, found, diff = text.partition('\ndiff --git ')
    if not found:
        raise ValueError('no diff')
    mail, found, message = head.partition('\n\n')
    subject = re.search(r'(?m)^Subject: (.*(?:\n .*)*)$', mail)
    if not found or not mail.startswith('From ') or not subject:
        raise ValueError('not a mail patch as git format-patch writes it')
    lines = split_lines(message)
    if '---' in lines:
        lines = lines[: lines.index('---')]
    lines = [line for line in lines if line.strip()]
    return PatchFile(
        name,
        subject[1].replace('\n', ''),
        [line for line in lines if not SIGN_OFF.match(line)],
        [line for line in lines if SIGN_OFF.match(line)],
        split_lines(f'diff --git {diff}'),
        head.count('\n') + 2,
    )


def rule_name(patch):
    if len(patch.name) > MAX_NAME:
        yield f'name is longer than {MAX_NAME} characters'
    if not NAME.match(patch.name):
        yield 'name is not NNNN-<area>-<verb>-<op>.patch'


def rule_subject(patch):
    text = patch.subject
    if not text.startswith('[PATCH] '):
        yield f'subject does not begin with "[PATCH] ": {text!r}'
    text = text.replace('[PATCH] ', '', 1)
    if len(text) > MAX_SUBJECT:
        yield f'subject is longer than {MAX_SUBJECT} characters: {text!r}'
    if not text.strip() or text.endswith('.'):
        yield f'subject is empty or ends with a full stop: {text!r}'


def rule_body(patch):
    if not patch.body:
        yield 'no text between subject and sign-off: say why the patch exists'


def rule_sign_off(patch):
    if len(patch.sign_offs) != 1:
        yield f'{len(patch.sign_offs)} lines Signed-off-by, expected one'


def rule_foreign_fields(patch):
    for line in patch.body:
        if FOREIGN.match(line):
            yield f'a field that commits of Paddle do not have: {line!r}'


def rule_hunks(patch):
    """Every hunk holds as many lines as its header says."""
    lines = patch.diff
    old = new = 0
    hunks = 0
    for number, line in enumerate(lines, patch.diff_line):
        match = HUNK.match(line)
        if old > 0 or new > 0:
            if line[:1] not in ' +-\\' and line:
                yield f'line {number}: the hunk ends too early'
                return
            old -= line[:1] in ' -' or not line
            new -= line[:1] in ' +' or not line
        elif match:
            old, new = (1 if n is None else int(n) for n in match.groups())
            hunks += 1
        elif line[:1] in '+ ' and line and not line.startswith('+++ '):
            yield f'line {number}: more lines in the hunk than its header says'
            return
    if old > 0 or new > 0:
        yield 'the last hunk ends too early'
    if not hunks:
        yield 'no hunk'


def rule_added_lines(patch):
    for number, line in enumerate(patch.diff, patch.diff_line):
        if line.startswith('+') and not line.startswith('+++ '):
            if line != line.rstrip():
                yield f'line {number}: added line has blanks at its end'
            if '\r' in line:
                yield f'line {number}: added line has a carriage return'
        if line.startswith('\\'):
            yield f'line {number}: the file has no newline at its end'


RULES = (
    rule_name,
    rule_subject,
    rule_body,
    rule_sign_off,
    rule_foreign_fields,
    rule_hunks,
    rule_added_lines,
)


def check_patch(name, text):
    """Faults of one patch, each with the patch's name."""
    try:
        patch = read_patch(name, text)
    except ValueError as error:
        return [f'{name}: {error}']
    return [f'{name}: {fault}' for rule in RULES for fault in rule(patch)]


def check_patches(folder):
    """Faults of the whole folder."""
    folder = Path(folder)
    present = sorted(path.name for path in folder.glob('*.patch'))
    listed = []
    faults = []
    for name in ('series', 'BASE'):
        if not (folder / name).is_file():
            faults.append(f'{name}: missing')
    if (folder / 'series').is_file():
        listed = (folder / 'series').read_text(encoding='utf-8').split()
    for name in sorted(set(listed)):
        if listed.count(name) > 1:
            faults.append(
                f'series: {name} is listed {listed.count(name)} times'
            )
        if name not in present:
            faults.append(
                f'series: {name} is listed, but there is no such file'
            )
    if listed != sorted(listed):
        faults.append('series: not in the order of the numbers')
    for name in present:
        if name not in listed:
            faults.append(f'{name}: not listed in series')
        data = (folder / name).read_bytes()
        try:
            faults += check_patch(name, data.decode('utf-8'))
        except UnicodeDecodeError as error:
            faults.append(f'{name}: not UTF-8: {error}')
    return faults


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument(
        'folder', nargs='?', type=Path, default=ROOT / 'patches'
    )
    folder = parser.parse_args(arguments).folder
    faults = check_patches(folder)
    for fault in faults:
        print(f'check_patches: {fault}', file=sys.stderr)
    print(f'check_patches: {"FAILED" if faults else "clean"}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
